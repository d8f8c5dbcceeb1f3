#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/stages/job.h"

// a file without a task, a place to keep or a law only simulates, however it keeps its knots and
// whatever steps it takes
static bool only_simulates(const pb_problem *p) {
  return p->has_simulate && !p->has_task && !p->rest && !p->has_feedback;
}

int cli_run(cli_job *job) {
  if (only_simulates(job->p)) return cli_simulate_streamed(job);

  // the motion, then each stage on what the one before has kept
  int status = cli_motion(job);
  if (status == CLI_DONE && !job->p->has_feedback) {
    cli_note(job->args, "%s has no section 'feedback': no gains, no verification", job->p->path);
    return status;
  }
  if (status == CLI_DONE) status = cli_job_save(job);
  if (status == CLI_DONE) status = cli_stage(job, "gains", cli_gains(job, false));
  if (status == CLI_DONE) status = cli_job_save(job);
  if (status == CLI_DONE) status = cli_stage(job, "verify", cli_verify(job));
  return status;
}

static int run_all(const cli_args *args) {
  cli_job job;
  int status = cli_job_open(&job, args, true);
  if (status == CLI_DONE) status = cli_run(&job);
  bool exports = status == CLI_DONE && job.p->has_feedback;
  if (exports) status = cli_job_save(&job);
  if (exports && status == CLI_DONE) status = cli_stage(&job, "export", cli_export(&job));
  return cli_job_close(&job, status);
}

const cli_command cli_command_run = {
    .name = "run",
    .what = "all stages: optimize (without a horizon: simulate), gains, verify, export",
    .usage = "PROBLEM [-o DIR] [--from DIR]",
    .run = run_all,
    .shares = true,
};
