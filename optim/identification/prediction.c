#include "lib/base/dense.h"
#include "optim/identification/fit_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One step of the map alone: q2 from q0, q1 by Newton's method, from the straight line, on
//
//   D2(q0,q1) + D1(q1,q2) - Dh(q1)'lambda = 0,  h(q2) = 0
//
// D2 [n], J [nc x n], A [size x size], b [size], x [n], piv [size] scratch, size = n + nc.
typedef struct free_step {
  int size;
  double *D2, *J, *A, *b, *x;
  int *piv;
  oc_knot_tangent *tangent; // at q1
} free_step;

// |r/sigma_f| of r = D2 + D1, without the impulses of constraints at q1
static double size_of(const oc_fit *w, const free_step *o, const double *D1) {
  double sum = 0;
  for (int i = 0; i < w->n; i++) o->x[i] = (o->D2[i] + D1[i]) / w->sigma_f[i];
  if (o->tangent) oc_knot_tangent_release(o->tangent, o->x);
  for (int i = 0; i < w->n; i++) sum += o->x[i] * o->x[i];
  return sqrt(sum);
}

// the equations of a Newton step into A and b
static dm_status put_equations(const oc_fit *w, const free_step *o, const oc_step_forms *f,
                               const double *q2) {
  const int n = w->n, size = o->size;
  memset(o->A, 0, (size_t)(size * size) * sizeof *o->A);
  for (int i = 0; i < n; i++) {
    memcpy(dm_row(o->A, i, size), dm_row(f->D12, i, n), (size_t)n * sizeof *o->A);
    o->b[i] = o->D2[i] + f->D1[i];
  }
  if (size == n) return DM_OK;
  oc_knot_tangent *t = o->tangent;
  DM_TRY(t->hol.eval(t->hol.self, t->scratch, q2, o->b + n, t->H));
  for (int k = 0; k < size - n; k++) {
    memcpy(dm_row(o->A, n + k, size), dm_row(t->H, k, n), (size_t)n * sizeof *o->A);
    for (int i = 0; i < n; i++) o->A[i * size + n + k] = -o->J[k * n + i];
  }
  return DM_OK;
}

static dm_status take_step(oc_fit *w, const free_step *o, const double *q0, const double *q1,
                           const double *u0, const double *u1, double *q2) {
  enum { MOST = 50 };
  const int n = w->n;
  oc_step_forms f;
  DM_TRY(oc_motion_residual_step(w->residual[0], 1, q0, q1, u0, NULL, &f));
  memcpy(o->D2, f.D2, (size_t)n * sizeof(double));
  if (o->tangent) {
    DM_TRY(oc_knot_tangent_equations(o->tangent, q1));
    memcpy(o->J, o->tangent->J, (size_t)((o->size - n) * n) * sizeof(double));
  }
  for (int i = 0; i < n; i++) q2[i] = 2 * q1[i] - q0[i];
  for (int k = 0; k < MOST; k++) {
    DM_TRY(oc_motion_residual_step(w->residual[0], 2, q1, q2, u1, NULL, &f));
    DM_TRY(put_equations(w, o, &f, q2));
    const double before = size_of(w, o, f.D1);
    DM_TRY(dm_lu_factor(o->size, o->A, o->piv));
    dm_lu_solve(o->size, o->A, o->piv, 1, o->b);

    // at full length, or halved while the residual grows
    double largest = 0, share = 1;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(o->b[i]) / w->sigma_q[i]);
    for (int i = 0; i < n; i++) q2[i] -= o->b[i];
    for (int half = 0; largest > 1e-3 && half < 6; half++) {
      DM_TRY(oc_motion_residual_step(w->residual[0], 1, q1, q2, u1, NULL, &f));
      if (size_of(w, o, f.D1) <= before) break;
      share *= 0.5;
      for (int i = 0; i < n; i++) q2[i] += share * o->b[i];
    }
    if (largest * share < 1e-6) return DM_OK;
  }
  return DM_MAX_ITER;
}

