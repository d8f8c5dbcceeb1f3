// optim/starts/nearest_rollout.h: a guess that keeps the equations of motion, and comes near to what the
// task asks: of many rollouts the one that misses least.
//
// Motions are drawn under smooth random inputs within their limits, and in a free time; the best of them is
// then changed again and again, by less where a change made it no better, by more where it did
// (Rechenberg's rule, [rechenberg-1973] in docs/sources.md). Nothing is differentiated. What it misses is
//
//   sum (q_N - q_goal)^2 + (T/2)^2 (v_N - v_goal)^2  +  4 sum of mean squares beyond limits of position,
//   of speed times T/2, and of outputs at the knots where they are limited
//
// with lengths, and their speeds, over the robot's extent.
#ifndef OC_STARTS_NEAREST_ROLLOUT_H
#define OC_STARTS_NEAREST_ROLLOUT_H
#include "optim/nlp/deadline.h"
#include "optim/task/task.h"

#include <stdint.h>

DM_BEGIN_C

// Does a task have one? Not without forces; nor where a motion is periodic, and its end nowhere, or where it
// is so long that who wishes the end would wait for a rollout.
bool oc_has_nearest_rollout(const oc_task *task);

// Fill x, allocated with the task's N and sizes, and x->h, which where the time is free is drawn as well: a
// function of (seed, number) alone, unless `until` (NULL: never) is over before the end; it then has the best
// one so far. Where no rollout comes to its end x is the line.
// Returns DM_OK, DM_NO_MEMORY, or the Lagrangian's failure at the start. Allocates. Cost: 400 rollouts.
dm_status oc_nearest_rollout(const oc_task *task, uint64_t seed, int number, oc_deadline *until,
                             dm_trajectory *x);

DM_END_C
#endif
