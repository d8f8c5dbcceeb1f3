// optim/starts/nearest_rollout.h: a guess that satisfies the equations of motion and approximates the task's
// conditions: the best of many rollouts.
//
// Motions are drawn under smooth random inputs within their limits, and with a random time if it is free. The
// best one is then changed repeatedly, with a smaller change after each failure and a larger one after each
// improvement (Rechenberg's rule, [rechenberg-1973] in docs/sources.md). No derivatives are used. The error
// is
//
//   sum (q_N - q_goal)^2 + (T/2)^2 (v_N - v_goal)^2  +  4 sum of mean squares beyond limits of position,
//   of speed times T/2, and of outputs at the knots where they are limited
//
// with lengths, and their speeds, divided by the robot's extent.
#ifndef OC_STARTS_NEAREST_ROLLOUT_H
#define OC_STARTS_NEAREST_ROLLOUT_H
#include "optim/nlp/deadline.h"
#include "optim/task/task.h"

#include <stdint.h>

DM_BEGIN_C

// Does a task have one? No, if it has no forces, if the motion is periodic and therefore has no goal, or if
// the motion is so long that an interruption would have to wait for a rollout.
bool oc_has_nearest_rollout(const oc_task *task);

// Fill x, allocated with the task's N and sizes, and x->h, which is also drawn if the time is free. The
// result depends on (seed, number) only, unless the deadline `until` (NULL: never) passes first; then it is
// the best motion so far. If no rollout reaches the final time, x is the line. Returns DM_OK, DM_NO_MEMORY,
// or the Lagrangian's failure at the start. Allocates. Cost: 400 rollouts.
dm_status oc_nearest_rollout(const oc_task *task, uint64_t seed, int number, oc_deadline *until,
                             dm_trajectory *x);

DM_END_C
#endif
