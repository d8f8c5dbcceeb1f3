// lib/mechanics/scale.h: the characteristic numbers of a robot and what it is to do, by which numbers in
// any units become numbers without one.
//
//   time      the horizon T
//   q_i       1 of an angle or a number of a quaternion; of a length, the way from start to goal, or half its
//             range, or the length of the robot
//   length    the largest q_i of lengths; else sqrt(max M of angles / max M of lengths)
//   v_i       q_i / T
//   p_i       M_ii q_i / T, M_ii the larger one at start and goal
//
// A robot or a task in other units has these numbers in those units, and no others.
//
// Source: docs/theory.md section 31.
#ifndef DM_MECHANICS_SCALE_H
#define DM_MECHANICS_SCALE_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_scale {
  double time, length; // s, m; length 0: nothing has one
  double *q, *v, *p;   // [nq] rad or m, per s, N m s or N s
} dm_scale;

// What a robot is to do, as far as scales need it. Ends: NAN where free, NULL: all free; q_min, q_max: infinite
// or NULL where there is none.
typedef struct dm_scale_task {
  double time;                                    // s, > 0
  const double *q_start, *q_goal, *q_min, *q_max; // [nq] rad or m
  double reach;         // a length where neither coordinates nor the robot say one: m; 0: none
  const double *travel; // [nq] another way from start to goal; NULL: none
  const bool *
      constant; // [nq] parameters in the place of coordinates: their range is their size; NULL: none
} dm_scale_task;

// The scales of a system. Returns DM_OK or DM_NO_MEMORY; allocates. All numbers are > 0 and finite, whatever
// the system's functions return. Cost: L at two positions.
dm_status dm_scale_new(dm_scale **out, const dm_system *s, const dm_scale_task *task);
void dm_scale_free(dm_scale *w); // accepts NULL

DM_END_C
#endif
