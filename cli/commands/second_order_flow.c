// simulate, of second order: the flow of the discrete Lagrangian from the knots X_0 and X_1, of
// which the second is reached by Taylor's expansion of the start.
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/trajectory.h"
#include "cli/stages/job.h"
#include "optim/second/torque_transcription.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct flow {
  cli_job *job;
  oc_torque_transcription *action;
  dm_second_order *L;
  dm_trajectory *step; // one: q, p, v of its knots, u
  FILE *f;
  int n, k; // the present step
  double h, *X, *P, *P0,
      *most;     // [3][2n] knots k, k+1, the next; [2n] momenta, [n] at the start, largest
  bool *cyclic;  // [n] does the cost not depend on this coordinate?
  double *drift; // [n] of its momentum
} flow;

static void flow_free(flow *w) {
  oc_torque_transcription_free(w->action);
  dm_trajectory_free(w->step);
  free(w->X);
  free(w->cyclic);
}

static dm_status prepare(flow *w) {
  const pb_problem *p = w->job->p;
  oc_task one = {.system = w->job->task->system,
                 .coord_name = w->job->task->coord_name,
                 .input_name = w->job->task->input_name,
                 .N = 1,
                 .T = w->h,
                 .q_min = p->task.q_min,
                 .q_max = p->task.q_max,
                 .w_u = p->has_task ? p->task.w_u : p->transcription.w_u,
                 .w_q = p->task.w_q,
                 .w_v = p->task.w_v};
  size_t n = (size_t)w->n;
  DM_TRY(oc_torque_transcription_new(&w->action, &one, &p->transcription.action, &w->job->msg));
  DM_TRY(dm_trajectory_of(&w->step, 1, &one.system));
  w->L = oc_torque_transcription_second(w->action);
  w->X = calloc(11 * n, sizeof *w->X);
  w->cyclic = calloc(n, sizeof *w->cyclic);
  if (!w->X || !w->cyclic) return DM_NO_MEMORY;
  w->P = w->X + 6 * n, w->P0 = w->P + 2 * n, w->most = w->P0 + n, w->drift = w->most + n;
  memset(w->cyclic, true, n);
  for (int i = 0; i < w->n; i++) {
    double *x = w->X + i, h = w->h;
    double q = p->simulate.q[i], v = p->simulate.v[i], a = p->simulate.a[i],
           j = p->simulate.jerk[i];
    x[0] = q, x[w->n] = v;
    x[2 * w->n] = q + h * (v + h * (a / 2 + h * j / 6));
    x[3 * w->n] = v + h * (a + h * j / 2);
  }
  return DM_OK;
}

// P at the end of the step from X[0] to X[1]: what is kept of it
static dm_status measure(flow *w) {
  dm_second_order *L = w->L;
  const double *X = w->X;
  for (int s = 0; s < L->rule.nodes; s++) {
    double value;
    dm_second_order_node_at(L, s, X, X + 2 * w->n, w->h, L->x);
    DM_TRY(L->C.eval(&L->C, 1, L->x, &value, L->C_x, NULL));
    double most = 0;
    for (int i = 0; i < 3 * w->n; i++) most = fmax(most, fabs(L->C_x[i]));
    for (int i = 0; i < w->n; i++) w->cyclic[i] &= fabs(L->C_x[i]) <= 1e-12 * most;
  }
  for (int i = 0; i < w->n; i++) {
    if (w->k == 0) w->P0[i] = w->P[i];
    w->most[i] = fmax(w->most[i], fabs(w->P[i]));
    w->drift[i] = fmax(w->drift[i], fabs(w->P[i] - w->P0[i]));
  }
  return DM_OK;
}

// the row of the present step's first knot, or of its last
static dm_status keep(flow *w, int end) {
  int k = w->k + end;
  if (k % w->job->p->simulate.every) return DM_OK;
  DM_TRY(oc_torque_transcription_trajectory(w->action, w->X, w->step));
  fprintf(w->f, "%d", k);
  cli_trajectory_row(w->f, w->step, end, k * w->h, end ? NULL : w->step->u, NULL);
  fputc('\n', w->f);
  return ferror(w->f) ? DM_IO : DM_OK;
}

