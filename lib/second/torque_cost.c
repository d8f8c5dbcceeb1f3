#include "lib/second/torque_cost.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/second/torque_lanes.h"

#include <string.h>

static void lay_out_torque_cost(void *self, dm_block *b) {
  dm_torque_cost *w = self;
  size_t n = (size_t)w->n, nu = (size_t)w->force.nu, some = w->force.count ? n : 0;
  w->u = dm_block_alloc(b, n, sizeof(double));
  w->mu = dm_block_alloc(b, n, sizeof(double));
  w->J = dm_block_alloc(b, 3 * n * n, sizeof(double));
  w->WJ = dm_block_alloc(b, 3 * n * n, sizeof(double));

  // general forces and their derivatives, if any
  dm_force_jet *f = &w->f;
  dm_force_hessian *H = &w->mf;
  double **const square[] = {&f->f_q, &f->f_v, &H->qq, &H->qv, &H->vv};
  double **const wide[] = {&f->f_u, &H->qu, &H->vu};
  f->f = dm_block_alloc(b, some, sizeof(double));
  for (int i = 0; i < 5; i++) *square[i] = dm_block_alloc(b, some * n, sizeof(double));
  for (int i = 0; i < 3; i++) *wide[i] = dm_block_alloc(b, some * nu, sizeof(double));
  H->uu = dm_block_alloc(b, nu * nu, sizeof(double));

  // inputs of the general forces, and their scratch
  w->inputs = dm_block_alloc(b, nu, sizeof(double));
  w->scratch = dm_block_alloc(b, dm_forces_scratch(&w->force, w->n), 1);

  // -L_q of a system
  const size_t own = w->L.eval ? n : 0;
  dm_inverse *t = &w->own;
  double **const rows[] = {&t->tau, &w->L_v, &w->zero};
  double **const squares[] = {&t->tau_q, &t->tau_v, &t->tau_a, &w->L_vv,
                              &t->mu.qq, &t->mu.qv, &t->mu.vv, &t->mu.qa};
  for (int i = 0; i < 3; i++) *rows[i] = dm_block_alloc(b, own, sizeof(double));
  for (int i = 0; i < 8; i++) *squares[i] = dm_block_alloc(b, own * n, sizeof(double));
  w->sweep = dm_block_alloc(b, own ? w->L.scratch : 0, 1);
  if (!w->damping) w->damping = dm_block_alloc(b, n, sizeof(double));
}

// the kernel with the most lanes that the processor supports; NULL: one lane
static const dm_torque_kernel *find_torque_kernel(void) {
#ifdef DM_X86_LANES
  if (__builtin_cpu_supports("avx512f")) return &dm_torque_avx512;
  if (__builtin_cpu_supports("avx2")) return &dm_torque_avx2;
#endif
  return NULL;
}

static void free_parts(dm_torque_cost *w) {
  if (!w->L.eval) dm_inverse_free(w->inverse);
  if (w->lanes) dm_inverse_free(w->lanes->inverse);
  dm_block_free(w->lanes);
}

dm_status dm_torque_cost_new(dm_torque_cost **out, const dm_model *m, const dm_potential *V,
                             const dm_forces *f, const double *W) {
  dm_torque_cost sizes = {.n = m->nq, .W = W, .damping = m->damping};
  if (f) sizes.force = *f;

  // tau of the tree with the potential; several points at once only for the tree alone
  const dm_torque_kernel *k = V || sizes.force.count ? NULL : find_torque_kernel();
  dm_status s = dm_inverse_new(&sizes.inverse, m, V);
  if (s == DM_OK && k) s = k->open(&sizes.lanes, m, W);
  dm_torque_cost *w = s == DM_OK ? dm_block_make(&sizes, sizeof sizes, lay_out_torque_cost) : NULL;
  if (!w) {
    free_parts(&sizes);
    return DM_NO_MEMORY;
  }
  *out = w;
  return DM_OK;
}

dm_status dm_torque_cost_of(dm_torque_cost **out, const dm_system *s, const double *W) {
  dm_torque_cost sizes = {.n = s->L.nq, .W = W, .damping = s->damping, .force = s->force};
  sizes.L = s->physical ? *s->physical : s->L;
  dm_torque_cost *w = dm_block_make(&sizes, sizeof sizes, lay_out_torque_cost);
  if (!w) return DM_NO_MEMORY;
  w->inverse = &w->own;
  w->own.n = w->n;
  *out = w;
  return DM_OK;
}

void dm_torque_cost_free(dm_torque_cost *w) {
  if (w) free_parts(w);
  dm_block_free(w);
}

