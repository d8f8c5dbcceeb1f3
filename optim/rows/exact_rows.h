// optim/rows/exact_rows.h: rows of outputs that hold at every knot, between two rests.
//
// Inputs of two steps add up at the knot between them to what the motion asks there, so that an error
// in one is in the next with the other sign; and rest at both ends says what each of them is. That is
// one condition more for each coordinate than there are inputs, which the free coordinates meet by
// differences from knot to knot far below rounding, and only they. A search that may not leave the rows
// by as little finds its way after many guesses, minutes, or not at all.
//
// Source: docs/theory.md section 30.
#ifndef OC_ROWS_EXACT_ROWS_H
#define OC_ROWS_EXACT_ROWS_H
#include "optim/task/task.h"

// The room on either side of rows that hold exactly, at inner knots, in their unit.
typedef struct oc_exact_room {
  double curve, limits;
} oc_exact_room;

// Where the velocities of both ends are given: 1e-7 where such rows are more than three and leave fewer
// than two coordinates free; else 1e-8, a solver's tolerance, of limits, and 0 of a curve, whose timing
// is free. 0 where an end is not given.
oc_exact_room oc_exact_rows_room(const oc_task *task);
#endif
