// cli/stages/schedule.h: the schedule of a plan through contact, and whether its impulses are those
// of contacts.
#ifndef CLI_STAGES_SCHEDULE_H
#define CLI_STAGES_SCHEDULE_H
#include "cli/stages/call.h"

// Report the schedule of the motion in result.json and the summary, and write schedule.csv. Does nothing if the
// robot has no contacts. Returns CLI_DONE; CLI_OUTCOME after reporting a fault of a solved motion; or a failure.
int cli_schedule_report(cli_call *call, bool solved);
#endif
