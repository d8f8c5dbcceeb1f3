// cli/stages/kept_end.h: a job's schedule, and after it rest at the motion's end, where the file says
// nothing of that and there is a place of rest: what is exported, and so what is verified.
//
//   dm_status s = cli_kept_end_open(&end, job);
//   cli_kept_end_begin(&end, job); // job->law is of the longer schedule, as far as the motion goes
//   cli_kept_end_end(&end, job);
//   cli_kept_end_close(&end);
//
// Source: docs/theory.md section 20; control/feedback/rest.h.
#ifndef CLI_STAGES_KEPT_END_H
#define CLI_STAGES_KEPT_END_H
#include "cli/stages/job.h"

typedef struct cli_kept_end {
  const cli_job *job;
  fb_tvlqr *f, *sampled;   // the longer schedule, at knots, and at the controller's rate; NULL: the
                           // job's own is the one
  fb_estimator *estimator; // along that
  fb_sensor sensor;        // through it
  fb_output_feedback *law; // in what is measured, between begin and end the job's own
  char restless[512];      // why the end is not kept, where nothing is said of it; else empty
} cli_kept_end;

// Make the longer schedule, with the job's own gains as far as the motion goes, and the filter along it.
// Where there is none, e has none, and e->restless says why. Returns DM_OK or DM_NO_MEMORY.
dm_status cli_kept_end_open(cli_kept_end *e, const cli_job *job);
void cli_kept_end_close(cli_kept_end *e);

// Let the job's law, and its filter, be those of the longer schedule, to run as far as the motion goes;
// and those from before. Returns DM_OK, also where there is none, or what failed, with a sentence in
// job->msg and all as it was.
dm_status cli_kept_end_begin(cli_kept_end *e, cli_job *job);
void cli_kept_end_end(cli_kept_end *e, cli_job *job);
#endif
