#include "lib/discrete.h"

#include "lib/block.h"

#include <string.h>

static void lay_out(dm_discrete *w, dm_block *b) {
  size_t n = (size_t)w->n, nu = (size_t)w->nu, nn = n * n;
  double **vectors[] = {&w->D1, &w->D2,  &w->D1h, &w->D2h,     &w->H0h,     &w->H1h,   &w->qm,
                        &w->v,  &w->a_q, &w->a_v, &w->jet.L_q, &w->jet.L_v, &w->T.L_q, &w->T.L_v};
  double **matrices[] = {&w->D11,    &w->D12,    &w->D21,      &w->D22,      &w->H00,
                         &w->H01,    &w->H11,    &w->jet.L_qq, &w->jet.L_qv, &w->jet.L_vv,
                         &w->T.L_qq, &w->T.L_qv, &w->T.L_vv};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_take(b, n, sizeof(double));
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    *matrices[i] = dm_take(b, nn, sizeof(double));
  w->D1u = dm_take(b, nu, sizeof(double));
  w->D2u = dm_take(b, nu, sizeof(double));
  w->Huh = dm_take(b, nu, sizeof(double));
  w->sweep = dm_take(b, w->s.L.scratch, 1);
}

dm_status dm_discrete_new(dm_discrete **out, const dm_system *s) {
  dm_discrete sizes = {.s = *s, .n = s->L.nq, .nu = s->nu};
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block);
  DM_TRY(dm_block_new(&block));
  dm_discrete *w = dm_take(&block, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &block);
  *out = w;
  return DM_OK;
}

void dm_discrete_free(dm_discrete *w) {
  dm_block_free(w);
}

static void zero(int n, double *a, double *b) {
  memset(a, 0, (size_t)n * sizeof(double));
  memset(b, 0, (size_t)n * sizeof(double));
}

// the configuration of quadrature point s, and the velocity of the step
static void point(dm_discrete *w, int s, const double *q0, const double *q1, double h) {
  double a = w->s.rule.at[s];
  for (int i = 0; i < w->n; i++) {
    w->qm[i] = (1 - a) * q0[i] + a * q1[i];
    w->v[i] = (q1[i] - q0[i]) / h;
  }
}

// Every point adds, with c = weight h and the jet at (qm,v):
//   Ld  c L           D1  c(1-a) L_q - weight L_v              D2  c a L_q + weight L_v
//   D11 c(1-a)^2 L_qq - weight (1-a)(L_qv + L_vq) + weight/h L_vv,  and so on
static void add_gradient(dm_discrete *w, int s, double h) {
  const double a = w->s.rule.at[s], b = 1 - a, wt = w->s.rule.weight[s], c = wt * h;
  const double *L_q = w->jet.L_q, *L_v = w->jet.L_v;
  w->Ld += c * w->jet.L;
  for (int i = 0; i < w->n; i++) {
    w->D1[i] += c * b * L_q[i] - wt * L_v[i];
    w->D2[i] += c * a * L_q[i] + wt * L_v[i];
  }
}

// with (qq,qv,vv) the second derivatives of a function of (qm,v), add those of scale times it as a
// function of (q0,q1)
static void add_blocks(int n, double a, double h, double scale, const dm_jet *J,
                       double *restrict H00, double *restrict H01, double *restrict H11,
                       double *restrict H10) {
  const double b = 1 - a, qq00 = scale * b * b, qq01 = scale * a * b, qq11 = scale * a * a;
  const double qv0 = scale * b / h, qv1 = scale * a / h, vv = scale / (h * h);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int k = i * n + j;
      double Q = J->L_qq[k], C = J->L_qv[k], Ct = J->L_qv[j * n + i], V = vv * J->L_vv[k];
      double both = C + Ct, cross = qq01 * Q - V;
      H00[k] += qq00 * Q - qv0 * both + V;
      H11[k] += qq11 * Q + qv1 * both + V;
      H01[k] += cross + qv0 * C - qv1 * Ct;
      if (H10) H10[k] += cross + qv0 * Ct - qv1 * C;
    }
}

// derivatives of D1 and D2 by h, with v = (q1-q0)/h: v_h = -v/h
static void add_by_step(dm_discrete *w, int s, double h) {
  const double a = w->s.rule.at[s], wt = w->s.rule.weight[s];
  int n = w->n;
  for (int i = 0; i < n; i++) {
    double qv = 0, vv = 0;
    for (int j = 0; j < n; j++) {
      qv += w->jet.L_qv[i * n + j] * w->v[j];
      vv += w->jet.L_vv[i * n + j] * w->v[j];
    }
    double g = wt * (w->jet.L_q[i] - qv), k = wt * vv / h;
    w->D1h[i] += (1 - a) * g + k;
    w->D2h[i] += a * g - k;
  }
}

