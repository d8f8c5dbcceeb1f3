// cli/stages/touch.h: report a touch (`until`) that the motion of a search does not reach.
#ifndef CLI_STAGES_TOUCH_H
#define CLI_STAGES_TOUCH_H
#include "cli/stages/call.h"

// Print an error if the gap of the problem's `until` is not 0 at the last knot of a motion: its name, its value
// there, and the least one at the knots. phase: the name of the phase, or NULL. Does nothing without `until`, or if
// the gap has no value.
void cli_report_missed_touch(const pb_problem *p, const char *phase, const dm_trajectory *x);
#endif
