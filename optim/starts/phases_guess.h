// optim/starts/phases_guess.h: initial guesses for motions with several phases.
#ifndef OC_STARTS_PHASES_GUESS_H
#define OC_STARTS_PHASES_GUESS_H
#include "optim/program/phases.h"

#include <stdint.h>

DM_BEGIN_C

// Fill the motion of each phase (dm_trajectory_of its task) with a line (oc_guess_line). If a phase's own
// start is free, it starts where the phase before ends, by the join. If its goal is free, a coordinate moves
// towards its next given value in a later phase, or does not move. With a seed > 0, which alone determines
// the result, free goals are displaced randomly. Returns DM_OK, DM_NO_MEMORY, or the status of the functions
// of a join. Allocates.
dm_status oc_phases_guess(const oc_phases_task *task, uint64_t seed, dm_trajectory *const *motion);

DM_END_C
#endif
