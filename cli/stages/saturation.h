// cli/stages/saturation.h: the limits that a motion spends its time at, as result.json and messages
// have them.
#ifndef CLI_STAGES_SATURATION_H
#define CLI_STAGES_SATURATION_H
#include "cli/stages/job.h"

enum { CLI_LIMITS = 512 }; // bytes of the text below

// The limits that a motion of the job's task is at for a large part of it, where its equations are
// not met: `at_limits` of result.json, a row each, and the three that are met the longest in words,
// each with what to try, to end a sentence with ("; " before each; "" where there are none).
void cli_report_saturation(cli_job *job, const dm_trajectory *x, char *text, size_t size);

// A warning where a motion is optimal and its free final time is at a bound.
void cli_warn_time(const cli_job *job, const dm_trajectory *x);
#endif
