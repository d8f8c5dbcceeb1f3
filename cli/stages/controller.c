#include "cli/stages/controller.h"

#include "cli/console/log.h"
#include "control/codegen/tables.h"
#include "problems/readers/task/units.h"

#include <math.h>
#include <stdlib.h>

fb_tvlqr *cli_controller_schedule(const cli_controller *e) {
  const cli_job *job = e->job;
  if (e->end.f) return e->end.sampled ? e->end.sampled : e->end.f;
  return job->sampled ? job->sampled : job->f;
}

// -- text settings

// units of coordinates, and of inputs: the robot's for forces; a kinematic input is its next value
static void find_units(const cli_job *job, const char **unit) {
  const int n = job->names.n;
  for (int i = 0; i < n; i++) {
    unit[i] = pb_problem_unit(job->p, 'q', i);
    unit[n + i] = pb_problem_unit(job->p, 'v', i);
    unit[2 * n + i] = pb_problem_unit(job->p, 'p', i);
  }
  for (int i = 0; i < job->names.nu; i++) unit[3 * n + i] = pb_problem_unit(job->p, 'u', i);
}

static fb_codegen_settings find_settings(const cli_job *job, const char *const *unit, bool kept) {
  const pb_problem *p = job->p;
  const int n = job->names.n;
  fb_codegen_settings set = fb_codegen_default();

  // for the file header
  set.name = p->name;
  set.sha256 = p->sha256;
  set.single = job->args->single;
  set.prefix = job->args->prefix;
  set.rests = p->rest || job->rest_steps || kept;

  // limits of the controller's output
  set.u_min = job->p->feedback.u_min;
  set.u_max = job->p->feedback.u_max;

  // names and units of the arguments
  set.coord = job->names.coord;
  set.input = job->names.input;
  set.q_unit = unit;
  set.v_unit = unit + n;
  set.p_unit = unit + 2 * n;
  set.u_unit = unit + 3 * n;

  // inertia added by stiff damping to the model used for the gains
  set.added_inertia = p->fitted->added;
  set.lag = p->fitted->lag;
  if (p->feedback.exact) set.tree = p->model;
  return set;
}

// the range of deviations from the plan: the spread of verify's starts, or its default
static void find_spread(const cli_job *job, double *off) {
  const pb_problem *p = job->p;
  const int n = job->names.n;
  for (int i = 0; i < 2 * n; i++) {
    const double *spread = i < n ? p->verify.spread_q : p->verify.spread_v;
    off[i] = i < n ? 0.05 : 0.1;
    if (p->has_verify && spread) off[i] = spread[i % n];
  }
}

int cli_controller_open(cli_controller *e, cli_job *job, const bool form[FB_FORMS]) {
  *e = (cli_controller){.job = job};
  dm_status s = cli_kept_end_open(&e->end, job);
  if (s != DM_OK) return cli_fail_status(job->args, s, NULL);
  e->unit = calloc(3 * (size_t)job->names.n + (size_t)job->names.nu, sizeof *e->unit);
  e->off = calloc(2 * (size_t)job->names.n, sizeof *e->off);
  if (!e->unit || !e->off) return cli_fail(job->args, CLI_FAULT, "out of memory");
  find_units(job, e->unit);
  find_spread(job, e->off);

  // tables in the requested precision, which may be insufficient
  fb_codegen_settings set = find_settings(job, e->unit, e->end.f != NULL);
  set.off_q = e->off;
  set.off_v = e->off + job->names.n;
  s = fb_codegen_new(&e->c, cli_controller_schedule(e), &job->task->system, form,
                     e->end.f ? e->end.estimator : job->estimator, &set, &job->msg);
  if (s == DM_OK) s = fb_tables_check(e->c, &job->msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(job->args, s, &job->msg);
}

void cli_controller_close(cli_controller *e) {
  fb_codegen_free(e->c);
  cli_kept_end_close(&e->end);
  free(e->unit);
  free(e->off);
  *e = (cli_controller){0};
}
