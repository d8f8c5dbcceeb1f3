// lib/multibody/turn.h: how far a motion on a grid turns in one step.
//
// A step sees a turn by its middle alone: over an angle a the mean of a force that turns along is
// sin(a/2)/(a/2) of what the middle says: 0.90 at pi/2, 0.64 at pi, nothing at 2 pi. Beyond pi a
// turn cannot be told from one the other way round. A grid on which a motion turns so far no longer
// follows a machine, however well its own equations are met.
#ifndef DM_MULTIBODY_TURN_H
#define DM_MULTIBODY_TURN_H
#include "lib/multibody/model.h"

#include <stddef.h>

DM_BEGIN_C

typedef struct dm_turn {
  double angle; // the largest of one step, >= 0                                    rad
  int coord;    // the coordinate, of a ball joint the first of its four; -1: nothing turns
  int knot;     // where that step begins
} dm_turn;

// The largest turn of the N steps of q [(N+1) x m->nq]: of a coordinate that turns its change; of a
// ball joint the angle between its attitudes, as far as its quaternion went round, up to 2 pi. What
// slides is left out. An angle that is not a number counts as infinite.
dm_turn dm_turn_largest(const dm_model *m, int N, const double *q);

DM_END_C
#endif
