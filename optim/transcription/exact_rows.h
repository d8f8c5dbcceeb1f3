// optim/transcription/exact_rows.h: rows of outputs that hold at every knot, between two rests.
//
// Inputs of two steps add up at the knot between them to what the motion asks there, so that an error
// in one is in the next with the other sign; and rest at both ends says what each of them is. That is
// one condition more for each coordinate than there are inputs, which the free coordinates meet by
// differences from knot to knot far below rounding. Where exact rows leave none free, the timing alone
// has to: a search finds its way only after minutes, or not at all. A room of 1e-7 on either side of
// the rows meets the conditions at once.
//
// Source: docs/theory.md section 30.
#ifndef OC_TRANSCRIPTION_EXACT_ROWS_H
#define OC_TRANSCRIPTION_EXACT_ROWS_H
#include "optim/transcription/task.h"

// The room on either side of rows that hold exactly at inner knots, in their unit: 1e-7 where they are
// more than three and leave fewer than two coordinates free, and the velocities of both ends are given;
// else 0.
double oc_exact_rows_room(const oc_task *task);
#endif
