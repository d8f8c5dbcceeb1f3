// cli/stages/controller.h: the exported controller of a run, from which controller.c is generated
// by `export` and by `verify` with plants: exported.
#ifndef CLI_STAGES_CONTROLLER_H
#define CLI_STAGES_CONTROLLER_H
#include "cli/stages/kept_end.h"
#include "control/codegen/codegen.h"

typedef struct cli_controller {
  cli_call *call;
  cli_kept_end end; // the schedule, if longer than the run's
  fb_codegen *c;
  double *off;       // [2n] deviations of q and v for which the range of inputs is reported
  const char **unit; // [3n + nu] of q, v and p by coordinate, then of inputs
} cli_controller;

// Prepare the controller in the requested forms [FB_FORMS]. Returns CLI_DONE, CLI_INPUT if C code
// cannot represent it, or CLI_FAULT; errors are reported. Close e in any case. `names` sets the
// prefix (NULL: controller) and the end of table names (NULL: nothing), and is borrowed.
typedef struct cli_controller_names {
  const char *prefix, *end;
  bool recedes; // of receding-horizon control, whose schedule has no delay of inputs
} cli_controller_names;
int cli_controller_open(cli_controller *e, cli_call *call, const bool form[FB_FORMS],
                        cli_controller_names names);
void cli_controller_close(cli_controller *e);

// The schedule of the exported controller.
fb_tvlqr *cli_controller_schedule(const cli_controller *e);
#endif
