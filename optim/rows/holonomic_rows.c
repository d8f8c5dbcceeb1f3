// optim/rows/holonomic_rows.c: see holonomic_rows.h.
#include "optim/rows/holonomic_rows.h"

#include "lib/discrete/assembly.h"

#include <math.h>
#include <string.h>

// relative to a constraint row's size: tolerance at a given end
static const double ASSEMBLED = 1e-9;

static bool is_prescribed_coord(const oc_transcription *t, int i) {
  return t->kinematic && t->kinematic[i];
}

dm_status oc_holonomic_rows_evaluate(oc_transcription *t, const double *x, int k) {
  const dm_holonomic *hol = &t->task.system.hol;
  int n = t->n, nc = t->nc;
  if (nc == 0) return DM_OK;
  const double *q = x + oc_transcription_q(t, k), *lambda = x + oc_transcription_lambda(t, k);
  double *impulse = t->hol_impulse + k * n;

  // h, Dh, and the derivative of -Dh' lambda by q, subtracted from the knot's block
  DM_TRY(hol->eval(hol->self, t->hol_scratch, q, t->hol_value + k * nc, t->Dh));
  memset(t->hol_curvature, 0, (size_t)(n * n) * sizeof(double));
  DM_TRY(hol->contract(hol->self, t->hol_scratch, q, lambda, t->hol_curvature));
  for (int i = 0; i < n * n; i++) t->knot_block[i] -= t->hol_curvature[i];

  // Dh' lambda
  for (int i = 0; i < n; i++) {
    impulse[i] = 0;
    for (int c = 0; c < nc; c++) impulse[i] += t->Dh[c * n + i] * lambda[c];
  }

  // nonholonomic rows of step k
  dm_middle_rows *m = t->middle;
  if (!m || k == t->N) return DM_OK;
  DM_TRY(
      dm_middle_rows_eval(m, q, x + oc_transcription_q(t, k + 1), oc_transcription_step(t, x, k)));
  memcpy(t->hol_value + k * nc + m->nh, m->g, (size_t)m->nv * sizeof *m->g);
  return DM_OK;
}

// row c of the nonholonomic ones in step k
static void put_middle_row(const oc_transcription *t, oc_triplets *s, int k, int c, int row) {
  const dm_middle_rows *m = t->middle;
  const int n = t->n, q0 = oc_transcription_q(t, k), q1 = oc_transcription_q(t, k + 1);
  for (int i = 0; i < n; i++) {
    if (!t->hol_mask[(m->nh + c) * n + i]) continue;
    oc_put(s, row, q0 + i, m->g_0[c * n + i]);
    oc_put(s, row, q1 + i, m->g_1[c * n + i]);
  }
  if (t->h >= 0 && m->hol.drift) oc_put(s, row, t->h, oc_task_part(&t->task, k) * m->g_h[c]);
}

void oc_holonomic_rows_put(const oc_transcription *t, oc_triplets *s, int k) {
  int n = t->n, row = oc_rows_at(t, OC_CONSTRAINT_ROWS, k), q = oc_transcription_q(t, k);
  const int nv = t->middle ? t->middle->nv : 0, nh = t->nc - nv;
  for (int c = 0; c < t->nc; c++)
    for (int i = 0; i < n; i++) {
      if (!t->hol_mask[c * n + i]) continue;
      if (!is_prescribed_coord(t, i))
        oc_put(s, k * n + i, oc_transcription_lambda(t, k) + c,
               -t->Dh[c * n + i]);                             // the row of motion, by lambda
      if (c < nh) oc_put(s, row + c, q + i, t->Dh[c * n + i]); // h(q_k) = 0
    }
  for (int c = 0; c < nv && k < t->N; c++) put_middle_row(t, s, k, c, row + nh + c);
}

