// optim/starts/rollout.h: guesses that keep the equations of motion: where inputs lead from a
// task's start, by the steps of its own system.
#ifndef OC_STARTS_ROLLOUT_H
#define OC_STARTS_ROLLOUT_H
#include "lib/discrete/del.h"
#include "optim/starts/guess.h"

DM_BEGIN_C

// The motion that the forces u [system.nu] (NULL: none), held, lead to from the start (what is free
// there begins as the line does, at rest), while kinematic coordinates follow the line; where a
// step fails it stands still from there on.
//   x  allocated with the task's N and sizes; x->h becomes T/N
// Returns DM_OK, DM_NO_MEMORY, or the Lagrangian's failure at the start.
dm_status oc_guess_rollout(const oc_task *task, const double *u, dm_trajectory *x);

// Begin several of one task: *del takes the system's steps (dm_del_free), and x becomes the line
// (oc_guess_line), whose first knot has the velocity of the start, what is free there at rest, and the momentum
// of that. Returns what oc_guess_rollout does; *del is then NULL where it failed. Allocates.
dm_status oc_rollout_begin(dm_del **del, const oc_task *task, dm_trajectory *x);

// Follow x->u from the first knot on as far as it goes, and stand still from there: *failed is the knot
// whose step could not be taken, or -1. Returns DM_OK, DM_NO_MEMORY, or where all steps were taken the
// Lagrangian's failure at a velocity. Cost: N steps.
dm_status oc_rollout_follow(dm_del *del, dm_trajectory *x, int *failed);

// From knot k on x stays where it is.
void oc_rollout_stop(dm_trajectory *x, int k);

DM_END_C
#endif
