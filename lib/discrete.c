#include "lib/discrete.h"

#include "lib/block.h"

#include <assert.h>
#include <string.h>

static void lay_out(dm_discrete *w, dm_block *b) {
  size_t W = (size_t)w->lanes, n = (size_t)w->n * W, nn = (size_t)w->n * n, nu = (size_t)w->nu;
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
  w->Huh = dm_take(b, nu * W, sizeof(double));
  w->Hhh = dm_take(b, W, sizeof(double));
  w->sweep = dm_take(b, w->s.L.scratch, 1);
}

static dm_status make(dm_discrete **out, const dm_system *s, int lanes) {
  dm_discrete sizes = {.s = *s, .n = s->L.nq, .nu = s->nu, .lanes = lanes};
  sizes.active = sizes.n - s->L.idle;
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

dm_status dm_discrete_new(dm_discrete **out, const dm_system *s) {
  return make(out, s, 1);
}

dm_status dm_discrete_new_lanes(dm_discrete **out, const dm_system *s) {
  if (s->L.lanes <= 1) return dm_discrete_new(out, s);
  assert(s->L.lanes <= DM_MAX_LANES);
  dm_system many = *s;
  many.L.eval = s->L.lanes_eval;
  many.L.contract = s->L.lanes_contract;
  many.L.scratch = s->L.lanes_scratch;
  return make(out, &many, s->L.lanes);
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
  for (int i = 0; i < w->n * w->lanes; i++) {
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
  for (int i = 0; i < w->n * w->lanes; i++) {
    w->D1[i] += c * b * L_q[i] - wt * L_v[i];
    w->D2[i] += c * a * L_q[i] + wt * L_v[i];
  }
}

// the four blocks of second derivatives by (q0,q1)
typedef struct blocks {
  double *b00, *b01, *b10, *b11;
} blocks;

// with J the second derivatives of a function of (qm,v), add those of scale times it as a function
// of (q0,q1); b10 may be NULL
static inline void add_lanes(int n, int active, const int W, double a, double h, double scale,
                             const dm_jet *J, const blocks *to) {
  const double b = 1 - a, qq00 = scale * b * b, qq01 = scale * a * b, qq11 = scale * a * a;
  const double qv0 = scale * b / h, qv1 = scale * a / h, vv = scale / (h * h);
  double *restrict b00 = to->b00, *restrict b01 = to->b01, *restrict b10 = to->b10,
                   *restrict b11 = to->b11;
  for (int i = 0; i < active; i++)
    for (int j = 0; j < active; j++)
      for (int l = 0; l < W; l++) {
        int k = (i * n + j) * W + l;
        double Q = J->L_qq[k], C = J->L_qv[k], Ct = J->L_qv[(j * n + i) * W + l];
        double V = vv * J->L_vv[k], both = C + Ct, cross = qq01 * Q - V;
        b00[k] += qq00 * Q - qv0 * both + V;
        b11[k] += qq11 * Q + qv1 * both + V;
        b01[k] += cross + qv0 * C - qv1 * Ct;
        if (b10) b10[k] += cross + qv0 * Ct - qv1 * C;
      }
}

static void add_blocks(const dm_discrete *w, int s, double h, const dm_jet *J, const blocks *to) {
  const double a = w->s.rule.at[s], scale = w->s.rule.weight[s] * h;
  switch (w->lanes) { // sizes the compiler knows
  case 1:
    add_lanes(w->n, w->active, 1, a, h, scale, J, to);
    break;
  case 4:
    add_lanes(w->n, w->active, 4, a, h, scale, J, to);
    break;
  case 8:
    add_lanes(w->n, w->active, 8, a, h, scale, J, to);
    break;
  default:
    add_lanes(w->n, w->active, w->lanes, a, h, scale, J, to);
  }
}

// y = A x, with A [n x n] and x [n] of every lane, in row i
static void row_times(const dm_discrete *w, const double *A, const double *x, int i, double *y) {
  int n = w->n, W = w->lanes;
  for (int l = 0; l < W; l++) y[l] = 0;
  for (int j = 0; j < w->active; j++)
    for (int l = 0; l < W; l++) y[l] += A[(i * n + j) * W + l] * x[j * W + l];
}

// derivatives of D1 and D2 by h, with v = (q1-q0)/h: v_h = -v/h
static void add_by_step(dm_discrete *w, int s, double h) {
  const double a = w->s.rule.at[s], wt = w->s.rule.weight[s];
  double qv[DM_MAX_LANES], vv[DM_MAX_LANES];
  for (int i = 0, k = 0; i < w->active; i++) {
    row_times(w, w->jet.L_qv, w->v, i, qv);
    row_times(w, w->jet.L_vv, w->v, i, vv);
    for (int l = 0; l < w->lanes; l++, k++) {
      double g = wt * (w->jet.L_q[k] - qv[l]), f = wt * vv[l] / h;
      w->D1h[k] += (1 - a) * g + f;
      w->D2h[k] += a * g - f;
    }
  }
}

// h f = h B u - damping (q1-q0), its share `left` added to D1 and the rest to D2
static void add_forces(dm_discrete *w, int order, const double *q0, const double *q1,
                       const double *u, double h) {
  const dm_system *s = &w->s;
  const double left = s->rule.left, right = 1 - left;
  int n = w->n, W = w->lanes;
  for (int i = 0; s->damping && i < n; i++) {
    double d = s->damping[i];
    if (d == 0) continue;
    for (int l = 0, k = i * W, kk = (i * n + i) * W; l < W; l++, k++, kk++) {
      w->D1[k] -= left * d * (q1[k] - q0[k]);
      w->D2[k] -= right * d * (q1[k] - q0[k]);
      if (order < 2) continue;
      w->D11[kk] += left * d, w->D12[kk] -= left * d;
      w->D21[kk] += right * d, w->D22[kk] -= right * d;
    }
  }
  for (int i = 0; i < w->nu; i++) {
    double gear = s->input_gear ? s->input_gear[i] : 1;
    w->D1u[i] = left * h * gear;
    w->D2u[i] = right * h * gear;
    for (int l = 0, k = s->input_coord[i] * W; l < W; l++, k++) {
      double f = gear * u[i * W + l];
      w->D1[k] += left * h * f;
      w->D2[k] += right * h * f;
      if (order < 2) continue;
      w->D1h[k] += left * f;
      w->D2h[k] += right * f;
    }
  }
}

dm_status dm_discrete_eval(dm_discrete *w, int order, const double *q0, const double *q1,
                           const double *u, double h) {
  int n = w->n * w->lanes;
  const blocks D = {w->D11, w->D12, w->D21, w->D22};
  w->Ld = 0;
  zero(n, w->D1, w->D2);
  if (order >= 2) {
    zero(n, w->D1h, w->D2h);
    zero(w->n * n, w->D11, w->D12);
    zero(w->n * n, w->D21, w->D22);
  }
  for (int s = 0; s < w->s.rule.points; s++) {
    point(w, s, q0, q1, h);
    DM_TRY(w->s.L.eval(w->s.L.self, w->sweep, order, w->qm, w->v, &w->jet));
    add_gradient(w, s, h);
    if (order < 2) continue;
    add_blocks(w, s, h, &w->jet, &D);
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
  double La[DM_MAX_LANES], Tv[DM_MAX_LANES], Ma[DM_MAX_LANES], Vv[DM_MAX_LANES];
  DM_TRY(w->s.L.eval(w->s.L.self, w->sweep, 2, w->qm, w->v, &w->jet));
  for (int i = 0, k = 0; i < w->active; i++) {
    row_times(w, w->jet.L_qq, w->a_q, i, La);
    row_times(w, w->T.L_qv, w->v, i, Tv);
    row_times(w, w->T.L_vv, w->v, i, Vv);
    row_times(w, w->jet.L_vv, w->a_v, i, Ma);
    for (int l = 0; l < w->lanes; l++, k++) {
      double g = La[l] - Tv[l], f = (Vv[l] + Ma[l]) / h;
      w->H0h[k] += wt * ((1 - a) * g + f);
      w->H1h[k] += wt * (a * g - f);
      w->Hhh[l] += wt * w->v[k] * (f + Ma[l] / h);
    }
  }
  return DM_OK;
}

dm_status dm_discrete_contract(dm_discrete *w, bool with_h, const double *q0, const double *q1,
                               const double *u, double h, const double *mu0, const double *mu1) {
  const dm_system *s = &w->s;
  int n = w->n * w->lanes;
  const blocks H = {w->H00, w->H01, NULL, w->H11};
  (void)u; // forces are linear in u
  if (!s->L.contract) return DM_UNAVAILABLE;
  zero(w->n * n, w->H00, w->H01);
  memset(w->H11, 0, (size_t)(w->n * n) * sizeof(double));
  if (with_h) {
    zero(n, w->H0h, w->H1h);
    memset(w->Hhh, 0, (size_t)w->lanes * sizeof(double));
  }
  for (int p = 0; p < s->rule.points; p++) {
    double a = s->rule.at[p];
    point(w, p, q0, q1, h);
    for (int i = 0; i < n; i++) {
      w->a_q[i] = (1 - a) * mu0[i] + a * mu1[i];
      w->a_v[i] = (mu1[i] - mu0[i]) / h;
    }
    DM_TRY(s->L.contract(s->L.self, w->sweep, w->qm, w->v, w->a_q, w->a_v, &w->T));
    add_blocks(w, p, h, &w->T, &H);
    if (with_h) DM_TRY(add_hessian_by_step(w, p, h));
  }
  for (int i = 0; with_h && i < w->nu; i++)
    for (int l = 0, k = s->input_coord[i] * w->lanes; l < w->lanes; l++, k++) {
      double gear = s->input_gear ? s->input_gear[i] : 1;
      w->Huh[i * w->lanes + l] = gear * (s->rule.left * mu0[k] + (1 - s->rule.left) * mu1[k]);
    }
  return DM_OK;
}

static void pick(int n, int W, int l, const double *from, double *to) {
  for (int i = 0; i < n; i++) to[i] = from[i * W + l];
}

void dm_discrete_pick(const dm_discrete *many, int l, bool hessian, bool with_h, dm_discrete *one) {
  int n = many->n, nn = n * n, nu = many->nu, W = many->lanes;
  if (hessian) {
    pick(nn, W, l, many->H00, one->H00);
    pick(nn, W, l, many->H01, one->H01);
    pick(nn, W, l, many->H11, one->H11);
    if (!with_h) return;
    pick(n, W, l, many->H0h, one->H0h);
    pick(n, W, l, many->H1h, one->H1h);
    pick(nu, W, l, many->Huh, one->Huh);
    *one->Hhh = many->Hhh[l];
    return;
  }
  pick(n, W, l, many->D1, one->D1);
  pick(n, W, l, many->D2, one->D2);
  pick(nn, W, l, many->D11, one->D11);
  pick(nn, W, l, many->D12, one->D12);
  pick(nn, W, l, many->D21, one->D21);
  pick(nn, W, l, many->D22, one->D22);
  pick(nu, 1, 0, many->D1u, one->D1u);
  pick(nu, 1, 0, many->D2u, one->D2u);
  if (!with_h) return;
  pick(n, W, l, many->D1h, one->D1h);
  pick(n, W, l, many->D2h, one->D2h);
}
