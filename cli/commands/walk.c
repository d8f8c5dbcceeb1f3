#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"

// Stages, with a flag for the requested one: results of the others are taken from the result folder
// if it has them.

static int walk_motion(cli_job *job, bool asked) {
  (void)asked;
  return cli_motion(job);
}

static int walk_gains(cli_job *job, bool asked) {
  return cli_gains(job, job->stored && !asked);
}

// a folder's verdict is kept; --force ignores a negative one
static int walk_verify(cli_job *job, bool asked) {
  if (job->stored && !asked) return CLI_DONE;
  int status = cli_verify(job);
  bool forced = status == CLI_OUTCOME && !asked && job->args->force && !cli_interrupted();
  return forced ? CLI_DONE : status;
}

static int walk_export(cli_job *job, bool asked) {
  (void)asked;
  return cli_export(job);
}

// in the order of cli_goal
static const struct {
  const char *name; // of the stage in cli/results/registry.h
  int (*walk)(cli_job *job, bool asked);
} stages[] = {{"motion", walk_motion},
              {"gains", walk_gains},
              {"verify", walk_verify},
              {"export", walk_export}};

int cli_walk_stage(cli_job *job, cli_goal stage, cli_goal goal) {
  int status = cli_job_save(job);
  if (status != CLI_DONE) return status;
  return cli_stage(job, stages[stage].name, stages[stage].walk(job, stage == goal));
}

int cli_walk_on(cli_job *job, cli_goal goal) {
  // each stage uses the results of earlier ones
  int status = CLI_DONE;
  for (int i = CLI_TO_MOTION + 1; i <= (int)goal && status == CLI_DONE; i++)
    status = cli_walk_stage(job, (cli_goal)i, goal);
  return status;
}

int cli_walk(cli_job *job, cli_goal goal) {
  const int status = stages[CLI_TO_MOTION].walk(job, goal == CLI_TO_MOTION);
  return status == CLI_DONE ? cli_walk_on(job, goal) : status;
}

int cli_fail_shown(const cli_job *job, int status, const char *file, const char *why) {
  cli_error("%s/%s was not made: %s", job->written_dir, file, why);
  return status;
}

int cli_shown_again(cli_job *job) {
  const int page = cli_report_again(job), files = cli_convert_again(job);
  return page == CLI_DONE ? files : page;
}

int cli_walk_command(const cli_args *args) {
  cli_job job;
  int status = cli_job_open(&job, args, true);
  job.written = cli_shown_again;
  if (status == CLI_DONE) status = cli_walk(&job, args->command->goal);
  return cli_job_close(&job, status);
}
