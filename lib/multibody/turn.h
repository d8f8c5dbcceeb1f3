// lib/multibody/turn.h: the largest rotation of a motion in one time step.
//
// A step samples a rotation at its midpoint only. Over an angle a, the mean of a force that rotates
// with the body is sin(a/2)/(a/2) of its midpoint value: 0.90 at pi/2, 0.64 at pi, zero at 2 pi.
// Beyond pi a rotation is indistinguishable from one in the opposite direction. On a grid with such
// steps, a motion no longer represents the machine, however small the residuals of its equations
// are.
#ifndef DM_MULTIBODY_TURN_H
#define DM_MULTIBODY_TURN_H
#include "lib/multibody/model.h"

#include <stddef.h>

DM_BEGIN_C

typedef struct dm_turn {
  double angle; // largest in one step, >= 0                                      rad
  int coord;    // the coordinate, for a ball joint the first of its four; -1: nothing rotates
  int knot;     // start of this step
} dm_turn;

// The largest rotation over the N steps of q [(N+1) x m->nq]: the change of a revolute coordinate;
// for a ball joint the angle between its attitudes along the path of its quaternion, up to 2 pi.
// Prismatic coordinates are ignored. NaN counts as infinite.
dm_turn dm_turn_largest(const dm_model *m, int N, const double *q);

DM_END_C
#endif
