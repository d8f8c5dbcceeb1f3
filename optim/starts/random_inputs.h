// optim/starts/random_inputs.h: forces drawn at random, smooth and within a task's limits; each a
// function of (seed, number) alone.
#ifndef OC_STARTS_RANDOM_INPUTS_H
#define OC_STARTS_RANDOM_INPUTS_H
#include "optim/task/task.h"

#include <stdint.h>

DM_BEGIN_C

// A number between low and high > 0 whose logarithm is uniform: draw i of (seed, number).
double oc_guess_size(uint64_t seed, int number, uint64_t i, double low, double high);

// What is much for force i: half of its range, a limit that is alone, or what swings its coordinate through a
// turn within the time; of a force that is not a joint's the same by optim/program/input_sizes.h (allocates).
//                                                                                           N or N m
double oc_input_scale(const oc_task *task, int i);

// u within the limits of force i in step k, those for a while among them.
double oc_input_clip(const oc_task *task, int i, int k, double u);

// Set the forces of u [N x (nu + nk)] to sums of waves of up to nine half turns over the horizon, about the middle
// of a range, whose mean square is (size oc_input_scale)^2 before they are clipped; or add such waves to them.
void oc_random_inputs_draw(const oc_task *task, uint64_t seed, int number, double size, double *u);
void oc_random_inputs_add(const oc_task *task, uint64_t seed, int number, double size, double *u);

DM_END_C
#endif
