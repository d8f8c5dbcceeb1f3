// optim/rows/exact_rows.h: output rows that hold exactly at every knot, in a motion from rest to rest.
//
// At each inner knot, the rows determine the sum of the inputs of the two adjacent steps. An error in one
// input therefore appears in the next one with the opposite sign, and rest at both ends determines each
// input. Per coordinate this is one condition more than there are inputs. The free coordinates can satisfy it
// only with differences between knots far below rounding. A search that may not deviate from the rows by at
// least this much succeeds only after many guesses or minutes, or not at all.
//
// Source: docs/theory.md section 30.
#ifndef OC_ROWS_EXACT_ROWS_H
#define OC_ROWS_EXACT_ROWS_H
#include "optim/task/task.h"

// The tolerance on either side of rows that hold exactly, at inner knots, in their unit.
typedef struct oc_exact_room {
  double curve, limits;
} oc_exact_room;

// Applies if the velocities of both ends are given: 1e-7 if there are more than three of these rows and they
// leave fewer than two coordinates free; otherwise 1e-8, a solver's tolerance, for limits, and 0 for a curve,
// whose timing is free. 0 if the velocity of an end is free.
oc_exact_room oc_exact_rows_room(const oc_task *task);
#endif
