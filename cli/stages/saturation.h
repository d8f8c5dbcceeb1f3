// cli/stages/saturation.h: the active limits of a motion, for result.json and messages, and advice
// if no motion was found.
#ifndef CLI_STAGES_SATURATION_H
#define CLI_STAGES_SATURATION_H
#include "cli/stages/call.h"

enum { CLI_LIMITS = 512 }; // bytes of the text below

// Write the remedies most likely to help if no motion was found, as the end of a sentence ("; "
// before each): two, or one more. If equations are violated, the remedy for the worst one comes
// first (`worst`, its name; NULL: none), if the task requests it; then those for the limits at
// which the last motion x is longest; then those of the status. All active limits are written to
// `at_limits` of result.json. `late`: the time limit was reached; `newton`: only Newton's method
// was used.
void cli_explain_failure(cli_call *call, const dm_trajectory *x, const char *worst,
                         dm_status status, bool late, bool newton, char *text, size_t size);

// Warn if the free final time of an optimal motion x of a task is at a bound. phase: the name of
// the phase, or NULL.
void cli_warn_time(const cli_call *call, const oc_task *task, const char *phase,
                   const dm_trajectory *x);
#endif
