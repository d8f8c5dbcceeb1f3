// cli/stages/controller.h: the law of a job as it is exported: what controller.c is written of, by
// `export` and by `verify` with plants: exported alike.
#ifndef CLI_STAGES_CONTROLLER_H
#define CLI_STAGES_CONTROLLER_H
#include "cli/stages/kept_end.h"
#include "control/codegen/codegen.h"

typedef struct cli_controller {
  cli_job *job;
  cli_kept_end end; // the schedule, where it is longer than the job's
  fb_codegen *c;
  double *off;       // [2n] of q and v: how far off the plan the range of inputs is told for
  const char **unit; // [3n + nu] of q, v and p by coordinate, then of inputs
} cli_controller;

// Make the law in the forms [FB_FORMS] that are wanted. Returns CLI_DONE; CLI_INPUT where a text cannot
// hold it; CLI_FAULT: on all but CLI_DONE it has said why. e is to be closed after either.
int cli_controller_open(cli_controller *e, cli_job *job, const bool form[FB_FORMS]);
void cli_controller_close(cli_controller *e);

// The schedule that it is of.
fb_tvlqr *cli_controller_schedule(const cli_controller *e);
#endif