// all steps; w->k the last one taken
static dm_status steps(flow *w, dm_second_order_info *info) {
  size_t size = 2 * (size_t)w->n;
  double *X0 = w->X, *X1 = X0 + size, *next = X1 + size;
  dm_status s = DM_OK;
  cli_job_worth(w->job);
  DM_TRY(dm_second_order_check(w->L, X0, X1, w->h, &w->job->msg));
  DM_TRY(dm_second_order_eval(w->L, 1, X0, X1, w->h));
  memcpy(w->P, w->L->D1, size * sizeof *w->P);
  for (w->k = 0;; w->k++) {
    DM_TRY(measure(w));
    DM_TRY(keep(w, 0));
    if (w->k + 1 == w->job->p->simulate.steps) break;
    if (cli_interrupted()) s = DM_INTERRUPTED;
    for (size_t i = 0; i < size; i++) next[i] = 2 * X1[i] - X0[i]; // on as it went
    if (s == DM_OK) s = dm_second_order_step(w->L, X1, w->P, w->h, next, w->P, info);
    if (s != DM_OK) break;
    memmove(X0, X1, 2 * size * sizeof *X0);
  }
  DM_TRY(keep(w, 1));
  return s;
}

static void report_momenta(flow *w) {
  cli_job *job = w->job;
  cli_json *o = cli_json_object(job->result, "momentum");
  char names[256] = "";
  double most = 0;
  for (int i = 0; i < w->n; i++) {
    if (!w->cyclic[i]) continue;
    double drift = w->drift[i] / fmax(w->most[i], 1e-300);
    size_t at = strlen(names);
    snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", job->names.coord[i]);
    cli_json_number(o, job->names.coord[i], drift);
    most = fmax(most, drift);
  }
  if (names[0]) cli_tell(job, "momentum", "of %s changes by at most %.1e of itself", names, most);
}

static int report(flow *w, dm_status s, const dm_second_order_info *info, double seconds) {
  cli_job *job = w->job;
  int N = job->p->simulate.steps, done = s == DM_OK ? N : w->k + 1;
  cli_json_text(job->result, "status",
                s == DM_OK            ? "done"
                : s == DM_INTERRUPTED ? "interrupted"
                                      : "failed");
  cli_json_text(job->result, "transcription", "second-order");
  cli_json_text(job->result, "rule", job->p->transcription.action.rule.name);
  cli_json_int(job->result, "steps", done);
  cli_json_int(job->result, "every", job->p->simulate.every);
  cli_json_number(cli_json_object(job->result, "time"), "total_s", seconds);
  cli_tell(job, "steps", "%d of %d, %.3g us each", done, N, 1e6 * seconds / done);
  report_momenta(w);
  if (s == DM_OK) return CLI_DONE;
  if (s == DM_INTERRUPTED)
    cli_error("interrupted at knot %d: the motion up to there is written", done);
  else
    cli_error("no step from knot %d: %s (condition number %.2g)", done, dm_status_text(s),
              info->condition);
  return CLI_OUTCOME;
}

int cli_flow(cli_job *job) {
  flow w = {.job = job, .n = job->names.n, .h = job->p->simulate.h};
  dm_second_order_info info = {0};
  int status;
  if (!(w.f = cli_job_file(job, "trajectory.csv"))) return CLI_INPUT;
  cli_trajectory_header(w.f, &job->names);
  fputc('\n', w.f);
  double begin = cli_clock();
  dm_status s = prepare(&w);
  if (s == DM_OK) s = steps(&w, &info);
  if (s < 0 && (w.k == 0 || s == DM_IO))
    status = cli_fail(job->args, cli_exit_of(s), "%s: %s", job->p->path,
                      job->msg.text[0] ? job->msg.text : dm_status_text(s));
  else
    status = report(&w, s, &info, cli_clock() - begin);
  flow_free(&w);
  return status;
}