dm_status oc_holonomic_rows_fold(oc_transcription *t, const double *x, int k) {
  const dm_holonomic *hol = &t->task.system.hol;
  int n = t->n, nc = t->nc;
  if (nc == 0) return DM_OK;
  const double *q = x + oc_transcription_q(t, k), *lambda = x + oc_transcription_lambda(t, k);

  // D1 - Dh' lambda, D11 - D2h lambda
  DM_TRY(hol->eval(hol->self, t->hol_scratch, q, t->cost->g_l, t->Dh)); // h is not used
  memset(t->hol_curvature, 0, (size_t)(n * n) * sizeof(double));
  DM_TRY(hol->contract(hol->self, t->hol_scratch, q, lambda, t->hol_curvature));
  for (int i = 0; i < n * n; i++) t->d->D11[i] -= t->hol_curvature[i];

  for (int c = 0; c < nc; c++)
    for (int i = 0; i < n; i++) t->d->D1[i] -= t->Dh[c * n + i] * lambda[c];
  return DM_OK;
}

dm_status oc_holonomic_rows_evaluate_end(oc_transcription *t, const double *x, int end) {
  const dm_holonomic *hol = &t->task.system.hol;
  int n = t->n, k = end ? t->N : 0;
  if (t->nc == 0) return DM_OK;
  const double *q = x + oc_transcription_q(t, k), *v = x + t->v[end];
  double *rate = t->hol_rate + end * t->nc;

  // Dh v, and its derivative by q
  for (int c = 0; c < t->nc; c++) {
    rate[c] = 0;
    for (int i = 0; i < n; i++) rate[c] += t->Dh[c * n + i] * v[i];
  }
  DM_TRY(hol->directional(hol->self, t->hol_scratch, q, v, x + oc_transcription_lambda(t, k),
                          t->hol_rate_q, NULL));
  return oc_holonomic_rows_drift(t, q, NULL, rate, t->hol_rate_q);
}

void oc_holonomic_rows_put_end(const oc_transcription *t, oc_triplets *s, int end) {
  int n = t->n, row = oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, end),
      q = oc_transcription_q(t, end ? t->N : 0);
  for (int c = 0; c < t->nc; c++)
    for (int i = 0; i < n; i++) {
      if (!t->hol_mask[c * n + i]) continue;
      oc_put(s, row + c, q + i, t->hol_rate_q[c * n + i]); // Dh v = 0, by q
      oc_put(s, row + c, t->v[end] + i, t->Dh[c * n + i]); // and by v
    }
}

void oc_holonomic_rows_values(const oc_transcription *t, oc_rows_kind kind, const double *x,
                              double *g) {
  (void)x;
  memcpy(g + oc_rows_at(t, kind, 0), t->hol_value, (size_t)((t->N + 1) * t->nc) * sizeof *g);
}

void oc_holonomic_rows_rate_values(const oc_transcription *t, oc_rows_kind kind, const double *x,
                                   double *g) {
  (void)x;
  memcpy(g + oc_rows_at(t, kind, 0), t->hol_rate, (size_t)(2 * t->nc) * sizeof *g);
}

// The rows h = 0 beside nonholonomic rows, by q_k; the latter also in H01, H11 and H1h of the interval.
static dm_status contract_middle(oc_transcription *t, const double *x, int k, const double *nu) {
  const dm_holonomic *hol = &t->task.system.hol;
  dm_middle_rows *m = t->middle;
  dm_interval *d = t->d;
  const int n = t->n, N = t->N;
  const double *q = x + oc_transcription_q(t, k);
  if (m->nh) {
    memset(m->nu, 0, (size_t)t->nc * sizeof *m->nu);
    memcpy(m->nu, nu, (size_t)m->nh * sizeof *nu);
    DM_TRY(hol->contract(hol->self, t->hol_scratch, q, m->nu, t->knot_block));
  }
  if (k == N) return DM_OK;
  DM_TRY(dm_middle_rows_contract(m, q, x + oc_transcription_q(t, k + 1),
                                 oc_transcription_step(t, x, k), nu + m->nh));
  const double part = oc_task_part(&t->task, k);
  for (int i = 0; i < n * n; i++) {
    t->knot_block[i] += m->H_00[i];
    d->H01[i] += m->H_01[i];
    d->H11[i] += m->H_11[i];
  }
  for (int i = 0; t->h >= 0 && i < n; i++) {
    t->knot_block_h[i] += part * m->H_h[i];
    d->H1h[i] += part * m->H_h[i];
  }
  return DM_OK;
}

