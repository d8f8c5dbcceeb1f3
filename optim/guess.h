// optim/guess.h: motions to start an optimizer from.
#ifndef OC_GUESS_H
#define OC_GUESS_H
#include "optim/task.h"

// Each fills x, allocated with the task's N and sizes; x->h becomes T/N.

// Straight from the start to the goal, inputs zero; a free end takes the other's value.
void oc_guess_line(const oc_task *task, dm_trajectory *x);

// The motion that the inputs u [nu] (NULL: none), held, lead to from the start (what is free there
// begins as the line does, at rest); where a step fails it stands still from there on.
// Returns DM_OK, DM_NO_MEMORY, or the Lagrangian's failure at the start.
dm_status oc_guess_roll(const oc_task *task, const double *u, dm_trajectory *x);

// The motion y of any number of steps, stretched over x's grid; x->h is left alone.
void oc_guess_resample(const dm_trajectory *y, dm_trajectory *x);
#endif
