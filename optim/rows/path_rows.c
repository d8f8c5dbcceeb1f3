#include "optim/rows/path_rows.h"

void oc_path_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  int row = oc_rows_at(t, kind, 0);
  for (int k = 0; k < t->N; k++)
    for (int i = 0; i < t->task.npaths; i++, row++) {
      t->g_min[row] = t->task.paths[i].low;
      t->g_max[row] = t->task.paths[i].high;
    }
}

// path constraint i of step k at x, with derivatives by (q,v,u) to this order in t->cost
static double eval_path(const oc_transcription *t, const double *x, int k, int i, int order) {
  const double *q0 = x + oc_transcription_q(t, k), *q1 = x + oc_transcription_q(t, k + 1);
  double h = t->h < 0 ? oc_task_step(&t->task) : x[t->h];
  return oc_cost_path(t->cost, i, order, k, q0, q1, x + oc_transcription_u(t, k), h);
}

void oc_path_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                           double *g) {
  int row = oc_rows_at(t, kind, 0);
  for (int k = 0; k < t->N; k++)
    for (int i = 0; i < t->task.npaths; i++) g[row++] = eval_path(t, x, k, i, 0);
}

// the entries of one row; without values, x is not read
static void put_path(const oc_transcription *t, const double *x, oc_triplets *s, int row, int k) {
  const int n = t->n, q0 = oc_transcription_q(t, k), q1 = oc_transcription_q(t, k + 1);
  const double *c_q = t->cost->c_y, *c_v = c_q + n, *c_u = c_v + n, *v = t->cost->y + n;
  double h = 1, by_h = 0;
  if (s->val) h = t->h < 0 ? oc_task_step(&t->task) : x[t->h];

  // v = (q1 - q0)/h: v_q0 = -1/h, v_q1 = 1/h, v_h = -v/h
  for (int i = 0; i < n; i++) oc_put(s, row, q0 + i, c_q[i] - c_v[i] / h);
  for (int i = 0; i < n; i++) oc_put(s, row, q1 + i, c_v[i] / h);
  for (int j = 0; j < t->nf; j++) oc_put(s, row, oc_transcription_u(t, k) + j, c_u[j]);
  if (t->h < 0) return;
  for (int i = 0; i < n; i++) by_h -= c_v[i] * v[i] / h;
  oc_put(s, row, t->h, by_h);
}

dm_status oc_path_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                           oc_triplets *s) {
  int row = oc_rows_at(t, kind, 0);
  for (int k = 0; k < t->N; k++)
    for (int i = 0; i < t->task.npaths; i++, row++) {
      if (s->val) eval_path(t, x, k, i, 1);
      put_path(t, x, s, row, k);
    }
  return DM_OK;
}

void oc_path_rows_contract(const oc_transcription *t, const double *x, int k,
                           const double *lambda) {
  if (t->task.npaths == 0) return;
  const double *q0 = x + oc_transcription_q(t, k), *q1 = x + oc_transcription_q(t, k + 1);
  const double *mu = lambda + oc_rows_at(t, OC_PATH_ROWS, k);
  double h = t->h < 0 ? oc_task_step(&t->task) : x[t->h];
  for (int i = 0; i < t->task.npaths; i++)
    oc_cost_path_hessian(t->cost, i, mu[i], k, q0, q1, x + oc_transcription_u(t, k), h, t->d);
}
