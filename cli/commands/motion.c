#include "cli/commands/stages.h"
#include "cli/console/log.h"

// check that a stored motion is a motion of the current problem
static int certify_stored(cli_call *call) {
  // take a step from each knot with the problem's map and compare it with the next knot
  double gap = 0;
  int worst = 0;
  const dm_status s = pb_run_gap(&call->run, &gap, &worst);
  if (s < 0) return cli_fail_status(call->args, s, NULL);

  // a folder with only some knots has no consecutive steps
  const char *was = cli_json_get_text(call->result, "status");
  int every = cli_json_get_int(call->result, "every", 1);
  if (every > 1)
    return cli_fail(call->args, CLI_INPUT,
                    "%s stores only every %dth knot of its motion; simulate it with 'every: 1'",
                    call->args->operand, every);

  // 1e-6 is far above solver tolerances (1e-8) and below the effect of a changed problem; of second
  // order, no motion of the map may follow the solution
  if (!cli_is_solution(was))
    cli_note(call->args,
             "the motion in %s is not a solution: its status is %s; run dmoc optimize again",
             call->args->operand, was ? was : "not known");
  else if (!(gap < 1e-6) && call->run.p->transcription.second &&
           !json_object_object_get(call->result, "agreement"))
    return cli_fail(call->args, CLI_INPUT,
                    "no motion of the system's own steps follows the solution in %s: knot %d "
                    "stepped once misses the next by %.2g; take shorter steps",
                    call->args->operand, worst, gap);
  else if (!(gap < 1e-6))
    return cli_fail(call->args, CLI_INPUT,
                    "the motion in %s does not solve %s as it is now: knot %d stepped once misses "
                    "the next by %.2g; run dmoc optimize again",
                    call->args->operand, call->run.p->file.path, worst, gap);
  return CLI_DONE;
}

int cli_motion(cli_call *call) {
  const pb_problem *p = call->run.p;
  // not supported: contacts, constraints between knots, steps other than the map's
  if (p->robot.mechanism.contacts && !p->has.task)
    return cli_fail(
        call->args, CLI_INPUT,
        "%s has contacts: its motion can be simulated, but not linearized or stabilized",
        p->file.path);
  if (p->simulate.points.two && !p->has.task)
    return cli_fail(call->args, CLI_INPUT,
                    "%s imposes constraints between knots: its motion can be simulated, but not "
                    "linearized or stabilized",
                    p->file.path);
  if (!p->has.task && (p->simulate.order > 2 || p->simulate.comparator))
    return cli_fail(call->args, CLI_INPUT,
                    "%s takes other steps than the map that is linearized and stabilized: simulate "
                    "it, or set 'order: 2' and remove 'method'",
                    p->file.path);

  // make the motion: at rest, optimized, or simulated
  if (!call->place.stored && p->rest) return cli_balance(call);
  if (!call->place.stored) return p->has.task ? cli_optimize(call) : cli_simulate(call);

  // or read it and check it against the current problem
  int status = cli_read_motion(call);
  if (status == CLI_DONE) status = certify_stored(call);
  return status;
}
