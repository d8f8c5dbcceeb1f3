// lib/mechanics/scale.h: characteristic scales of a robot and its task, which make quantities
// dimensionless.
//
//   time      the horizon T
//   q_i       1 for an angle or a quaternion component; for a length, the distance from start to
//             goal, or half its range, or the length of the robot
//   length    the largest q_i of lengths; else sqrt(max M of angles / max M of lengths)
//   v_i       q_i / T
//   p_i       M_ii q_i / T, with the larger M_ii of start and goal
//
// If robot and task are written in other units, the scales are the same quantities in those units.
//
// Source: docs/theory.md section 31.
#ifndef DM_MECHANICS_SCALE_H
#define DM_MECHANICS_SCALE_H
#include "lib/mechanics/bounds.h"
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_scale {
  double time, length; // s, m; length 0: no length is known
  double *q, *v, *p;   // [nq] rad or m, per s, N m s or N s
} dm_scale;

// The task data that scales need. Start and goal: NAN if free; NULL: all free.
typedef struct dm_scale_task {
  double time;                    // s, > 0
  const double *q_start, *q_goal; // [nq] rad or m
  dm_bounds q;                    // [nq] limits of positions
  double reach;         // a length to use if neither coordinates nor the robot give one: m; 0: none
  const double *travel; // [nq] alternative distances from start to goal; NULL: none
  const bool *
      constant; // [nq] parameters in the place of coordinates: their range is the scale; NULL: none
} dm_scale_task;

// Compute the scales of a system. Returns DM_OK or DM_NO_MEMORY; allocates. All scales are > 0 and
// finite for any results of the system's functions. Cost: L at two positions.
dm_status dm_scale_new(dm_scale **out, const dm_system *s, const dm_scale_task *task);
void dm_scale_free(dm_scale *w); // accepts NULL

DM_END_C
#endif
