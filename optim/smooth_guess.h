// optim/smooth_guess.h: a guess for robots that whip: the motion of the task with a cost on speeds that decreases from
// solution to solution until it is negligible (continuation).
//
// Long chains without damping have very many optima, most of them wild: a first step far from a motion ends at any
// of them. With a cost w/2 sum (v_i/s_i)^2 on speeds the optimum is found in a few iterations, and it changes
// little if w does.
//
//   1  w: along the line from start to goal the cost on speeds is a tenth of that of the inputs, which follow from
//      inverse dynamics with a cubic timing
//   2  solve from the last motion; if none is solved yet and this fails, w <- 10 w
//   3  w <- w/f, with f squared after a solve of few iterations (at most 100), and its square root after a failure,
//      which is repeated, or after a solve of many iterations
//   4  end if the cost on speeds is below 1e-4 of the objective, or if f has become 1
//
// s_i is oc_task_way.
#ifndef OC_SMOOTH_GUESS_H
#define OC_SMOOTH_GUESS_H
#include "optim/solution.h"

DM_BEGIN_C

// Fill x, allocated with the task's N and sizes, with x->h set; x enters with a guess, from which the first solve
// starts and which it keeps if none succeeds. Reads tol and max_time of the options. Returns DM_OK, DM_INTERRUPTED
// (hooks->stop, hooks may be NULL) with the motion so far, or a negative status. Cost: up to 60 solves of up to 80
// iterations, typically 10 of 15.
dm_status oc_smooth_guess(const oc_task *task, const oc_options *options, const oc_hooks *hooks,
                          dm_trajectory *x);

// Does the task have what this needs: a cost of inputs at joints, and a start and a goal of positions?
bool oc_has_smooth_guess(const oc_task *task);

DM_END_C
#endif
