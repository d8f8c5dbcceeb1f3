#include "cli/results/response.h"
#include "cli/console/log.h"
#include "cli/stages/job.h"
#include "control/loop/closed_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// one start off the plan, and what becomes of it with feedback and without
typedef struct response {
  cli_job *job;
  fb_plant *plant;
  double *x0;          // [nx]
  double *x[2], *u[2]; // [(N+1) x nx], [N x nu] open loop, closed loop; NAN after a failed step
  double *error[2];    // [N+1] norms of x - x_d
  fb_closed_loop_result result[2];
} response;

// where holding the first input leads, then the offsets in (q,v), brought onto the constraints
static dm_status begin(response *w) {
  const pb_problem *p = w->job->p;
  const fb_tvlqr *f = &w->job->law->f;
  const dm_system *s = &w->job->task->system;
  int n = s->L.nq;
  double *d = w->x[1]; // not in use yet
  bool off = false;
  memcpy(w->x0, f->x, (size_t)f->nx * sizeof *f->x);
  for (int k = 0; k < p->verify.start_hold; k++)
    DM_TRY(w->plant->step(w->plant->self, w->x0, f->u, f->h));
  for (int i = 0; i < n; i++) off = off || p->verify.start_q[i] != 0 || p->verify.start_v[i] != 0;
  if (!off) return DM_OK;
  memcpy(d, p->verify.start_q, (size_t)n * sizeof *d);
  memcpy(d + n, p->verify.start_v, (size_t)n * sizeof *d);
  return fb_closed_loop_offset(s, w->x0, d, w->x0);
}

// one run; what it did not reach is NAN
static void run(response *w, bool closed) {
  const fb_tvlqr *f = &w->job->law->f;
  const oc_task *task = w->job->task;
  fb_tvlqr law = *f;
  size_t nx = (size_t)f->nx, nu = (size_t)f->nu;
  double *x = w->x[closed], *u = w->u[closed];
  if (!closed) law.K = NULL, law.by = NULL;
  if (law.observer) law.observer->begin(law.observer->self, w->job->p->verify.samples);
  fb_closed_loop_run(&law, w->plant, w->x0, task->u_min, task->u_max, NULL, x, u,
                     &w->result[closed]);
  size_t reached = (size_t)w->result[closed].steps, knots = (size_t)f->N + 1;
  for (size_t i = (reached + 1) * nx; i < knots * nx; i++) x[i] = NAN;
  for (size_t i = reached * nu; i < (knots - 1) * nu; i++) u[i] = NAN;
  for (size_t k = 0; k < knots; k++) {
    double sum = 0;
    for (size_t i = k * nx; i < (k + 1) * nx; i++) sum += (x[i] - f->x[i]) * (x[i] - f->x[i]);
    w->error[closed][k] = sqrt(sum);
  }
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = isnan(x[i]) ? INFINITY : fmax(most, x[i]);
  return most;
}

static void report(const response *w, const char *plant) {
  static const char *const name[] = {"open", "closed"};
  int N = w->job->law->f.N;
  cli_json *v = NULL;
  json_object_object_get_ex(w->job->result, "verify", &v);
  cli_json *o = cli_json_object(v, "start");
  cli_json_text(o, "plant", plant);
  cli_json_number(o, "error", w->error[0][0]);
  for (int c = 0; c < 2; c++) {
    cli_json *run = cli_json_object(o, name[c]);
    cli_json_int(run, "steps", w->result[c].steps);
    cli_json_number(run, "final_error", w->error[c][N]);
    cli_json_number(run, "worst_error", largest(w->error[c], N + 1));
  }
  cli_json_int(o, "saturated", w->result[1].saturated);
  cli_tell(w->job, "start", "off by %.4g in (q, p); at the end by %.3g with feedback, %.3g without",
           w->error[0][0], w->error[1][N], w->error[0][N]);
}

static int respond(response *w, const char *plant) {
  cli_job *job = w->job;
  dm_status s = begin(w);
  if (s != DM_OK)
    return cli_fail(job->args, cli_exit_of(s), "verify.start: no such start: %s",
                    dm_status_text(s));
  run(w, false), run(w, true);
  FILE *f = cli_job_file(job, "response.csv");
  if (!f) return CLI_INPUT;
  cli_response_write(f, &job->names, &job->law->f, w->x[0], w->x[1], w->u[1], w->error[0],
                     w->error[1]);
  report(w, plant);
  return CLI_DONE;
}

int cli_response(cli_job *job, fb_plant *plant, const char *name) {
  const fb_tvlqr *f = &job->law->f;
  size_t N = (size_t)f->N, nx = (size_t)f->nx, nu = (size_t)f->nu;
  size_t one = (N + 1) * (nx + 1) + N * nu;
  double *all = calloc(2 * one + nx, sizeof *all);
  if (!all) return cli_fail(job->args, CLI_FAULT, "out of memory");
  response w = {.job = job, .plant = plant, .x0 = all + 2 * one};
  for (int c = 0; c < 2; c++) {
    w.x[c] = all + (size_t)c * one;
    w.error[c] = w.x[c] + (N + 1) * nx;
    w.u[c] = w.error[c] + N + 1;
  }
  int status = respond(&w, name);
  free(all);
  return status;
}
