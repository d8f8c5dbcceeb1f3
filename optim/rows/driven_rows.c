#include "optim/rows/driven_rows.h"

#include <math.h>
#include <string.h>

// entries of z = (q_k, q_{k+1}, u_k, h)
static int count_entries(const oc_transcription *t) {
  return 2 * t->n + t->nf + 1;
}

// index of entry a of z in x; -1: h is fixed
static int find_entry(const oc_transcription *t, int k, int a) {
  const int n = t->n;
  if (a < n) return oc_transcription_q(t, k) + a;
  if (a < 2 * n) return oc_transcription_q(t, k + 1) + a - n;
  if (a < 2 * n + t->nf) return oc_transcription_u(t, k) + a - 2 * n;
  return t->h;
}

// can entries a and b have a second derivative, from a limit's y_zz, or from a cost's squared slopes?
static bool may_meet(const oc_transcription *t, int a, int b) {
  const oc_outputs *o = &t->task.outputs;
  for (int i = 0; i < o->nlimits; i++) {
    const int row = o->limits[i].output;
    if (!oc_outputs_driven(o, row)) continue;
    if (dm_driven_outputs_couples(&o->y, t->nf, row, a, b)) return true;
  }
  const int h = count_entries(t) - 1; // which weights an integrated cost
  for (int i = 0; i < o->ncosts; i++) {
    const int row = o->costs[i].output;
    if (!oc_outputs_driven(o, row)) continue;
    const bool of_a = dm_driven_outputs_moves(&o->y, t->nf, row, a) || a == h;
    const bool of_b = dm_driven_outputs_moves(&o->y, t->nf, row, b) || b == h;
    if (of_a && of_b) return true;
  }
  return false;
}

void oc_driven_rows_begin(oc_transcription *t) {
  const int nz = count_entries(t);
  for (int k = 0; t->driven && k < t->N; k++)
    t->driven_asked[k] = oc_outputs_driven_at(&t->task.outputs, t->N, k);
  for (int a = 0; t->driven && a < nz; a++)
    for (int b = 0; b <= a; b++) t->driven_pair[a * nz + b] = may_meet(t, a, b);
}

// does cost i apply in step k?
static bool is_cost_at(const oc_transcription *t, int i, int k) {
  const oc_outputs *o = &t->task.outputs;
  int first, last;
  if (!oc_outputs_driven(o, o->costs[i].output)) return false;
  oc_span_steps(o->costs[i].at, t->N, &first, &last);
  return k >= first && k <= last;
}

static dm_driven_step place_driven_step(const oc_transcription *t, const double *x, int k) {
  return (dm_driven_step){.q0 = x + oc_transcription_q(t, k),
                          .q1 = x + oc_transcription_q(t, k + 1),
                          .u = x + oc_transcription_u(t, k),
                          .h = t->h < 0 ? oc_task_step(&t->task) : x[t->h]};
}

// are output `row` and its derivatives finite?
static bool is_row_finite(const oc_transcription *t, int row, const double *value) {
  const int nz = count_entries(t);
  double sum = value[row];
  for (int a = 0; a < nz; a++) sum += t->driven_z[row * nz + a];
  return isfinite(sum);
}

// y of step k and its derivatives; outputs without limits or costs in this step may be undefined
static dm_status eval_driven_step(oc_transcription *t, const double *x, int k, double *value) {
  const dm_driven_step step = place_driven_step(t, x, k);
  const oc_outputs *o = &t->task.outputs;
  const dm_status s =
      dm_driven_outputs_eval(&o->y, t->nf, t->driven_scratch, &step, value, t->driven_z);
  if (s != DM_NOT_FINITE) return s;

  // some row has no value: does a limit or a cost use it in this step?
  for (int i = 0; i < o->nlimits; i++) {
    const int row = o->limits[i].output;
    if (!oc_outputs_driven(o, row) || !oc_rows_has(oc_rows_limit(t, i), k)) continue;
    if (!is_row_finite(t, row, value)) return s;
  }
  for (int i = 0; i < o->ncosts; i++)
    if (is_cost_at(t, i, k) && !is_row_finite(t, o->costs[i].output, value)) return s;
  return DM_OK;
}

dm_status oc_driven_rows_walk(oc_transcription *t, const double *x, oc_triplets *s) {
  const oc_outputs *o = &t->task.outputs;
  const int nz = count_entries(t);
  for (int k = 0; t->driven && k < t->N; k++) {
    if (!t->driven_asked[k]) continue;
    if (s->val) DM_TRY(eval_driven_step(t, x, k, t->out_value + k * o->y.ny));

    // y_z of the rows of this step
    for (int i = 0; i < o->nlimits; i++) {
      const oc_rows *r = oc_rows_limit(t, i);
      const int row = o->limits[i].output;
      if (!oc_outputs_driven(o, row) || !oc_rows_has(r, k)) continue;
      for (int a = 0; a < nz; a++) {
        const int at = find_entry(t, k, a);
        if (at >= 0 && dm_driven_outputs_moves(&o->y, t->nf, row, a))
          oc_put(s, oc_rows_row(r, k), at, t->driven_z[row * nz + a]);
      }
    }
  }
  return DM_OK;
}

// a cost in a step: its error, its weight, and 1 if it is also multiplied by h
typedef struct driven_error {
  double e, w, by_h;
} driven_error;

