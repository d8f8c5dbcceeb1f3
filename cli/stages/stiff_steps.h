// cli/stages/stiff_steps.h: warnings of joints whose damping is over within a step of the motion
// (problems/readers/task/stiff_steps.h).
#ifndef CLI_STAGES_STIFF_STEPS_H
#define CLI_STAGES_STIFF_STEPS_H
#include "cli/console/args.h"
#include "problems/readers/task/problem.h"

// steps within this share of those that damping is fitted to are as good
static const double CLI_FIT_NEAR = 0.02;

// Warn of each such joint of p, unless *warned, which is then true. Nothing is said if the command runs
// again for what was warned of before (args->again).
//   phase  whose problem p is; NULL: none
//   x      the motion whose steps are meant; NULL: there is none, and steps are those of the file, by
//          the guess of a free final time
void cli_warn_stiff_steps(const cli_args *args, const pb_problem *p, const char *phase,
                          const dm_trajectory *x, bool *warned);

// Warn that damping is fitted to other steps than those of x.
void cli_warn_other_fit(const cli_args *args, const pb_problem *p, const dm_trajectory *x);
#endif