static void negate(int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = -x[i];
}

// tau with its first derivatives (order 1)
static dm_status eval_tau(dm_torque_cost *w, int order, const double *x) {
  const int n = w->n;
  const dm_inverse *t = w->inverse;
  if (!w->L.eval) return dm_inverse_eval(w->inverse, order, x, x + n, x + 2 * n);

  // -L_q, whose derivatives by a are 0
  dm_jet jet = {.L_q = t->tau, .L_v = w->L_v, .L_qq = t->tau_q, .L_qv = t->tau_v, .L_vv = w->L_vv};
  DM_TRY(w->L.eval(w->L.self, w->sweep, 2, x, x + n, &jet));
  negate(n, t->tau);
  negate(n * n, t->tau_q);
  negate(n * n, t->tau_v);
  return DM_OK;
}

// the second derivatives of mu.tau at the point of the last eval_tau of order 1
static dm_status contract_tau(dm_torque_cost *w, const double *x, const double *mu) {
  const int nn = w->n * w->n;
  const dm_inverse_pair *t = &w->inverse->mu;
  if (!w->L.eval) return dm_inverse_contract(w->inverse, 2, mu);
  if (!w->L.contract) return DM_UNAVAILABLE;
  dm_jet jet = {.L_qq = t->qq, .L_qv = t->qv, .L_vv = t->vv};
  DM_TRY(w->L.contract(w->L.self, w->sweep, x, x + w->n, mu, w->zero, &jet));
  negate(nn, t->qq);
  negate(nn, t->qv);
  negate(nn, t->vv);
  return DM_OK;
}

// f, f_q and f_v of the general forces at x, without inputs
static dm_status eval_general_forces(dm_torque_cost *w, const double *x) {
  const dm_forces *s = &w->force;
  const dm_force_jet *f = &w->f;
  int n = w->n;
  size_t row = (size_t)n * sizeof(double);
  if (!s->count) return DM_OK;

  // forces add to their outputs
  memset(f->f, 0, row);
  memset(f->f_q, 0, (size_t)n * row);
  memset(f->f_v, 0, (size_t)n * row);
  memset(f->f_u, 0, (size_t)s->nu * row);
  return dm_forces_eval(s, n, w->scratch, 2, x, x + n, w->inputs, &w->f);
}

// u = tau + damping v - f, and its first derivatives J (order 1)
static dm_status eval_torques(dm_torque_cost *w, int order, const double *x) {
  const dm_inverse *t = w->inverse;
  const dm_forces *s = &w->force;
  const dm_force_jet *f = &w->f;
  int n = w->n, wide = 3 * n;

  // tau and f with their derivatives
  DM_TRY(eval_tau(w, order, x));
  DM_TRY(eval_general_forces(w, x));
  for (int i = 0; i < n; i++) {
    // blocks by q, v, a of row i
    const double *const part[] = {t->tau_q + i * n, t->tau_v + i * n, t->tau_a + i * n};
    double *row = w->J + i * wide;
    w->u[i] = t->tau[i] + w->damping[i] * x[n + i] - (s->count ? f->f[i] : 0);
    if (order < 1) continue;

    // row i of J = (tau_q - f_q | tau_v + damping - f_v | tau_a)
    for (int p = 0; p < 3; p++) memcpy(row + p * n, part[p], (size_t)n * sizeof *row);
    row[n + i] += w->damping[i];
    for (int j = 0; s->count && j < n; j++) {
      row[j] -= f->f_q[i * n + j];
      row[n + j] -= f->f_v[i * n + j];
    }
  }
  return DM_OK;
}

// H -= Hessian of mu.f of the general forces at x
static dm_status subtract_force_hessian(dm_torque_cost *w, const double *x, const double *mu,
                                        double *H) {
  const dm_forces *s = &w->force;
  const dm_force_hessian *f = &w->mf;
  int n = w->n, wide = 3 * n;
  if (!s->count) return DM_OK;
  if (!dm_forces_contractible(s)) return DM_UNAVAILABLE;

  // forces add to their outputs
  size_t nn = (size_t)(n * n), nu = (size_t)s->nu;
  memset(f->qq, 0, nn * sizeof(double));
  memset(f->qv, 0, nn * sizeof(double));
  memset(f->vv, 0, nn * sizeof(double));
  memset(f->qu, 0, (size_t)n * nu * sizeof(double));
  memset(f->vu, 0, (size_t)n * nu * sizeof(double));
  memset(f->uu, 0, nu * nu * sizeof(double));
  DM_TRY(dm_forces_contract(s, n, w->scratch, x, x + n, w->inputs, mu, &w->mf));

  // blocks by (q,v); f does not depend on a
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int ij = i * n + j, ji = j * n + i;
      // rows of q and v in H [3n x 3n]
      double *q = H + i * wide + j, *v = q + n * wide;
      q[0] -= f->qq[ij];
      q[n] -= f->qv[ij];
      v[0] -= f->qv[ji];
      v[n] -= f->vv[ij];
    }
  return DM_OK;
}

