// optim/program/prolong.h: a point of a task's program, with its multipliers, on the program of
// the same task on another grid: where a search there begins.
//
//   unknowns at knots and of steps: between those of the old grid, and of the old step there
//   multipliers of rows of motion, and of limits on speeds and rates: the same, they are costates
//   of all bounds, constraints and inner velocities: a step's share of them, h' / h times as large
#ifndef OC_PROGRAM_PROLONG_H
#define OC_PROGRAM_PROLONG_H
#include "optim/rows/layout.h"

DM_BEGIN_C

// Fill `to` (all arrays of the program b's sizes) from a point of the program a; both are of one task
// but for the number of steps.
void oc_transcription_prolong(const oc_transcription *a, const oc_point *from,
                              const oc_transcription *b, oc_point *to);

DM_END_C
#endif
