#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/stages/call.h"

// a file without task, equilibrium and feedback only simulates, whatever its output interval and
// method
static bool only_simulates(const pb_problem *p) {
  return p->has.simulate && !p->has.task && !p->rest && !p->has.feedback;
}

int cli_run(cli_call *call, cli_goal goal) {
  if (call->run.p->phases.n) return cli_phases(call, goal);
  if (only_simulates(call->run.p)) return cli_simulate_streamed(call);
  if (call->run.p->has.feedback) return cli_walk(call, goal);

  int status = cli_motion(call);
  if (status == CLI_DONE)
    cli_note(call->args, "%s has no section 'feedback': no gains, no verification",
             call->run.p->file.path);
  return status;
}

static int run_all(const cli_args *args) {
  cli_call call;
  int status = cli_call_open(&call, args, true);
  call.written = cli_report_written;
  if (status == CLI_DONE) status = cli_run(&call, CLI_TO_EXPORT);
  return cli_call_close(&call, status);
}

const cli_command cli_command_run = {
    .name = "run",
    .what = "all stages: optimize (without a horizon: simulate), gains, verify, export",
    .usage = "PROBLEM [-o DIR] [--from DIR] [--inputs WORD] [--starts K] [--threads K] [--verbose]",
    .solves = OC_BY_PROGRAMS,
    .run = run_all,
    .shares = true,
    .phases = true,
};