// H += Hessian of mu.u at x, after the contraction of inverse dynamics with mu
static dm_status add_torque_hessian(dm_torque_cost *w, const double *x, const double *mu,
                                    double *H) {
  const dm_inverse_pair *t = &w->inverse->mu;
  int n = w->n, wide = 3 * n;

  // blocks of mu.tau by (q,v,a): tau is linear in a and M depends on q only, so that the blocks by
  // (a,a) and (v,a) are zero
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int ij = i * n + j, ji = j * n + i;
      double *q = H + i * wide + j, *v = q + n * wide, *a = v + n * wide; // rows of q, v, a
      q[0] += t->qq[ij];
      q[n] += t->qv[ij];
      q[2 * n] += t->qa[ij];
      v[0] += t->qv[ji];
      v[n] += t->vv[ij];
      a[0] += t->qa[ji];
    }
  return subtract_force_hessian(w, x, mu, H);
}

dm_status dm_torque_cost_forces(dm_torque_cost *w, int order, const double *x, const double *mu,
                                double *H) {
  size_t wide = 3 * (size_t)w->n;
  // order 1 keeps the data that dm_inverse_contract reads
  DM_TRY(eval_torques(w, 1, x));

  if (order < 2) return DM_OK;
  // the Hessian of mu.u
  DM_TRY(contract_tau(w, x, mu));
  memset(H, 0, wide * wide * sizeof *H);
  return add_torque_hessian(w, x, mu, H);
}

// C, its gradient (order 1) and its Hessian (order 2) at x = (q,v,a)
static dm_status eval_torque_cost(const dm_second_order_lagrangian *C, int order, const double *x,
                                  double *value, double *C_x, double *C_xx) {
  dm_torque_cost *w = C->self;
  int n = w->n, wide = 3 * n;
  if (w->L.eval) return DM_UNAVAILABLE;  // u is -L_q alone, no torque
  DM_TRY(eval_torques(w, order > 1, x)); // J is needed for C_xx only

  // mu = W u, C = mu.u/2
  *value = 0;
  for (int i = 0; i < n; i++) {
    w->mu[i] = w->W[i] * w->u[i];
    *value += 0.5 * w->mu[i] * w->u[i];
  }

  // C_x = J'mu: tau by contracted inverse dynamics, damping and forces here
  if (order < 1) return DM_OK;
  DM_TRY(dm_inverse_contract(w->inverse, order, w->mu));
  const dm_inverse_pair *g = &w->inverse->mu;
  for (int i = 0; i < n; i++) {
    C_x[i] = g->q[i];
    C_x[n + i] = g->v[i] + w->damping[i] * w->mu[i];
    C_x[2 * n + i] = g->a[i];
    for (int j = 0; w->force.count && j < n; j++) {
      // -f'mu by q and v
      C_x[i] -= w->f.f_q[j * n + i] * w->mu[j];
      C_x[n + i] -= w->f.f_v[j * n + i] * w->mu[j];
    }
  }

  // C_xx = J'WJ + Hessian of mu.u for this mu
  if (order < 2) return DM_OK;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < wide; j++) w->WJ[i * wide + j] = w->W[i] * w->J[i * wide + j];
  dm_gemm_transposed(wide, wide, n, 1, w->J, wide, w->WJ, wide, 0, C_xx, wide);
  return add_torque_hessian(w, x, w->mu, C_xx);
}

static dm_status eval_torque_cost_lanes(const dm_second_order_lagrangian *C, int order,
                                        const double *x, double *value, double *C_x, double *C_xx) {
  const dm_torque_cost *w = C->self;
  return find_torque_kernel()->eval(w->lanes, order, x, value, C_x, C_xx);
}

dm_second_order_lagrangian dm_torque_cost_lagrangian(dm_torque_cost *w) {
  dm_second_order_lagrangian C = {.n = w->n, .k = 2, .self = w, .eval = eval_torque_cost};
  if (w->lanes) {
    C.lanes = find_torque_kernel()->lanes;
    C.eval_lanes = eval_torque_cost_lanes;
  }
  return C;
}