// cost i in step k for outputs y; false: it does not apply there
static bool find_driven_error(const oc_transcription *t, int i, int k, const double *y,
                              driven_error *at) {
  const oc_output_cost *c = &t->task.outputs.costs[i];
  if (!is_cost_at(t, i, k)) return false;
  const double ref = c->references ? c->references[k] : c->reference;
  *at = (driven_error){
      .e = y[c->output] - ref, .w = c->weight, .by_h = c->once ? 0 : oc_cost_factor_h(&t->task)};
  return true;
}

// F: the step length, which weights an integrated cost
static double find_driven_factor(const driven_error *at, double h) {
  return at->by_h > 0 ? h : 1;
}

double oc_driven_rows_cost(const oc_transcription *t, const double *x) {
  const double h = t->h < 0 ? oc_task_step(&t->task) : x[t->h];
  double sum = 0;
  driven_error at;
  for (int k = 0; t->driven && k < t->N; k++)
    for (int i = 0; i < t->task.outputs.ncosts; i++)
      if (find_driven_error(t, i, k, t->out_value + k * t->task.outputs.y.ny, &at))
        sum += 0.5 * find_driven_factor(&at, h) * at.w * at.e * at.e;
  return sum;
}

dm_status oc_driven_rows_gradient(oc_transcription *t, const double *x, double *grad) {
  const oc_outputs *o = &t->task.outputs;
  const int nz = count_entries(t);
  const double h = t->h < 0 ? oc_task_step(&t->task) : x[t->h];
  driven_error at;
  for (int k = 0; t->driven && o->ncosts && k < t->N; k++) {
    if (!t->driven_asked[k]) continue;
    DM_TRY(eval_driven_step(t, x, k, t->out_here));

    // F w e y_z, and with a free step also w e^2/2 by h
    for (int i = 0; i < o->ncosts; i++) {
      if (!find_driven_error(t, i, k, t->out_here, &at)) continue;
      const double slope = find_driven_factor(&at, h) * at.w * at.e;
      const double *y_z = t->driven_z + o->costs[i].output * nz;
      for (int a = 0; a < nz; a++)
        if (find_entry(t, k, a) >= 0) grad[find_entry(t, k, a)] += slope * y_z[a];
      if (t->h >= 0) grad[t->h] += 0.5 * at.by_h * at.w * at.e * at.e;
    }
  }
  return DM_OK;
}

// F w y_z' y_z of a cost, and the coupling of h with y; w e is the multiplier of y_zz
static void add_driven_cost(oc_transcription *t, const driven_error *at, int row, double sigma,
                            double h) {
  const int nz = count_entries(t), by_h = nz - 1;
  const double *y_z = t->driven_z + row * nz, w = sigma * find_driven_factor(at, h) * at->w;
  double *H = t->driven_H;
  t->out_lambda[row] += w * at->e;
  for (int a = 0; a < nz; a++)
    for (int b = 0; b < nz; b++) H[a * nz + b] += w * y_z[a] * y_z[b];
  for (int a = 0; a < nz; a++) {
    const double slope = sigma * at->by_h * at->w * at->e * y_z[a];
    H[by_h * nz + a] += slope;
    H[a * nz + by_h] += slope;
  }
}

// the Hessian of step k into t->driven_H
static dm_status eval_driven_hessian(oc_transcription *t, const double *x, int k, double sigma,
                                     const double *lambda) {
  const oc_outputs *o = &t->task.outputs;
  const int nz = count_entries(t);
  const dm_driven_step step = place_driven_step(t, x, k);
  driven_error at;
  DM_TRY(eval_driven_step(t, x, k, t->out_here));
  memset(t->out_lambda, 0, (size_t)o->y.ny * sizeof *t->out_lambda);
  memset(t->driven_H, 0, (size_t)(nz * nz) * sizeof *t->driven_H);

  // lambda of the rows; costs add w y_z' y_z directly and w e to lambda; then sum lambda y_zz
  for (int i = 0; i < o->nlimits; i++) {
    const oc_rows *r = oc_rows_limit(t, i);
    const int row = o->limits[i].output;
    if (oc_outputs_driven(o, row) && oc_rows_has(r, k))
      t->out_lambda[row] += lambda[oc_rows_row(r, k)];
  }
  for (int i = 0; i < o->ncosts; i++)
    if (find_driven_error(t, i, k, t->out_here, &at))
      add_driven_cost(t, &at, o->costs[i].output, sigma, step.h);
  return dm_driven_outputs_contract(&o->y, t->nf, t->driven_scratch, &step, t->out_lambda,
                                    t->driven_H);
}

dm_status oc_driven_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                     double sigma, const double *lambda, oc_triplets *s) {
  const int nz = count_entries(t);
  (void)kind;
  for (int k = 0; t->driven && k < t->N; k++) {
    if (!t->driven_asked[k]) continue;
    if (s->val) DM_TRY(eval_driven_hessian(t, x, k, sigma, lambda));
    for (int a = 0; a < nz; a++)
      for (int b = 0; b <= a; b++) {
        const int i = find_entry(t, k, a), j = find_entry(t, k, b);
        if (!t->driven_pair[a * nz + b] || i < 0 || j < 0) continue;
        oc_put(s, i > j ? i : j, i > j ? j : i, t->driven_H[a * nz + b]);
      }
  }
  return DM_OK;
}
