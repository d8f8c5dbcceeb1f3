// optim/starts/rollout.h: guesses that satisfy the equations of motion: forward simulation of inputs from a
// task's start, with the steps of its own system.
#ifndef OC_STARTS_ROLLOUT_H
#define OC_STARTS_ROLLOUT_H
#include "lib/discrete/del.h"
#include "optim/starts/guess.h"

DM_BEGIN_C

// The motion under the forces u [system.nu] (NULL: zero), held constant, from the start (free entries start
// as in the line, at rest). Kinematic coordinates follow the line. If a step fails, the motion does not move
// from there on.
//   x  allocated with the task's N and sizes; x->h becomes T/N
// Returns DM_OK, DM_NO_MEMORY, or the Lagrangian's failure at the start.
dm_status oc_guess_rollout(const oc_task *task, const double *u, dm_trajectory *x);

// The guess of a task that gives none: the motion without forces, if the goal prescribes outputs and no coordinate,
// each coordinate has a force, forces have a cost, and this motion stays within the limits of positions, speeds and
// inputs; otherwise the line.
// A line would choose one of many postures at the goal, and forces to hold it all the way: optima near a fall cost
// less. Returns the status of oc_guess_line or oc_guess_rollout.
dm_status oc_guess_own(const oc_task *task, dm_trajectory *x);

// Prepare several rollouts of one task: *del takes the system's steps (dm_del_free), and x becomes the line
// (oc_guess_line). Its first knot gets the start velocity, zero for free entries, and the corresponding
// momentum. Returns the status of oc_guess_rollout; *del is NULL after a failure. Allocates.
dm_status oc_rollout_begin(dm_del **del, const oc_task *task, dm_trajectory *x);

// Simulate x->u from the first knot as far as possible; the motion does not move after that. *failed is the
// knot whose step failed, or -1. Returns DM_OK, DM_NO_MEMORY, or if all steps succeeded the Lagrangian's
// failure at a velocity. Cost: N steps.
dm_status oc_rollout_follow(dm_del *del, dm_trajectory *x, int *failed);

// From knot k on, x keeps its position.
void oc_rollout_stop(dm_trajectory *x, int k);

DM_END_C
#endif
