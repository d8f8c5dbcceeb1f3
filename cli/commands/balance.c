#include "cli/console/log.h"
#include "cli/results/trajectory.h"
#include "cli/stages/job.h"
#include "lib/discrete/equilibrium.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// what holds the place
static void report(cli_job *job) {
  const dm_trajectory *x = job->x;
  cli_json *o = cli_json_object(job->result, "equilibrium"), *u = cli_json_object(o, "u");
  char text[400] = "";
  size_t used = 0;
  cli_json *q = cli_json_object(o, "q");
  for (int i = 0; i < x->n; i++) cli_json_number(q, job->names.coord[i], x->q[i]);
  for (int j = 0; j < x->nu; j++) cli_json_number(u, job->names.input[j], x->u[j]);
  for (int j = 0; j < job->task->system.nu && used < sizeof text - 100; j++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.48s %.4g", used ? ", " : "",
                             job->names.input[j], x->u[j]);
  cli_tell(job, "rest", "for %g s; held by %s", x->N * x->h, used ? text : "nothing but its place");
}

int cli_balance(cli_job *job) {
  const dm_trajectory *rest = job->p->rest;
  dm_status s = dm_trajectory_of(&job->x, rest->N, &job->task->system);
  if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  dm_trajectory_copy(job->x, rest);
  FILE *f = cli_job_file(job, "trajectory.csv");
  if (!f) return CLI_INPUT;
  cli_trajectory_write(f, &job->names, job->x);
  cli_json_text(job->result, "status", "done");
  cli_json_int(job->result, "steps", rest->N);
  report(job);
  return cli_certify(job, true);
}

static const double MOST_STEPS = 1e6, NEAR = 0.1; // of rest; rad or m from the end of the motion

// q, u and lambda of rest at the end of the motion, or else near it
static dm_status find(cli_job *job, bool *held, double *q, double *u, double *lambda) {
  const dm_system *s = &job->task->system;
  const dm_trajectory *x = job->x;
  for (int i = 0; i < x->n; i++) q[i] = x->q[x->N * x->n + i], held[i] = true;
  dm_status status =
      dm_equilibrium_find(s, held, NULL, x->h, q, u, lambda, job->names.coord, &job->msg);
  if (status == DM_INFEASIBLE)
    status = dm_equilibrium_find(s, NULL, NULL, x->h, q, u, lambda, job->names.coord, &job->msg);
  for (int j = 0; status == DM_OK && j < x->nu; j++)
    if (u[j] < job->task->u_min[j] || u[j] > job->task->u_max[j])
      return dm_fail(&job->msg, DM_INFEASIBLE,
                     "rest there takes %.4g of '%.64s', expected at most its limits [%g, %g]", u[j],
                     job->names.input[j], job->task->u_min[j], job->task->u_max[j]);
  return status;
}

// the motion, and then that rest
static dm_status go_on(cli_job *job, const double *q, const double *u, const double *lambda) {
  dm_trajectory *rest = NULL, *both = NULL;
  const dm_system *s = &job->task->system;
  int steps = (int)ceil(job->p->feedback.hold / job->x->h - 1e-9);
  dm_status status = dm_trajectory_of(&rest, steps, s);
  if (status == DM_OK) rest->h = job->x->h, status = dm_trajectory_rest(rest, s, q, u, lambda);
  if (status == DM_OK) status = dm_trajectory_join(&both, job->x, rest);
  dm_trajectory_free(rest);
  if (status != DM_OK) return dm_fail(&job->msg, status, "%s", dm_status_text(status));
  dm_trajectory_free(job->x);
  job->x = both, job->held = steps;
  return DM_OK;
}

dm_status cli_hold(cli_job *job) {
  const dm_trajectory *x = job->x;
  size_t worst = 0, n = (size_t)x->n, nu = (size_t)x->nu, nc = (size_t)x->nc;
  if (!(job->p->feedback.hold > 0) || job->held) return DM_OK;
  if (job->p->feedback.hold / x->h > MOST_STEPS)
    return dm_fail(&job->msg, DM_BAD_INPUT,
                   "its end cannot be held: that takes %.3g steps of %g s, expected at most %g",
                   job->p->feedback.hold / x->h, x->h, MOST_STEPS);
  double off = 0, *q = calloc(n + nu + nc, sizeof *q), *end = x->q + (size_t)x->N * n;
  bool *held = calloc(n, sizeof *held);
  dm_status s = q && held ? find(job, held, q, q + n, q + n + nu)
                          : dm_fail(&job->msg, DM_NO_MEMORY, "out of memory");
  for (size_t i = 0; s == DM_OK && i < n; i++) {
    if (fabs(q[i] - end[i]) > fabs(q[worst] - end[worst])) worst = i;
    off = fabs(q[worst] - end[worst]);
  }
  if (off > NEAR)
    s = dm_fail(&job->msg, DM_INFEASIBLE,
                "the nearest place of rest has '%.64s' off by %.2g, expected %g at most",
                job->names.coord[worst], off, NEAR);
  if (s == DM_INFEASIBLE) {
    dm_message why = job->msg;
    dm_fail(&job->msg, s, "its end cannot be held: %.400s", why.text);
  }
  if (s == DM_OK) s = go_on(job, q, q + n, q + n + nu);
  job->held_off = off;
  free(q), free(held);
  return s;
}
