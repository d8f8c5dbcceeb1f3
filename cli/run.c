#include "cli/commands.h"
#include "cli/job.h"
#include "cli/say.h"

int cmd_run(const cli_args *args) {
  cli_job job;
  int status = cli_job_open(&job, args, true);
  if (status == CLI_DONE) status = cli_motion(&job);
  if (status == CLI_DONE && !job.p->has_feedback) {
    cli_note(args, "%s asks for no feedback: no gains, nothing to verify", job.p->path);
    return cli_job_close(&job, status);
  }
  if (status == CLI_DONE) status = cli_stage(&job, "gains", cli_gains(&job, false));
  if (status == CLI_DONE) status = cli_stage(&job, "verify", cli_verify(&job));
  if (status == CLI_DONE) status = cli_stage(&job, "export", cli_export(&job));
  return cli_job_close(&job, status);
}
