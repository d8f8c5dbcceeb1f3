#include "cli/stages/bench.h"

#include "cli/stages/follow.h"
#include "control/loop/binomial.h"

#include <math.h>
#include <stdlib.h>

void cli_bench_limit(cli_bench *g, const cli_job *job, double times) {
  const fb_tvlqr *f = &job->law->f;
  for (int i = 0; i < f->nu; i++) {
    double most = 0; // of a force; what a kinematic coordinate is told is a place, not a size
    for (int k = 0; i < job->task->system.nu && k < f->N; k++)
      most = fmax(most, fabs(f->u[(size_t)k * (size_t)f->nu + (size_t)i]));
    double limit = most > 0 && isfinite(times) ? times * most : INFINITY;
    g->u_min[i] = fmax(job->task->u_min ? job->task->u_min[i] : -INFINITY, -limit);
    g->u_max[i] = fmin(job->task->u_max ? job->task->u_max[i] : INFINITY, limit);
  }
}

void cli_bench_close(cli_bench *g, cli_job *job) {
  job->law->f.observer = g->inner;
  fb_mismatch_free(g->noise);
  pb_machine_free(&g->machine);
  free(g->u_min);
  free(g->u_max);
}

static dm_status open_noise(cli_bench *g, cli_job *job, const fb_perturbed_models *machines) {
  DM_TRY(fb_mismatch_new(&g->noise, &job->law->f, &job->task->system, machines,
                         &job->p->verify.robust.set, g->inner));
  g->plant = fb_mismatch_plant(g->noise);
  g->observer = fb_mismatch_observer(g->noise);
  job->law->f.observer = &g->observer;
  return DM_OK;
}

dm_status cli_bench_open(cli_bench *g, cli_job *job, pb_plant kind, bool always) {
  const pb_problem *p = job->p;
  const dm_system *system;
  size_t nu = (size_t)job->law->f.nu;
  *g = (cli_bench){.inner = job->law->f.observer};
  fb_perturbed_models machines =
      pb_machines_of(&g->machine, &p->robot, &p->task.system.rule, p->step, kind);
  dm_status s = machines.make(machines.self, NULL, &g->bare, &system);
  g->u_min = calloc(nu, sizeof *g->u_min), g->u_max = calloc(nu, sizeof *g->u_max);
  if (s == DM_OK && !(g->u_min && g->u_max)) s = DM_NO_MEMORY;
  if (s == DM_OK) g->plant = *g->bare;
  if (s == DM_OK && (always || p->verify.robust.disturbed)) s = open_noise(g, job, &machines);
  if (s != DM_OK) {
    cli_bench_close(g, job);
    return s;
  }
  cli_bench_limit(g, job, p->verify.robust.limit);
  g->set = (fb_monte_carlo_settings){.samples = p->verify.samples,
                                     .seed = p->verify.seed,
                                     .spread_q = p->verify.spread_q,
                                     .spread_v = p->verify.spread_v,
                                     .tolerance = p->verify.tolerance,
                                     .scale = p->verify.scale,
                                     .u_min = g->u_min,
                                     .u_max = g->u_max,
                                     .limit = &g->limits};
  g->limits = cli_limits_of(job);
  return DM_OK;
}

const char *cli_put_rate(cli_json *o, int held, int samples, char text[32]) {
  double low, high;
  fb_binomial_interval(held, samples, 0.95, &low, &high);
  cli_json_int(o, "held", held);
  cli_json_number(o, "rate", (double)held / samples);
  cli_json_number(o, "rate_low", low);
  cli_json_number(o, "rate_high", high);
  snprintf(text, 32, "(%.1f to %.1f %%)", 100 * low, 100 * high);
  return text;
}