// h f = h B u - damping (q1-q0), its share `left` added to D1 and the rest to D2
static void add_forces(dm_discrete *w, int order, const double *q0, const double *q1,
                       const double *u, double h) {
  const dm_system *s = &w->s;
  const double left = s->rule.left, right = 1 - left;
  int n = w->n;
  for (int i = 0; s->damping && i < n; i++) {
    double d = s->damping[i];
    if (d == 0) continue;
    w->D1[i] -= left * d * (q1[i] - q0[i]);
    w->D2[i] -= right * d * (q1[i] - q0[i]);
    if (order < 2) continue;
    int k = i * n + i;
    w->D11[k] += left * d, w->D12[k] -= left * d;
    w->D21[k] += right * d, w->D22[k] -= right * d;
  }
  for (int i = 0; i < w->nu; i++) {
    int at = s->input_coord[i];
    double gear = s->input_gear ? s->input_gear[i] : 1;
    w->D1[at] += left * h * gear * u[i];
    w->D2[at] += right * h * gear * u[i];
    if (order < 2) continue;
    w->D1u[i] = left * h * gear;
    w->D2u[i] = right * h * gear;
    w->D1h[at] += left * gear * u[i];
    w->D2h[at] += right * gear * u[i];
  }
}

dm_status dm_discrete_eval(dm_discrete *w, int order, const double *q0, const double *q1,
                           const double *u, double h) {
  w->Ld = 0;
  zero(w->n, w->D1, w->D2);
  if (order >= 2) {
    zero(w->n, w->D1h, w->D2h);
    zero(w->n * w->n, w->D11, w->D12);
    zero(w->n * w->n, w->D21, w->D22);
  }
  for (int s = 0; s < w->s.rule.points; s++) {
    point(w, s, q0, q1, h);
    DM_TRY(w->s.L.eval(w->s.L.self, w->sweep, order, w->qm, w->v, &w->jet));
    add_gradient(w, s, h);
    if (order < 2) continue;
    add_blocks(w->n, w->s.rule.at[s], h, w->s.rule.weight[s] * h, &w->jet, w->D11, w->D12, w->D22,
               w->D21);
    add_by_step(w, s, h);
  }
  add_forces(w, order, q0, q1, u, h);
  return DM_OK;
}

// With a the pair (a_q,a_v) of docs/theory.md section 2, mu0.D1 Ld + mu1.D2 Ld = h DL(qm,v).a, and
// differentiating once and twice by h with v_h = -v/h:
//   H1h = alpha (L_qq a_q - T_qv v) - (T_vv v + L_vv a_v) / h      H0h the same with 1-alpha and +
//   Hhh = (v.T_vv v + 2 v.L_vv a_v) / h
static dm_status add_hessian_by_step(dm_discrete *w, int s, double h) {
  const double a = w->s.rule.at[s], wt = w->s.rule.weight[s];
  int n = w->n;
  DM_TRY(w->s.L.eval(w->s.L.self, w->sweep, 2, w->qm, w->v, &w->jet));
  for (int i = 0; i < n; i++) {
    double g = 0, k = 0, vTv = 0;
    for (int j = 0; j < n; j++) {
      g += w->jet.L_qq[i * n + j] * w->a_q[j] - w->T.L_qv[i * n + j] * w->v[j];
      vTv += w->T.L_vv[i * n + j] * w->v[j];
      k += w->jet.L_vv[i * n + j] * w->a_v[j];
    }
    w->H0h[i] += wt * ((1 - a) * g + (vTv + k) / h);
    w->H1h[i] += wt * (a * g - (vTv + k) / h);
    w->Hhh += wt * w->v[i] * (vTv + 2 * k) / h;
  }
  return DM_OK;
}

dm_status dm_discrete_contract(dm_discrete *w, bool with_h, const double *q0, const double *q1,
                               const double *u, double h, const double *mu0, const double *mu1) {
  const dm_system *s = &w->s;
  (void)u; // forces are linear in u
  if (!s->L.contract) return DM_UNAVAILABLE;
  zero(w->n * w->n, w->H00, w->H01);
  memset(w->H11, 0, (size_t)(w->n * w->n) * sizeof(double));
  if (with_h) zero(w->n, w->H0h, w->H1h), w->Hhh = 0;
  for (int p = 0; p < s->rule.points; p++) {
    double a = s->rule.at[p];
    point(w, p, q0, q1, h);
    for (int i = 0; i < w->n; i++) {
      w->a_q[i] = (1 - a) * mu0[i] + a * mu1[i];
      w->a_v[i] = (mu1[i] - mu0[i]) / h;
    }
    DM_TRY(s->L.contract(s->L.self, w->sweep, w->qm, w->v, w->a_q, w->a_v, &w->T));
    add_blocks(w->n, a, h, s->rule.weight[p] * h, &w->T, w->H00, w->H01, w->H11, NULL);
    if (with_h) DM_TRY(add_hessian_by_step(w, p, h));
  }
  for (int i = 0; with_h && i < w->nu; i++) {
    int at = s->input_coord[i];
    double gear = s->input_gear ? s->input_gear[i] : 1;
    w->Huh[i] = gear * (s->rule.left * mu0[at] + (1 - s->rule.left) * mu1[at]);
  }
  return DM_OK;
}
