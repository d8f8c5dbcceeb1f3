// optim/starts/phases_guess.h: motions of several phases to start an optimizer from.
#ifndef OC_STARTS_PHASES_GUESS_H
#define OC_STARTS_PHASES_GUESS_H
#include "optim/program/phases.h"

#include <stdint.h>

DM_BEGIN_C

// Fill the motion of each phase (dm_trajectory_of its task) with a line (oc_guess_line). Where a
// phase's own start is free it begins where the one before ends, by the join; where its goal is
// free, it goes on towards what a later phase is given of the same coordinate, and else stands
// still. Other lines than these end, where that is free, at places drawn about it by a seed > 0 alone.
// Returns DM_OK, DM_NO_MEMORY, or what the functions of a join return. Allocates.
dm_status oc_phases_guess(const oc_phases_task *task, uint64_t seed, dm_trajectory *const *motion);

DM_END_C
#endif
