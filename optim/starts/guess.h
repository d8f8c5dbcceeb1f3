// optim/starts/guess.h: motions to start an optimizer from.
#ifndef OC_STARTS_GUESS_H
#define OC_STARTS_GUESS_H
#include "optim/task/task.h"

#include <stdint.h>

DM_BEGIN_C

// Each function fills x, allocated with the task's N and sizes (dm_trajectory_of); x->h becomes T/N. The
// inputs that are next values of kinematic coordinates follow the configurations.

// Straight from the start to the goal, with zero forces; a free end takes the value of the other end. If the
// task prescribes outputs at single knots, the line goes through configurations that satisfy them
// (optim/starts/inverse_kinematics.h), each nearest to the one before; if that line violates other limits on
// outputs, the best of several postures is taken. If outputs follow a curve, each knot lies on it, with the
// timing of optim/starts/curve_timing.h. If the system is constrained, each knot is projected onto the
// constraints by the least change if possible (at an end only the free entries change), with the impulses of
// oc_guess_impulses; entries without a goal follow the constraints from the start, knot by knot. For a
// periodic motion, the line starts at the start, 0 if free, and moves by the smallest admissible travel.
// Returns DM_OK or DM_NO_MEMORY.
dm_status oc_guess_line(const oc_task *task, dm_trajectory *x);

// The same through the nearest postures only (branch 0), or through others chosen by a seed > 0.
dm_status oc_guess_branch(const oc_task *task, uint64_t branch, dm_trajectory *x);

// Resample the motion y, with any number of steps, on x's grid; x->h is not changed.
void oc_guess_resample(const oc_task *task, const dm_trajectory *y, dm_trajectory *x);

// Perturb x: add to each coordinate a smooth curve that is zero at both ends, the first modes of a string
// (for a periodic motion, of a closed one), with normal amplitudes spread oc_task_way / m that depend on
// (seed, start) only; add its rate to the velocities.
void oc_guess_perturb(const oc_task *task, uint64_t seed, int start, double spread,
                      dm_trajectory *x);

// Set x->lambda to the impulses that minimize the residual of each row of motion, as far as they can be
// found. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_guess_impulses(const oc_task *task, dm_trajectory *x);

// Set the next values of kinematic coordinates in x->u to those of x->q.
void oc_guess_prescribe(const oc_task *task, dm_trajectory *x);

DM_END_C
#endif
