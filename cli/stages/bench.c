#include "cli/stages/bench.h"

#include "cli/console/log.h"
#include "control/loop/binomial.h"

void cli_bench_close(cli_bench *g) {
  fb_bench_free(g->b);
  pb_machine_free(&g->machine);
  dm_contacts_free(g->stops);
}

dm_status cli_bench_open(cli_bench *g, cli_call *call, pb_plant kind, cli_bench_how how) {
  const pb_problem *p = call->run.p;

  // settings of the runs from `verify:`
  *g = (cli_bench){.limits = cli_verify_limits(p)};
  fb_bench_settings set = fb_bench_default();
  set.samples = (fb_monte_carlo_settings){.samples = p->verify.samples,
                                          .seed = p->verify.seed,
                                          .spread_q = p->verify.spread_q,
                                          .spread_v = p->verify.spread_v,
                                          .tolerance = p->verify.tolerance,
                                          .scale = p->verify.scale,
                                          .outputs = cli_output_bounds(p),
                                          .u_min = p->feedback.u_min,
                                          .u_max = p->feedback.u_max,
                                          .limit = &g->limits,
                                          .limit_use = p->verify.limits,
                                          .met = &g->machine.met,
                                          .slip_limit = p->verify.slip.limit,
                                          .refused = &g->refused};

  if (kind == PB_MUJOCO && p->robot.mechanism.rolling) set.samples.slip = &g->machine.slip;

  // where friction leaves the robot: from the middle of the rest on, or at the end
  if (dm_joint_forces_dry(p->robot.mechanism.joint[DM_JOINT_FRICTION]) || p->verify.dry ||
      p->verify.robust.set.friction)
    set.samples.settled = call->run.control.law->f.N - call->run.rest.steps / 2;

  // perturbed models: as requested, or with all mismatches of the problem
  if (how == CLI_BENCH_ALWAYS || p->verify.robust.disturbed || call->run.control.law->f.lag)
    set.mismatch = &p->verify.robust.set;
  set.limit = p->verify.robust.limit;

  // the plant, with the controller before it
  const fb_perturbed_models machines =
      pb_machines_of(&g->machine, &p->robot, &p->task.system.rule, p->fit.step, kind);
  dm_status s = cli_stops_new(&g->stops, p);
  g->machine.stops = g->stops;
  g->machine.slip.friction = p->verify.slip.friction;
  g->machine.dry = p->verify.dry;
  if (s == DM_OK)
    s = fb_bench_new(&g->b, &call->run.control.law->f, &p->task.system, &machines, &set);
  if (s != DM_OK) cli_bench_close(g);
  return s;
}

dm_status cli_stops_new(dm_contacts **out, const pb_problem *p) {
  *out = NULL;
  if (p->verify.limits != FB_LIMITS_STOP) return DM_OK;
  return pb_stops_new(out, &p->robot, p->verify.stops);
}

dm_limits cli_verify_limits(const pb_problem *p) {
  // the controller's limits of inputs, not the plan's
  return (dm_limits){p->verify.stops, p->verify.speeds, {p->feedback.u_min, p->feedback.u_max}};
}

int cli_refuse_starts(cli_call *call, const fb_start_refusal *why, const char *of) {
  const pb_verification *v = &call->run.p->verify;
  const int i = why->coord;
  return cli_fail(
      call->args, CLI_INPUT,
      "%s:%d:%d: %s: found no start of sample %d within the limits of positions in %d draws (in "
      "%d of them '%.64s' is furthest outside [%.6g, %.6g]; its plan starts at %.6g), expected a "
      "spread that meets the limits: try a smaller one, or a start further from the limit",
      call->run.p->file.path, v->spread_at[0], v->spread_at[1], of, why->sample, why->draws,
      why->times, call->run.p->names.coord[i], v->stops.low[i], v->stops.high[i],
      call->run.control.law->f.x[i]);
}

const fb_output_bounds *cli_output_bounds(const pb_problem *p) {
  return p->verify.outputs.count > 0 ? &p->verify.outputs : NULL;
}

const char *cli_put_rate(cli_json *o, int held, int samples, char text[32]) {
  double low, high;

  // Clopper and Pearson's confidence interval of the rate
  fb_binomial_interval(held, samples, 0.95, &low, &high);
  cli_json_int(o, "held", held);
  cli_json_number(o, "rate", (double)held / samples);
  cli_json_number(o, "rate_low", low);
  cli_json_number(o, "rate_high", high);
  snprintf(text, 32, "(%.1f to %.1f %%)", 100 * low, 100 * high);
  return text;
}
