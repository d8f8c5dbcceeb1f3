#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/stages/job.h"

// a file without task, equilibrium and feedback only simulates, whatever its output interval and
// method
static bool only_simulates(const pb_problem *p) {
  return p->has_simulate && !p->has_task && !p->rest && !p->has_feedback;
}

int cli_run(cli_job *job, cli_goal goal) {
  if (job->p->phases.n) return cli_phases(job, goal);
  if (only_simulates(job->p)) return cli_simulate_streamed(job);
  if (job->p->has_feedback) return cli_walk(job, goal);

  int status = cli_motion(job);
  if (status == CLI_DONE)
    cli_note(job->args, "%s has no section 'feedback': no gains, no verification", job->p->path);
  return status;
}

static int run_all(const cli_args *args) {
  cli_job job;
  int status = cli_job_open(&job, args, true);
  job.written = cli_report_written;
  if (status == CLI_DONE) status = cli_run(&job, CLI_TO_EXPORT);
  return cli_job_close(&job, status);
}

const cli_command cli_command_run = {
    .name = "run",
    .what = "all stages: optimize (without a horizon: simulate), gains, verify, export",
    .usage = "PROBLEM [-o DIR] [--from DIR] [--inputs WORD] [--starts K] [--threads K] [--verbose]",
    .solves = true,
    .run = run_all,
    .shares = true,
    .phases = true,
};