// the rms distance of the map alone from the measurements, over windows of `steps`
static dm_status run_free(oc_fit *w, const oc_position_fit *a, int steps) {
  const int n = w->n, nu = a->of.nu, size = 2 * n - a->of.m;
  double *block = calloc((size_t)(6 * n + size * (n + size + 1)), sizeof *block);
  int *piv = calloc((size_t)size, sizeof *piv);
  if (!block || !piv) {
    free(block);
    free(piv);
    return DM_NO_MEMORY;
  }
  double *J = block + n, *A = J + size * n, *b = A + size * size, *x = b + size;
  const free_step o = {size, block, J, A, b, x, piv, a->walk[0]->tangent};
  double *sum = x + n, *q[3] = {sum + n, sum + 2 * n, sum + 3 * n};
  long count = 0;
  dm_status s = DM_OK;
  for (const oc_run *r = a->run; s == DM_OK && r < a->run + a->nruns; r++)
    for (int start = 0; s == DM_OK && start + 1 + steps < r->knots; start += steps) {
      memcpy(q[0], dm_row(a->of.q, r->first + start, n), 2 * (size_t)n * sizeof(double));
      for (int k = start; s == DM_OK && k < start + steps; k++) {
        const double *u = dm_row(r->log->u, r->from + k, nu);
        s = take_step(w, &o, q[0], q[1], u, u + nu, q[2]);
        const double *y = dm_row(r->log->q, r->from + k + 2, n);
        for (int i = 0; i < n; i++) {
          const double off = q[2][i] + a->of.zero[i] - y[i];
          sum[i] += off * off;
        }
        count++;
        memmove(q[0], q[1], 2 * (size_t)n * sizeof(double));
      }
    }
  for (int i = 0; i < n; i++) {
    const bool lost = s != DM_OK || !isfinite(sum[i]);
    w->free_run[i] = lost ? INFINITY : sqrt(sum[i] / (double)(count > 0 ? count : 1));
  }
  free(block);
  free(piv);
  return DM_OK;
}

// the positions and forces of all runs at the knots of their log; NAN at others
static void put_trace(const oc_position_fit *a, int knots, double *q, double *force) {
  const int n = a->of.n;
  for (int i = 0; i < knots * n; i++) q[i] = force[i] = NAN;
  for (const oc_run *r = a->run; r < a->run + a->nruns; r++)
    for (int k = 0; k < r->knots; k++) {
      const size_t row = (size_t)n * sizeof *q;
      memcpy(q + (size_t)(r->from + k) * (size_t)n, dm_row(a->of.q, r->first + k, n), row);
      if (k > 0 && k + 1 < r->knots)
        memcpy(force + (size_t)(r->from + k) * (size_t)n, dm_row(a->of.force, r->first + k, n),
               row);
    }
}

dm_status oc_fit_predict(oc_fit *w, oc_measured_motion *log, const double *theta, double horizon,
                         oc_prediction *out, dm_message *msg) {
  return oc_fit_trace(w, log, theta, horizon, NULL, NULL, out, msg);
}

dm_status oc_fit_trace(oc_fit *w, oc_measured_motion *log, const double *theta, double horizon,
                       double *q, double *force, oc_prediction *out, dm_message *msg) {
  const double h = w->positions->of.h;
  if (log->n != w->n || log->nu != w->positions->of.nu || log->h != h)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "%s: found %d positions and %d inputs at steps of %g s, expected %d and %d at %g s",
        log->name, log->n, log->nu, log->h, w->n, w->positions->of.nu, h);
  oc_position_fit *a;
  double cost;
  oc_measured_motion *const logs[] = {log};
  dm_status s = oc_position_fit_new(&a, &(oc_position_task){.x = w->x,
                                                            .set = &w->set,
                                                            .threads = w->set.threads,
                                                            .residual = w->residual,
                                                            .nlogs = 1,
                                                            .logs = logs,
                                                            .part = 1});
  if (s == DM_OK) s = oc_position_fit_set(a, theta);
  if (s == DM_OK) s = oc_position_fit_start(a);
  if (s == DM_OK) s = oc_position_fit_solve(a, w->set.max_iter, &cost);
  if (s >= 0) s = oc_position_fit_judge(a, w->predicted);
  const int steps = (int)fmax(1, round(horizon / h));
  if (s >= 0) s = run_free(w, a, steps);
  if (s >= 0 && q) put_trace(a, log->knots, q, force);
  if (s < 0)
    dm_fail(msg, s, "%s: its positions cannot be fitted: %s", log->name, dm_status_text(s));
  else
    *out = (oc_prediction){w->predicted, w->free_run, steps * h};
  oc_position_fit_free(a);
  return s;
}
