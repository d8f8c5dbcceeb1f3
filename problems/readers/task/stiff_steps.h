// problems/readers/task/stiff_steps.h: describe the effect on a motion if the damping of a joint
// decays within one step (lib/discrete/stiff_damping.h).
#ifndef PB_TASK_STIFF_STEPS_H
#define PB_TASK_STIFF_STEPS_H
#include "problems/readers/task/problem.h"

DM_BEGIN_C

enum { PB_STIFF_STEPS_TEXT = 640 };

// Describe the effect for coordinate i of a problem with steps of length h [s]. The sentence begins
// with the position of the horizon in the file, and states the inertia added by the fit of the
// problem's system. Returns false, with an empty text, if the damping does not decay within one
// step.
//   guessed  h comes from a guessed final time, which the sentence mentions
bool pb_stiff_steps_describe(const pb_problem *p, int i, double h, bool guessed,
                             char text[PB_STIFF_STEPS_TEXT]);

DM_END_C
#endif
