// cli/stages/design.h: numbers of a robot that its file leaves open (`design:`): sought together with a
// motion (optim/design.h), then put in place of the file's, so that all that follows, the motion's own
// solution to begin with, is of that robot.
#ifndef CLI_STAGES_DESIGN_H
#define CLI_STAGES_DESIGN_H
#include "cli/stages/job.h"
#include "optim/design.h"

// What the numbers came to.
typedef struct cli_design {
  pb_problem *asked;     // the problem as the file has it; NULL: it leaves none open
  dm_trajectory *motion; // found with them: the guess from there on
  oc_design_info found;
  int degree; // of the polynomials between members
} cli_design;

// Seek them, and set the job's problem to the one with them, its guess to the motion. Does nothing where
// the file leaves none open. Returns CLI_DONE, or another status after saying why; w is to be freed by
// cli_design_free after any.
int cli_design_seek(cli_design *w, cli_job *job);

// Their part of check: the derivatives of that program against differences; ok NULL of a file without.
// Returns the exit status; the task is the caller's to look at until cli_design_close.
typedef struct cli_design_members cli_design_members;
int cli_design_open(cli_design_members **out, cli_job *job, const oc_task **task);
void cli_design_close(cli_design_members *w); // accepts NULL

// result.json `design` and the summary.
void cli_design_report(const cli_design *w, cli_job *job);
void cli_design_free(cli_design *w);
#endif
