// cli/stages/schedule.h: the schedule of a plan through contact, and whether its impulses are those
// of contacts.
#ifndef CLI_STAGES_SCHEDULE_H
#define CLI_STAGES_SCHEDULE_H
#include "cli/stages/call.h"
#include "lib/discrete/contact_check.h"

typedef struct cli_schedule {
  unsigned char *entry; // [(N+1) x laws] entries of the laws; NULL: the robot has no contacts
  dm_contact_verdict verdict;
} cli_schedule;

// Find the schedule of the motion, which cli_schedule_report frees. Returns CLI_DONE or a failure.
int cli_schedule_find(cli_call *call, cli_schedule *out);

// Report it in result.json and the summary, and write schedule.csv. Returns CLI_DONE; CLI_OUTCOME
// after reporting a fault of a solved motion; or a failure.
int cli_schedule_report(cli_call *call, cli_schedule *schedule, bool solved);
#endif
