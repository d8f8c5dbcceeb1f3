// optim/program/prolong.h: transfer a point of a task's program, with its multipliers, to the program of the
// same task on another grid, as a starting point for a search there.
//
//   unknowns at knots are interpolated on the old grid; unknowns of steps come from the old step at that time
//   multipliers of rows of motion, and of limits on speeds and rates, are costates and do not change
//   multipliers of all bounds, constraints and inner velocities are proportional to the step: times h' / h
#ifndef OC_PROGRAM_PROLONG_H
#define OC_PROGRAM_PROLONG_H
#include "optim/rows/layout.h"

DM_BEGIN_C

// Fill `to` (all arrays with the sizes of program b) from a point of program a; both are of the same task
// except for the number of steps.
void oc_transcription_prolong(const oc_transcription *a, const oc_point *from,
                              const oc_transcription *b, oc_point *to);

DM_END_C
#endif
