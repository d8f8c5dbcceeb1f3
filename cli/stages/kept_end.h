// cli/stages/kept_end.h: extend a run's schedule by rest at the motion's end, if the file does not
// set hold and an equilibrium exists: this controller is exported, and therefore verified.
//
//   dm_status s = cli_kept_end_open(&end, call);
//   cli_kept_end_begin(&end, call); // the run's law uses the longer schedule
//   cli_kept_end_end(&end, call);
//   cli_kept_end_close(&end);
//
// Source: docs/theory.md section 20; control/feedback/rest.h.
#ifndef CLI_STAGES_KEPT_END_H
#define CLI_STAGES_KEPT_END_H
#include "cli/stages/call.h"

typedef struct cli_kept_end {
  const cli_call *call;
  pb_controller control; // along the longer schedule, without gains: the run's is used; its law and
                         // estimator are swapped with the run's between begin and end
  char restless[512];    // why the end is not held, if hold is not set; else empty
} cli_kept_end;

// Make the longer schedule, with the run's gains along the motion, and its estimator. If this is
// impossible, e contains none and e->restless states why. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_kept_end_open(cli_kept_end *e, const cli_call *call);
void cli_kept_end_close(cli_kept_end *e);

// Replace the run's controller and estimator by those of the longer schedule, for the duration of
// the motion; and restore them. Returns DM_OK, also if there is no longer schedule; otherwise a
// failure, with a sentence in call->msg and nothing changed.
dm_status cli_kept_end_begin(cli_kept_end *e, cli_call *call);
void cli_kept_end_end(cli_kept_end *e, cli_call *call);
#endif
