// cli/stages/saturation.h: the limits that a motion spends its time at, as result.json and messages
// have them, and what to try where no motion was found.
#ifndef CLI_STAGES_SATURATION_H
#define CLI_STAGES_SATURATION_H
#include "cli/stages/job.h"

enum { CLI_LIMITS = 512 }; // bytes of the text below

// The remedies most likely to help where no motion was found, to end a sentence with ("; " before
// each), two or one more. Where equations are not met, that of the worst of them comes first (`worst`, its
// name; NULL: all are met), where it is one that the task asks for; then those of the limits that the last
// motion x is at the longest, and all such limits become `at_limits` of result.json, a row each; then
// those of the status; `late`: its time was over; `newton`: Newton's method alone.
void cli_explain_failure(cli_job *job, const dm_trajectory *x, const char *worst, dm_status status,
                         bool late, bool newton, char *text, size_t size);

// Warn if the free final time of an optimal motion x of a task is at a bound. phase: the name of the
// phase, or NULL.
void cli_warn_time(const cli_job *job, const oc_task *task, const char *phase,
                   const dm_trajectory *x);
#endif
