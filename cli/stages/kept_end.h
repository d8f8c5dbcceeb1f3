// cli/stages/kept_end.h: extend a job's schedule by rest at the motion's end, if the file does not
// set hold and an equilibrium exists: this controller is exported, and therefore verified.
//
//   dm_status s = cli_kept_end_open(&end, job);
//   cli_kept_end_begin(&end, job); // job->law uses the longer schedule, for the duration of the
//   motion
//   cli_kept_end_end(&end, job);
//   cli_kept_end_close(&end);
//
// Source: docs/theory.md section 20; control/feedback/rest.h.
#ifndef CLI_STAGES_KEPT_END_H
#define CLI_STAGES_KEPT_END_H
#include "cli/stages/job.h"

typedef struct cli_kept_end {
  const cli_job *job;
  fb_tvlqr *f, *sampled;   // longer schedules, at the knots and at the controller's rate; NULL: the
                           // job's schedule is used
  fb_estimator *estimator; // along the longer schedule
  fb_sensor sensor;        // reads through the estimator
  fb_output_feedback *law; // in terms of measurements; swapped with the job's between begin and end
  char restless[512];      // why the end is not held, if hold is not set; else empty
} cli_kept_end;

// Make the longer schedule, with the job's gains along the motion, and its estimator. If this is
// impossible, e contains none and e->restless states why. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_kept_end_open(cli_kept_end *e, const cli_job *job);
void cli_kept_end_close(cli_kept_end *e);

// Replace the job's controller and estimator by those of the longer schedule, for the duration of
// the motion; and restore them. Returns DM_OK, also if there is no longer schedule; otherwise a
// failure, with a sentence in job->msg and nothing changed.
dm_status cli_kept_end_begin(cli_kept_end *e, cli_job *job);
void cli_kept_end_end(cli_kept_end *e, cli_job *job);
#endif
