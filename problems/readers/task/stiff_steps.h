// problems/readers/task/stiff_steps.h: what it means for a motion that the damping of a joint is over
// within one of its steps (lib/discrete/stiff_damping.h), in a sentence.
#ifndef PB_TASK_STIFF_STEPS_H
#define PB_TASK_STIFF_STEPS_H
#include "problems/readers/task/problem.h"

DM_BEGIN_C

enum { PB_STIFF_STEPS_TEXT = 640 };

// The sentence for coordinate i of a problem whose steps are h long [s], which begins with the place of
// the horizon in the file, and names the inertia that the problem's system is fitted with. Returns false
// if the damping is not over within such a step, and text is empty.
//   guessed  h is that of a guessed final time, which the sentence says
bool pb_stiff_steps_describe(const pb_problem *p, int i, double h, bool guessed,
                             char text[PB_STIFF_STEPS_TEXT]);

DM_END_C
#endif
