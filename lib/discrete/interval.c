#include "lib/discrete/interval.h"

#include "lib/base/block.h"
#include "lib/base/width.h"

#include <assert.h>
#include <string.h>

// f, m.f and their derivatives at one point of one lane: nf inputs of the general forces
static void lay_out_forces(dm_interval *w, dm_block *b, size_t n, size_t nf) {
  dm_force_jet *f = &w->force.jet;
  dm_force_hessian *mf = &w->force.mf;
  const struct {
    double **at;
    size_t count;
  } arrays[] = {{&w->force.q, n},  {&w->force.v, n},  {&w->force.u, nf}, {&w->force.m, n},
                {&f->f, n},        {&f->f_q, n * n},  {&f->f_v, n * n},  {&f->f_u, n * nf},
                {&mf->qq, n * n},  {&mf->qv, n * n},  {&mf->vv, n * n},  {&mf->qu, n * nf},
                {&mf->vu, n * nf}, {&mf->uu, nf * nf}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i].at = dm_block_alloc(b, arrays[i].count, sizeof(double));
  w->force.scratch = dm_block_alloc(b, dm_forces_scratch(&w->s.force, w->n), 1);
}

static void lay_out_interval(void *self, dm_block *b) {
  dm_interval *w = self;
  size_t W = (size_t)w->lanes, nu = (size_t)w->nu;
  size_t nz = (size_t)w->nz, nf = (size_t)(w->nu - w->nj);

  // [n] and [n x n] of all lanes
  size_t n = (size_t)w->n * W;
  size_t nn = (size_t)w->n * n;
  double **vectors[] = {&w->D1,      &w->D2,      &w->D1h,   &w->D2h,   &w->H0h,
                        &w->H1h,     &w->qm,      &w->v,     &w->a_q,   &w->a_v,
                        &w->jet.L_q, &w->jet.L_v, &w->T.L_q, &w->T.L_v, &w->L_vq};
  double **matrices[] = {&w->D11,    &w->D12,    &w->D21,      &w->D22,      &w->H00,
                         &w->H01,    &w->H11,    &w->jet.L_qq, &w->jet.L_qv, &w->jet.L_vv,
                         &w->T.L_qq, &w->T.L_qv, &w->T.L_vv};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    *matrices[i] = dm_block_alloc(b, nn, sizeof(double));

  // derivatives by inputs: the entries that masks allow, and the general forces' Huu
  double **entries[] = {&w->D1u, &w->D2u, &w->H0u, &w->H1u};
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    *entries[i] = dm_block_alloc(b, nz * W, sizeof(double));

  // pattern: one for all lanes
  w->row = dm_block_alloc(b, nz, sizeof *w->row);
  w->col = dm_block_alloc(b, nz, sizeof *w->col);
  w->Huu = dm_block_alloc(b, nf * nf * W, sizeof(double));
  w->Huh = dm_block_alloc(b, nu * W, sizeof(double));
  w->Hhh = dm_block_alloc(b, W, sizeof(double));

  // scratch of the Lagrangian and of the forces
  w->L_scratch = dm_block_alloc(b, w->s.L.scratch, 1);
  if (w->s.force.count) lay_out_forces(w, b, (size_t)w->n, nf);
}

// the entries of the inputs' columns, into row and col where these are there; returns how many
static int list_input_entries(const dm_interval *w, int *row, int *col) {
  const dm_forces *f = &w->s.force;
  int nz = w->nj, nf = w->nu - w->nj;

  // one for each input at a joint
  for (int c = 0; row && c < w->nj; c++) {
    row[c] = w->s.input_coord[c];
    col[c] = c;
  }

  // column by column what the general forces' mask_u has
  for (int c = 0; c < nf; c++) {
    for (int i = 0; i < w->n; i++) {
      if (!dm_forces_driven(f, w->n, i, c)) continue;
      if (row) {
        row[nz] = i;
        col[nz] = w->nj + c;
      }
      nz++;
    }
  }
  return nz;
}

