// optim/starts/random_inputs.h: random forces, smooth and within a task's limits; each depends on (seed,
// number) only.
#ifndef OC_STARTS_RANDOM_INPUTS_H
#define OC_STARTS_RANDOM_INPUTS_H
#include "optim/task/task.h"

#include <stdint.h>

DM_BEGIN_C

// A random number between low and high > 0 with uniform logarithm: draw i of (seed, number).
double oc_guess_size(uint64_t seed, int number, uint64_t i, double low, double high);

// A large value of force i: half of its range, a one-sided limit, or the force that moves its coordinate by a
// revolution within the time; for a force that is not at a joint, the size by optim/program/input_sizes.h
// (allocates).
//                                                                                           N or N m
double oc_input_scale(const oc_task *task, int i);

// u clipped to the limits of force i in step k, including limits over an interval.
double oc_input_clip(const oc_task *task, int i, int k, double u);

// Set the forces of u [N x (nu + nk)] to sums of up to nine cosine modes (half periods) over the horizon,
// centered in the range, with mean square (size oc_input_scale)^2 before clipping; or add these waves to
// them.
void oc_random_inputs_draw(const oc_task *task, uint64_t seed, int number, double size, double *u);
void oc_random_inputs_add(const oc_task *task, uint64_t seed, int number, double size, double *u);

DM_END_C
#endif
