// cli/stages/stiff_steps.h: warnings about joints whose damping decays within a step of the motion
// (problems/readers/task/stiff_steps.h).
#ifndef CLI_STAGES_STIFF_STEPS_H
#define CLI_STAGES_STIFF_STEPS_H
#include "cli/console/args.h"
#include "problems/readers/task/problem.h"

// relative tolerance within which a step counts as the fitted one
static const double CLI_FIT_NEAR = 0.02;

// Warn about each such joint of p, unless *warned, which is then set. Silent if the command runs
// again after it warned (args->again).
//   phase  whose problem p is; NULL: none
//   x      the motion with the steps; NULL: use the file's steps, with the guess of a free final
//          time
void cli_warn_stiff_steps(const cli_args *args, const pb_problem *p, const char *phase,
                          const dm_trajectory *x, bool *warned);

// Warn that damping was fitted to other steps than those of x.
void cli_warn_other_fit(const cli_args *args, const pb_problem *p, const dm_trajectory *x);
#endif