// the number of leading coordinates that L or a general force depends on
static int count_active(const dm_system *s) {
  const dm_forces *f = &s->force;
  int n = s->L.nq, last = n;

  // what is idle in L counts up to the last coordinate that a force depends on or acts on
  for (; f->count && last > n - s->L.idle; last--) {
    bool touched = false;
    for (int j = 0; !touched && j < n; j++) touched = dm_forces_couple(f, n, last - 1, j);
    for (int j = 0; !touched && j < f->nu; j++) touched = dm_forces_driven(f, n, last - 1, j);
    if (touched) return last;
  }
  return n - s->L.idle;
}

static dm_status make_interval(dm_interval **out, const dm_system *s, int lanes) {
  dm_interval sizes = {.s = *s, .n = s->L.nq, .nu = s->nu, .lanes = lanes};

  // sizes that the layout reads: the pattern is counted first, and filled once there is memory
  sizes.active = count_active(s);
  sizes.by_step = true;
  sizes.nj = s->nu - s->force.nu;
  sizes.nz = list_input_entries(&sizes, NULL, NULL);
  dm_interval *w = dm_block_make(&sizes, sizeof sizes, lay_out_interval);
  if (!w) return DM_NO_MEMORY;
  list_input_entries(w, w->row, w->col);
  *out = w;
  return DM_OK;
}

dm_status dm_interval_new(dm_interval **out, const dm_system *s) {
  return make_interval(out, s, 1);
}

dm_status dm_interval_new_lanes(dm_interval **out, const dm_system *s) {
  if (s->L.lanes <= 1) return dm_interval_new(out, s);
  assert(s->L.lanes <= DM_MAX_LANES);
  dm_system many = *s;
  many.L.eval = s->L.lanes_eval;
  many.L.contract = s->L.lanes_contract;
  many.L.scratch = s->L.lanes_scratch;

  // with the functions for many in their place the number of lanes is a size like others
  return make_interval(out, &many, s->L.lanes);
}

void dm_interval_free(dm_interval *w) {
  dm_block_free(w);
}

// a = b = 0, both [n]
static void clear_pair(int n, double *a, double *b) {
  memset(a, 0, (size_t)n * sizeof(double));
  memset(b, 0, (size_t)n * sizeof(double));
}

// the configuration of quadrature point s, and the velocity of the step
static void place_point(dm_interval *w, int s, const double *q0, const double *q1, double h) {
  // qm = (1-alpha) q0 + alpha q1, v = (q1-q0)/h
  double a = w->s.rule.at[s];
  for (int i = 0; i < w->n * w->lanes; i++) {
    w->qm[i] = (1 - a) * q0[i] + a * q1[i];
    w->v[i] = (q1[i] - q0[i]) / h;
  }
}