dm_status oc_holonomic_rows_contract(oc_transcription *t, const double *x, int k, const double *mu,
                                     const double *nu) {
  const dm_holonomic *hol = &t->task.system.hol;
  int n = t->n;
  if (t->nc == 0) return DM_OK;
  const double *q = x + oc_transcription_q(t, k);

  // subtract D3h(lambda) mu from the knot's block, D2h mu into t->Dh
  memset(t->hol_curvature, 0, (size_t)(n * n) * sizeof(double));
  DM_TRY(hol->directional(hol->self, t->hol_scratch, q, mu, x + oc_transcription_lambda(t, k),
                          t->Dh, t->hol_curvature));
  for (int i = 0; i < n * n; i++) t->knot_block[i] -= t->hol_curvature[i];

  // D2h nu, from the rows h = 0
  if (!t->middle) return hol->contract(hol->self, t->hol_scratch, q, nu, t->knot_block);
  return contract_middle(t, x, k, nu);
}

void oc_holonomic_rows_put_hessian(const oc_transcription *t, oc_triplets *s, int k) {
  const oc_cost *cost = t->cost;
  int n = t->n, q = oc_transcription_q(t, k), lambda = oc_transcription_lambda(t, k);
  bool dense = t->dense && k < t->N;

  // -D2h mu by (lambda,q), with the momentum cost's part
  for (int c = 0; c < t->nc; c++)
    for (int i = 0; i < n; i++)
      if (dense || t->hol_mask[c * n + i])
        oc_put(s, lambda + c, q + i, (dense ? cost->Hl0[c * n + i] : 0) - t->Dh[c * n + i]);
  for (int c = 0; dense && c < t->nc; c++) { // the momentum cost's part
    for (int j = 0; j < t->nf; j++)
      oc_put(s, lambda + c, oc_transcription_u(t, k) + j, cost->Hlu[c * t->nu + j]);
    for (int b = 0; b <= c; b++) oc_put(s, lambda + c, lambda + b, cost->Hll[c * t->nc + b]);
    for (int i = 0; i < n; i++)
      oc_put(s, oc_transcription_q(t, k + 1) + i, lambda + c, cost->Hl1[c * n + i]);
    if (t->h >= 0) oc_put(s, t->h, lambda + c, cost->Hlh[c]);
  }
}

dm_status oc_holonomic_rows_contract_end(oc_transcription *t, const double *x, int end,
                                         const double *nu) {
  const dm_holonomic *hol = &t->task.system.hol;
  if (t->nc == 0) return DM_OK;
  const double *q = x + oc_transcription_q(t, end ? t->N : 0), *v = x + t->v[end];

  // D3h(nu) v by q, D2h nu by (v,q)
  DM_TRY(hol->directional(hol->self, t->hol_scratch, q, v, nu, t->hol_rate_q, t->knot_block));
  if (hol->drift) DM_TRY(oc_holonomic_rows_drift(t, q, nu, NULL, NULL));
  return oc_holonomic_rows_mixed(t, q, nu);
}

dm_status oc_holonomic_rows_mixed(oc_transcription *t, const double *q, const double *nu) {
  const dm_holonomic *hol = &t->task.system.hol;
  const int n = t->n;
  memset(t->hol_curvature, 0, (size_t)(n * n) * sizeof(double));
  DM_TRY(hol->contract(hol->self, t->hol_scratch, q, nu, t->hol_curvature));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) t->end.L_qv[j * n + i] += t->hol_curvature[i * n + j];
  return DM_OK;
}

