// cli/stages/design.h: optimize robot parameters (`design:`) together with a motion
// (optim/design.h), then replace the file's values by them, so that all later stages, beginning
// with the solution of the motion itself, use the optimized robot.
#ifndef CLI_STAGES_DESIGN_H
#define CLI_STAGES_DESIGN_H
#include "cli/stages/call.h"
#include "optim/design.h"

// The result of the parameter optimization.
typedef struct cli_design {
  pb_problem *asked;     // the problem in the file; NULL: it has no parameters
  dm_trajectory *motion; // optimal motion: the guess for later stages
  oc_design_info found;
  int degree; // of the polynomials between members
} cli_design;

// Optimize the parameters, and set the run's problem to the one with their values and its guess to
// the motion. Does nothing if the file has none. Returns CLI_DONE, or another status after
// reporting why; free w with cli_design_free in any case.
int cli_design_seek(cli_design *w, cli_call *call);

// For `check`: open the program of the design, to compare its derivatives with finite differences;
// *out is NULL for a file without parameters. Returns the exit status; the task is valid until
// cli_design_close.
typedef struct cli_design_members cli_design_members;
int cli_design_open(cli_design_members **out, cli_call *call, const oc_task **task);
void cli_design_close(cli_design_members *w); // NULL is accepted

// Write `design` to result.json, and the summary.
void cli_design_report(const cli_design *w, cli_call *call);
void cli_design_free(cli_design *w);
#endif