// Every point adds, with c = weight h and the jet at (qm,v):
//   Ld  c L           D1  c(1-a) L_q - weight L_v              D2  c a L_q + weight L_v
//   D11 c(1-a)^2 L_qq - weight (1-a)(L_qv + L_vq) + weight/h L_vv,  and so on
static void add_gradient(dm_interval *w, int s, double h) {
  // qm = b q0 + a q1
  const double a = w->s.rule.at[s], b = 1 - a;
  const double wt = w->s.rule.weight[s], c = wt * h;
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

// one row of J's second derivatives, Ct that of L_vq, into those by (q0,q1); b10 may be NULL
DM_EACH_WIDTH static void add_second_row(int size, double a, double h, double scale,
                                         const double *restrict Q, const double *restrict C,
                                         const double *restrict Ct, const double *restrict V,
                                         double *restrict b00, double *restrict b01,
                                         double *restrict b10, double *restrict b11) {
  // factors of J_qq, J_qv and J_vv: qm and v change by 1-a and -1/h with q0, by a and 1/h with q1
  const double b = 1 - a;
  const double qq00 = scale * b * b;
  const double qq01 = scale * a * b;
  const double qq11 = scale * a * a;
  const double qv0 = scale * b / h;
  const double qv1 = scale * a / h;
  const double vv = scale / (h * h);

  // J_qv and J_vq count alike by the same end, with opposite signs by both ends
  for (int k = 0; k < size; k++) {
    double mass = vv * V[k], both = C[k] + Ct[k];
    b00[k] += qq00 * Q[k] - qv0 * both + mass;
    b11[k] += qq11 * Q[k] + qv1 * both + mass;
    b01[k] += qq01 * Q[k] - mass + qv0 * C[k] - qv1 * Ct[k];
  }

  // b10, the transpose of b01, is written where the caller keeps both
  for (int k = 0; b10 && k < size; k++)
    b10[k] += qq01 * Q[k] - vv * V[k] + qv0 * Ct[k] - qv1 * C[k];
}

// with J the second derivatives of a function of (qm,v) at point s, add those of weight h times it
// as a function of (q0,q1)
static void add_blocks(const dm_interval *w, int s, double h, const dm_jet *J, const blocks *to) {
  const double a = w->s.rule.at[s], scale = w->s.rule.weight[s] * h;
  int n = w->n, W = w->lanes, size = w->active * W;
  for (int i = 0; i < w->active; i++) {
    // row i of L_vq is column i of L_qv
    for (int j = 0; j < w->active; j++)
      for (int l = 0; l < W; l++) w->L_vq[j * W + l] = J->L_qv[(j * n + i) * W + l];

    int k = i * n * W;
    add_second_row(size, a, h, scale, J->L_qq + k, J->L_qv + k, w->L_vq, J->L_vv + k, to->b00 + k,
                   to->b01 + k, to->b10 ? to->b10 + k : NULL, to->b11 + k);
  }
}

// y = A x, with A [n x n] and x [n] of every lane, in row i
static void multiply_row(const dm_interval *w, const double *A, const double *x, int i, double *y) {
  int n = w->n, W = w->lanes;
  for (int l = 0; l < W; l++) y[l] = 0;

  // what is idle has zeros: its columns are left out
  for (int j = 0; j < w->active; j++)
    for (int l = 0; l < W; l++) y[l] += A[(i * n + j) * W + l] * x[j * W + l];
}

// derivatives of D1 and D2 by h, with v = (q1-q0)/h: v_h = -v/h
static void add_by_step(dm_interval *w, int s, double h) {
  const double a = w->s.rule.at[s], wt = w->s.rule.weight[s];
  double qv[DM_MAX_LANES], vv[DM_MAX_LANES];

  // by h at fixed q0, q1: g of c L_q, f of L_v, by v_h = -v/h
  for (int i = 0, k = 0; i < w->active; i++) {
    multiply_row(w, w->jet.L_qv, w->v, i, qv);
    multiply_row(w, w->jet.L_vv, w->v, i, vv);
    for (int l = 0; l < w->lanes; l++, k++) {
      double g = wt * (w->jet.L_q[k] - qv[l]), f = wt * vv[l] / h;
      w->D1h[k] += (1 - a) * g + f;
      w->D2h[k] += a * g - f;
    }
  }
}

// h f = h B u - damping (q1-q0), its share `left` added to D1 and the rest to D2
static void add_joint_forces(dm_interval *w, int order, const double *q0, const double *q1,
                             const double *u, double h) {
  const dm_system *s = &w->s;
  const double left = s->rule.left, right = 1 - left;
  int n = w->n, W = w->lanes;

  // damping's impulse, damping (q1-q0), does not change with h
  for (int i = 0; s->damping && i < n; i++) {
    double d = s->damping[i];
    if (d == 0) continue;
    for (int l = 0, k = i * W, kk = (i * n + i) * W; l < W; l++, k++, kk++) {
      w->D1[k] -= left * d * (q1[k] - q0[k]);
      w->D2[k] -= right * d * (q1[k] - q0[k]);
      if (order < 2) continue;

      // what is idle has no other second derivative than this one
      if (i >= w->active) w->D11[kk] = w->D12[kk] = w->D21[kk] = w->D22[kk] = 0;
      w->D11[kk] += left * d;
      w->D12[kk] -= left * d;
      w->D21[kk] += right * d;
      w->D22[kk] -= right * d;
    }
  }

  // h gear u, at the coordinate of each input
  for (int i = 0; i < w->nj; i++) {
    double gear = s->input_gear ? s->input_gear[i] : 1; // torque at the joint per input
    for (int l = 0, k = s->input_coord[i] * W, c = i * W; l < W; l++, k++, c++) {
      double f = gear * u[c];
      w->D1[k] += left * h * f;
      w->D2[k] += right * h * f;

      // their derivatives by u and h
      w->D1u[c] = left * h * gear;
      w->D2u[c] = right * h * gear;
      if (order < 2) continue;
      w->D1h[k] += left * f;
      w->D2h[k] += right * f;
    }
  }
}

// lane l of x [n]
static void pick_lane(int n, int W, int l, const double *from, double *to) {
  for (int i = 0; i < n; i++) to[i] = from[i * W + l];
}

// the general forces of lane l at the point at hand, and its derivatives (order 2)
static dm_status eval_force_at_point(dm_interval *w, int order, int l, const double *u) {
  const dm_forces *s = &w->s.force;
  dm_force_jet *f = &w->force.jet;
  size_t row = (size_t)w->n * sizeof(double);

  // (q,v,u) of the one lane
  pick_lane(w->n, w->lanes, l, w->qm, w->force.q);
  pick_lane(w->n, w->lanes, l, w->v, w->force.v);
  if (s->nu) pick_lane(s->nu, w->lanes, l, u + w->nj * w->lanes, w->force.u);

  // forces add to what is there
  memset(f->f, 0, row);
  if (order >= 2) {
    clear_pair(w->n * w->n, f->f_q, f->f_v);
    memset(f->f_u, 0, row * (size_t)s->nu);
  }
  return dm_forces_eval(s, w->n, w->force.scratch, order, w->force.q, w->force.v, w->force.u, f);
}

// c f with c = weight h, its share `left` added to D1 and the rest to D2. By q0 it changes as
// (1-a) f_q - f_v/h, by q1 as a f_q + f_v/h, and by h with v_h = -v/h
static dm_status add_force(dm_interval *w, int order, int s, const double *u, double h) {
  const double left = w->s.rule.left, right = 1 - left;
  const double a = w->s.rule.at[s], wt = w->s.rule.weight[s], c = wt * h;
  const dm_force_jet *f = &w->force.jet;
  int n = w->n, nf = w->s.force.nu, W = w->lanes;
  for (int l = 0; l < W; l++) {
    DM_TRY(eval_force_at_point(w, order, l, u));
    for (int i = 0; i < n; i++) {
      double rate = f->f[i]; // of h f by h: f - f_v v
      w->D1[i * W + l] += left * c * f->f[i];
      w->D2[i * W + l] += right * c * f->f[i];
      if (order < 2) continue;

      // by q0 and q1
      for (int j = 0; j < n; j++) {
        int k = (i * n + j) * W + l;
        double Q = f->f_q[i * n + j], V = f->f_v[i * n + j];
        double by_q0 = c * (1 - a) * Q - wt * V;
        double by_q1 = c * a * Q + wt * V;
        w->D11[k] += left * by_q0;
        w->D12[k] += left * by_q1;
        w->D21[k] += right * by_q0;
        w->D22[k] += right * by_q1;
        rate -= V * w->force.v[j];
      }

      // by h
      w->D1h[i * W + l] += left * wt * rate;
      w->D2h[i * W + l] += right * wt * rate;
    }

    // by u, in the entries of the general forces
    for (int e = w->nj; order >= 2 && e < w->nz; e++) {
      double by_u = c * f->f_u[w->row[e] * nf + w->col[e] - w->nj];
      w->D1u[e * W + l] += left * by_u;
      w->D2u[e * W + l] += right * by_u;
    }
  }
  return DM_OK;
}

dm_status dm_interval_eval(dm_interval *w, int order, const double *q0, const double *q1,
                           const double *u, double h) {
  int n = w->n * w->lanes;
  const blocks D = {w->D11, w->D12, w->D21, w->D22};

  // zeros, where the points add
  w->Ld = 0;
  clear_pair(n, w->D1, w->D2);
  if (order >= 2) {
    clear_pair(n, w->D1h, w->D2h);
    clear_pair(w->active * n, w->D11, w->D12); // what is idle has damping alone
    clear_pair(w->active * n, w->D21, w->D22);
    clear_pair((w->nz - w->nj) * w->lanes, w->D1u + w->nj * w->lanes, w->D2u + w->nj * w->lanes);
  }

  // each quadrature point of the rule adds its share
  for (int s = 0; s < w->s.rule.points; s++) {
    place_point(w, s, q0, q1, h);
    DM_TRY(w->s.L.eval(w->s.L.self, w->L_scratch, order, w->qm, w->v, &w->jet));
    add_gradient(w, s, h);
    if (w->s.force.count) DM_TRY(add_force(w, order, s, u, h));
    if (order < 2) continue;
    add_blocks(w, s, h, &w->jet, &D);
    if (w->by_step) add_by_step(w, s, h);
  }

  // forces at joints are the same at all points: once for the step
  add_joint_forces(w, order, q0, q1, u, h);
  return DM_OK;
}

// With a the pair (a_q,a_v) of docs/theory.md section 2, mu0.D1 Ld + mu1.D2 Ld = h DL(qm,v).a, and
// differentiating once and twice by h with v_h = -v/h:
//   H1h = alpha (L_qq a_q - T_qv v) - (T_vv v + L_vv a_v) / h      H0h the same with 1-alpha and +
//   Hhh = (v.T_vv v + 2 v.L_vv a_v) / h
static dm_status add_hessian_by_step(dm_interval *w, int s, double h) {
  const double a = w->s.rule.at[s], wt = w->s.rule.weight[s];
  double La[DM_MAX_LANES], Tv[DM_MAX_LANES], Ma[DM_MAX_LANES], Vv[DM_MAX_LANES];
  DM_TRY(w->s.L.eval(w->s.L.self, w->L_scratch, 2, w->qm, w->v, &w->jet));

  // row i of each product in all lanes
  for (int i = 0, k = 0; i < w->active; i++) {
    multiply_row(w, w->jet.L_qq, w->a_q, i, La);
    multiply_row(w, w->T.L_qv, w->v, i, Tv);
    multiply_row(w, w->T.L_vv, w->v, i, Vv);
    multiply_row(w, w->jet.L_vv, w->a_v, i, Ma);
    for (int l = 0; l < w->lanes; l++, k++) {
      double g = La[l] - Tv[l];       // of L_q.a_q and of c T by v_h
      double f = (Vv[l] + Ma[l]) / h; // of the 1/h in v and in a_v
      w->H0h[k] += wt * ((1 - a) * g + f);
      w->H1h[k] += wt * (a * g - f);
      w->Hhh[l] += wt * w->v[k] * (f + Ma[l] / h);
    }
  }
  return DM_OK;
}

// the second derivatives of m.f, m = left mu0 + (1-left) mu1, where eval_force_at_point was
static dm_status contract_force(dm_interval *w, int l, const double *mu0, const double *mu1) {
  const dm_forces *s = &w->s.force;
  const dm_force_hessian *H = &w->force.mf;
  const double left = w->s.rule.left;
  int n = w->n, W = w->lanes;

  // m, of the shares that D1 and D2 have of the force
  for (int i = 0; i < n; i++) w->force.m[i] = left * mu0[i * W + l] + (1 - left) * mu1[i * W + l];

  // forces add to what is there
  clear_pair(n * n, H->qq, H->qv);
  memset(H->vv, 0, (size_t)(n * n) * sizeof(double));
  clear_pair(n * s->nu, H->qu, H->vu);
  memset(H->uu, 0, (size_t)(s->nu * s->nu) * sizeof(double));
  return dm_forces_contract(s, n, w->force.scratch, w->force.q, w->force.v, w->force.u, w->force.m,
                            &w->force.mf);
}

// What c m.f adds, c = weight h: its second derivatives by (q,v) to those of T(a), which go the
// same way to H00 .. H11 and to the columns by h; there, and with u, besides
//   H0h (1-a) weight m.f_q     H1h a weight m.f_q     Huh weight (m.f_u - v.vu)
//   H0u (1-a) c qu - weight vu     H1u a c qu + weight vu     Huu c uu
static dm_status add_force_hessian(dm_interval *w, bool with_h, int s, const double *u, double h,
                                   const double *mu0, const double *mu1) {
  const double a = w->s.rule.at[s], wt = w->s.rule.weight[s], c = wt * h;
  const dm_force_jet *f = &w->force.jet;
  const dm_force_hessian *H = &w->force.mf;
  int n = w->n, nf = w->s.force.nu, W = w->lanes;
  for (int l = 0; l < W; l++) {
    // columns by h need f_q and f_u besides
    DM_TRY(eval_force_at_point(w, with_h ? 2 : 1, l, u));
    DM_TRY(contract_force(w, l, mu0, mu1));

    // by (q,v), to go the way of T(a)
    for (int k = 0; k < n * n; k++) {
      w->T.L_qq[k * W + l] += H->qq[k];
      w->T.L_qv[k * W + l] += H->qv[k];
      w->T.L_vv[k * W + l] += H->vv[k];
    }

    // by u, with q and v, and twice
    for (int e = w->nj; e < w->nz; e++) {
      int k = w->row[e] * nf + w->col[e] - w->nj;
      w->H0u[e * W + l] += c * (1 - a) * H->qu[k] - wt * H->vu[k];
      w->H1u[e * W + l] += c * a * H->qu[k] + wt * H->vu[k];
    }
    for (int k = 0; k < nf * nf; k++) w->Huu[k * W + l] += c * H->uu[k];

    // by h: the factor h differentiated
    for (int i = 0; with_h && i < n; i++) {
      double m_i = w->force.m[i], v_i = w->force.v[i];
      for (int j = 0; j < n; j++) {
        w->H0h[j * W + l] += (1 - a) * wt * m_i * f->f_q[i * n + j];
        w->H1h[j * W + l] += a * wt * m_i * f->f_q[i * n + j];
      }
      for (int j = 0; j < nf; j++)
        w->Huh[(w->nj + j) * W + l] += wt * (m_i * f->f_u[i * nf + j] - v_i * H->vu[i * nf + j]);
    }
  }
  return DM_OK;
}

// zeros where general forces add
static void clear_force_hessian(dm_interval *w, bool with_h) {
  int W = w->lanes, joint = w->nj * W, nf = w->s.force.nu;

  // entries of inputs at joints stay zero for good
  clear_pair(w->nz * W - joint, w->H0u + joint, w->H1u + joint);
  memset(w->Huu, 0, (size_t)(nf * nf * W) * sizeof(double));
  if (with_h) memset(w->Huh + joint, 0, (size_t)(nf * W) * sizeof(double));
}

dm_status dm_interval_contract(dm_interval *w, bool with_h, const double *q0, const double *q1,
                               const double *u, double h, const double *mu0, const double *mu1) {
  const dm_system *s = &w->s;
  int n = w->n * w->lanes;
  const blocks H = {w->H00, w->H01, NULL, w->H11};
  if (!s->L.contract || !dm_forces_contractible(&s->force)) return DM_UNAVAILABLE;

  // zeros, where the points add
  clear_pair(w->n * n, w->H00, w->H01);
  memset(w->H11, 0, (size_t)(w->n * n) * sizeof(double));
  if (with_h) {
    clear_pair(n, w->H0h, w->H1h);
    memset(w->Hhh, 0, (size_t)w->lanes * sizeof(double));
  }
  if (s->force.count) clear_force_hessian(w, with_h);

  // at each point mu0.D1 Ld + mu1.D2 Ld is h DL(qm,v).a, with the Hessian T(a) by (q,v)
  for (int p = 0; p < s->rule.points; p++) {
    // a_q, a_v: the direction in which DL(qm,v) is taken
    double a = s->rule.at[p];
    place_point(w, p, q0, q1, h);
    for (int i = 0; i < n; i++) {
      w->a_q[i] = (1 - a) * mu0[i] + a * mu1[i];
      w->a_v[i] = (mu1[i] - mu0[i]) / h;
    }
    DM_TRY(s->L.contract(s->L.self, w->L_scratch, w->qm, w->v, w->a_q, w->a_v, &w->T));
    if (s->force.count) DM_TRY(add_force_hessian(w, with_h, p, u, h, mu0, mu1));
    add_blocks(w, p, h, &w->T, &H);
    if (with_h) DM_TRY(add_hessian_by_step(w, p, h));
  }

  // forces at joints are linear in u and h: one mixed derivative
  for (int i = 0; with_h && i < w->nj; i++)
    for (int l = 0, k = s->input_coord[i] * w->lanes; l < w->lanes; l++, k++) {
      double gear = s->input_gear ? s->input_gear[i] : 1;
      w->Huh[i * w->lanes + l] = gear * (s->rule.left * mu0[k] + (1 - s->rule.left) * mu1[k]);
    }
  return DM_OK;
}

// H00 .. H11, and the columns by inputs that the general forces have entries in
static void pick_hessian(const dm_interval *many, int l, bool with_h, dm_interval *one) {
  int n = many->n, nn = n * n, nu = many->nu, nz = many->nz, W = many->lanes;
  int nf = nu - many->nj;
  if (nf) {
    pick_lane(nz, W, l, many->H0u, one->H0u);
    pick_lane(nz, W, l, many->H1u, one->H1u);
    pick_lane(nf * nf, W, l, many->Huu, one->Huu);
  }

  // by q0 and q1
  pick_lane(nn, W, l, many->H00, one->H00);
  pick_lane(nn, W, l, many->H01, one->H01);
  pick_lane(nn, W, l, many->H11, one->H11);
  if (!with_h) return;

  // columns by h
  pick_lane(n, W, l, many->H0h, one->H0h);
  pick_lane(n, W, l, many->H1h, one->H1h);
  pick_lane(nu, W, l, many->Huh, one->Huh);
  *one->Hhh = many->Hhh[l];
}

// D1, D2 and their first derivatives
static void pick_derivatives(const dm_interval *many, int l, bool with_h, dm_interval *one) {
  int n = many->n, nn = n * n, nz = many->nz, W = many->lanes;
  pick_lane(n, W, l, many->D1, one->D1);
  pick_lane(n, W, l, many->D2, one->D2);

  // by q0 and q1, then by inputs
  pick_lane(nn, W, l, many->D11, one->D11);
  pick_lane(nn, W, l, many->D12, one->D12);
  pick_lane(nn, W, l, many->D21, one->D21);
  pick_lane(nn, W, l, many->D22, one->D22);
  pick_lane(nz, W, l, many->D1u, one->D1u);
  pick_lane(nz, W, l, many->D2u, one->D2u);
  if (!with_h) return;

  // columns by h
  pick_lane(n, W, l, many->D1h, one->D1h);
  pick_lane(n, W, l, many->D2h, one->D2h);
}

void dm_interval_pick(const dm_interval *many, int l, bool hessian, bool with_h, dm_interval *one) {
  if (hessian)
    pick_hessian(many, l, with_h, one);
  else
    pick_derivatives(many, l, with_h, one);
}