dm_status oc_holonomic_rows_drift(oc_transcription *t, const double *q, const double *nu,
                                  double *rate, double *rate_q) {
  const dm_holonomic *hol = &t->task.system.hol;
  dm_middle_rows *m = t->middle;
  if (!hol->drift) return DM_OK;
  DM_TRY(hol->drift(hol->self, t->hol_scratch, q, nu ? nu + m->nh : NULL, m->g, m->b_q,
                    nu ? t->knot_block : NULL));
  for (int c = 0; rate && c < m->nv; c++) rate[m->nh + c] += m->g[c];
  for (int i = 0; rate_q && i < m->nv * t->n; i++) rate_q[m->nh * t->n + i] += m->b_q[i];
  return DM_OK;
}

// -- given ends

// are all the unknowns from x on that move constraint c given?
static bool is_all_given(const oc_transcription *t, int c, int x) {
  for (int i = 0; i < t->n; i++)
    if (t->hol_mask[c * t->n + i] && !oc_is_given(t, x + i)) return false;
  return true;
}

// is Dh v = 0 of constraint c determined by the given values of an end: at rest, or Dh and v given?
static bool is_rate_given(const oc_transcription *t, int c, int end) {
  const int v = t->v[end];
  bool rest = true;
  if (!is_all_given(t, c, v)) return false;
  for (int i = 0; i < t->n; i++) rest &= !t->hol_mask[c * t->n + i] || t->x_min[v + i] == 0;
  return rest || is_all_given(t, c, oc_transcription_q(t, end ? t->N : 0));
}

// h of an end and the sizes of its rows, with free entries at zero, or at one where zero has no value,
// as of a free quaternion: only rows without free unknowns are read
static dm_status eval_end_rows(oc_transcription *t, int q, double *size) {
  const dm_holonomic *hol = &t->task.system.hol;
  dm_status s = DM_NOT_FINITE;
  for (int fill = 0; s == DM_NOT_FINITE && fill < 2; fill++) {
    for (int i = 0; i < t->n; i++) t->mu[i] = oc_is_given(t, q + i) ? t->x_min[q + i] : fill;
    s = dm_assembly_rows(&t->task.system, t->mu, size);
    if (s == DM_OK) s = hol->eval(hol->self, t->hol_scratch, t->mu, t->hol_value, NULL);
  }
  return s;
}

dm_status oc_holonomic_rows_settle(oc_transcription *t, dm_message *msg) {
  const dm_holonomic *hol = &t->task.system.hol;
  for (int end = 0; t->nc && end < 2; end++) {
    int k = end ? t->N : 0, q = oc_transcription_q(t, k);
    double *size = t->hol_value + t->nc;
    DM_TRY(eval_end_rows(t, q, size));
    const int nh = t->nc - hol->nv; // of nonholonomic rows, no step begins at the goal
    for (int c = 0; c < t->nc; c++) {
      // first the rate, then the value: a given value that is not zero is an error in the task
      if (is_rate_given(t, c, end)) oc_row_free(t, oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, end) + c);
      if (c >= nh && end) oc_row_free(t, oc_rows_at(t, OC_CONSTRAINT_ROWS, k) + c);
      if (c >= nh || !is_all_given(t, c, q)) continue;
      if (!(fabs(t->hol_value[c]) < ASSEMBLED * size[c]))
        return dm_fail(msg, DM_BAD_INPUT, "the %s violates constraint '%s' by %.3g",
                       end ? "goal" : "start", oc_task_name(&t->task, OC_LAMBDA, c),
                       t->hol_value[c]);
      oc_row_free(t, oc_rows_at(t, OC_CONSTRAINT_ROWS, k) + c); // already satisfied
    }
  }
  return DM_OK;
}
