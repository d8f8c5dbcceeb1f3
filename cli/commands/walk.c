#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"

// Stages, with a flag for the requested one: results of the others are taken from the result folder
// if it has them.

static int walk_motion(cli_call *call, bool asked) {
  (void)asked;
  return cli_motion(call);
}

static int walk_gains(cli_call *call, bool asked) {
  return cli_gains(call, call->place.stored && !asked);
}

// a folder's verdict is kept; --force ignores a negative one
static int walk_verify(cli_call *call, bool asked) {
  if (call->place.stored && !asked) return CLI_DONE;
  int status = cli_verify(call, NULL, NULL);
  bool forced = status == CLI_OUTCOME && !asked && call->args->force && !cli_interrupted();
  return forced ? CLI_DONE : status;
}

static int walk_export(cli_call *call, bool asked) {
  (void)asked;
  return cli_export(call);
}

// in the order of cli_goal
static const struct {
  const char *name; // of the stage in cli/results/registry.h
  int (*walk)(cli_call *call, bool asked);
} stages[] = {{"motion", walk_motion},
              {"gains", walk_gains},
              {"verify", walk_verify},
              {"export", walk_export}};

int cli_walk_stage(cli_call *call, cli_goal stage, cli_goal goal) {
  int status = cli_call_save(call);
  if (status != CLI_DONE) return status;
  return cli_stage(call, stages[stage].name, stages[stage].walk(call, stage == goal));
}

int cli_walk_on(cli_call *call, cli_goal goal) {
  // each stage uses the results of earlier ones
  int status = CLI_DONE;
  for (int i = CLI_TO_MOTION + 1; i <= (int)goal && status == CLI_DONE; i++)
    status = cli_walk_stage(call, (cli_goal)i, goal);
  return status;
}

int cli_walk(cli_call *call, cli_goal goal) {
  const int status = stages[CLI_TO_MOTION].walk(call, goal == CLI_TO_MOTION);
  return status == CLI_DONE ? cli_walk_on(call, goal) : status;
}

int cli_fail_shown(const cli_call *call, int status, const char *file, const char *why) {
  cli_error("%s/%s was not made: %s", call->place.written, file, why);
  return status;
}

int cli_shown_again(cli_call *call) {
  const int page = cli_report_again(call), files = cli_convert_again(call);
  return page == CLI_DONE ? files : page;
}

int cli_walk_command(const cli_args *args) {
  cli_call call;
  int status = cli_call_open(&call, args, true);
  call.written = cli_shown_again;
  if (status == CLI_DONE) status = cli_walk(&call, args->command->goal);
  return cli_call_close(&call, status);
}
