#include "cli/commands/stages.h"
#include "cli/console/log.h"

// check that a stored motion is a motion of the current problem
static int certify_stored(cli_job *job) {
  // take a step from each knot with the problem's map and compare it with the next knot
  dm_del *del = NULL;
  double gap = 0;
  int worst = 0;
  dm_status s = dm_del_new(&del, &job->task->system, NULL);
  if (s == DM_OK) s = dm_trajectory_certify(job->x, del, NULL, &gap, &worst);
  dm_del_free(del);
  if (s < 0) return cli_fail_status(job->args, s, NULL);

  // a folder with only some knots has no consecutive steps
  const char *was = cli_json_get_text(job->result, "status");
  int every = cli_json_get_int(job->result, "every", 1);
  if (every > 1)
    return cli_fail(job->args, CLI_INPUT,
                    "%s stores only every %dth knot of its motion; simulate it with 'every: 1'",
                    job->args->operand, every);

  // 1e-6 is far above solver tolerances (1e-8) and below the effect of a changed problem; of second
  // order, no motion of the map may follow the solution
  if (!cli_is_solution(was))
    cli_note(job->args,
             "the motion in %s is not a solution: its status is %s; run dmoc optimize again",
             job->args->operand, was ? was : "not known");
  else if (!(gap < 1e-6) && job->p->transcription.second &&
           !json_object_object_get(job->result, "agreement"))
    return cli_fail(job->args, CLI_INPUT,
                    "no motion of the system's own steps follows the solution in %s: knot %d "
                    "stepped once misses the next by %.2g; take shorter steps",
                    job->args->operand, worst, gap);
  else if (!(gap < 1e-6))
    return cli_fail(job->args, CLI_INPUT,
                    "the motion in %s does not solve %s as it is now: knot %d stepped once misses "
                    "the next by %.2g; run dmoc optimize again",
                    job->args->operand, job->p->path, worst, gap);
  return CLI_DONE;
}

int cli_motion(cli_job *job) {
  // not supported: contacts, constraints between knots, steps other than the map's
  if (job->p->robot.mechanism.contacts)
    return cli_fail(
        job->args, CLI_INPUT,
        "%s has contacts: its motion can be simulated, but not linearized or stabilized",
        job->p->path);
  if (job->p->simulate.points.two && !job->p->has_task)
    return cli_fail(job->args, CLI_INPUT,
                    "%s imposes constraints between knots: its motion can be simulated, but not "
                    "linearized or stabilized",
                    job->p->path);
  if (!job->p->has_task && (job->p->simulate.order > 2 || job->p->simulate.del.energy_momentum))
    return cli_fail(job->args, CLI_INPUT,
                    "%s takes other steps than the map that is linearized and stabilized: simulate "
                    "it, or set 'order: 2' and remove 'method'",
                    job->p->path);

  // make the motion: at rest, optimized, or simulated
  if (!job->stored && job->p->rest) return cli_balance(job);
  if (!job->stored) return job->p->has_task ? cli_optimize(job) : cli_simulate(job);

  // or read it and check it against the current problem
  int status = cli_read_motion(job);
  if (status == CLI_DONE) status = certify_stored(job);
  return status;
}
