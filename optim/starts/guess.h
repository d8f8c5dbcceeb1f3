// optim/starts/guess.h: motions to start an optimizer from.
#ifndef OC_STARTS_GUESS_H
#define OC_STARTS_GUESS_H
#include "optim/task/task.h"

#include <stdint.h>

DM_BEGIN_C

// Each fills x, allocated with the task's N and sizes (dm_trajectory_of); x->h becomes T/N. Next
// values of kinematic coordinates, among the inputs, are those of the configurations.

// Straight from the start to the goal, forces zero; a free end takes the other's value. Where the
// task gives outputs values at single knots, the line goes by configurations that have them
// (optim/starts/inverse_kinematics.h), each the nearest to the one before; or where that line
// misses other limits on outputs, by those of several postures that miss least. Where outputs follow a
// curve, each knot has them on it, in the timing of optim/starts/curve_timing.h. Where the
// system is constrained, each knot is moved onto the constraints by the least change (an end: of
// what is free there), if that can be, with the impulses of oc_guess_impulses; what a goal leaves
// free follows the constraints from the start, knot by knot. Of a periodic motion it goes from the
// start, 0 where that is free, by the least way of its travel. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_guess_line(const oc_task *task, dm_trajectory *x);

// The same by the nearest postures alone (branch 0), or by others that a seed > 0 chooses.
dm_status oc_guess_branch(const oc_task *task, uint64_t branch, dm_trajectory *x);

// The motion y of any number of steps, stretched over x's grid; x->h is left alone.
void oc_guess_resample(const oc_task *task, const dm_trajectory *y, dm_trajectory *x);

// Wander off: add to each coordinate of x a smooth curve that is zero at both ends, the first modes
// of a string (of a periodic motion, of a closed one) with normal amplitudes spread oc_task_way / m, which are a function of (seed, start) alone; to
// the velocities its rate.
void oc_guess_perturb(const oc_task *task, uint64_t seed, int start, double spread,
                      dm_trajectory *x);

// Set x->lambda to the impulses that leave least of each row of motion, as far as they can be
// found. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_guess_impulses(const oc_task *task, dm_trajectory *x);

// Set the next values of kinematic coordinates in x->u to those of x->q.
void oc_guess_prescribe(const oc_task *task, dm_trajectory *x);

DM_END_C
#endif
