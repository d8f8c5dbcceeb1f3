#include "lib/mechanics/continuous.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void lay_out_continuous(void *self, dm_block *b) {
  dm_continuous *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->s.hol.nc;

  // L and the equations of motion
  double **vectors[] = {&w->b, &w->jet.L_q, &w->jet.L_v, &w->f.f};
  double **matrices[] = {&w->M, &w->L_vv, &w->jet.L_qq, &w->jet.L_qv, &w->jet.L_vv};
  for (size_t i = 0; i < 4; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  for (size_t i = 0; i < 5; i++) *matrices[i] = dm_block_alloc(b, n * n, sizeof(double));
  w->part = dm_block_alloc(b, n * (nc ? nc : 1), sizeof *w->part);
  w->at = dm_block_alloc(b, 2 * n, sizeof *w->at);
  w->dynamic = dm_block_alloc(b, n, sizeof *w->dynamic);

  // constraints
  const size_t nv = (size_t)w->s.hol.nv;
  double **constraints[] = {&w->h, &w->Dh, &w->Dh_v, &w->T, &w->G, &w->drift, &w->drift_q};
  const size_t sizes[] = {nc, nc * n, nc * n, n * nc, nc * nc, nv, nv * n};
  for (size_t i = 0; i < 7; i++) *constraints[i] = dm_block_alloc(b, sizes[i], sizeof(double));
  w->piv = dm_block_alloc(b, nc, sizeof *w->piv);
  w->mass_piv = dm_block_alloc(b, n, sizeof *w->mass_piv);

  // scratch of the interfaces, and default inputs of forces
  w->sweep = dm_block_alloc(b, w->s.L.scratch, 1);
  w->force = dm_block_alloc(b, dm_forces_scratch(&w->s.force, w->n), 1);
  w->hol = dm_block_alloc(b, w->s.hol.scratch, 1);
  w->zero = dm_block_alloc(b, (size_t)w->s.force.nu, sizeof(double));
}

static bool is_kinematic(const dm_continuous *w, int i) {
  return w->s.kinematic && w->s.kinematic[i];
}

dm_status dm_continuous_new(dm_continuous **out, const dm_system *s) {
  dm_continuous sizes = {.s = *s, .n = s->L.nq};
  dm_continuous *w = dm_block_make(&sizes, sizeof sizes, lay_out_continuous);
  if (!w) return DM_NO_MEMORY;
  for (int i = 0; i < w->n; i++)
    if (!is_kinematic(w, i)) w->dynamic[w->nd++] = i;
  *out = w;
  return DM_OK;
}

void dm_continuous_free(dm_continuous *w) {
  dm_block_free(w);
}

// L of states and momenta
static dm_status eval_lagrangian(dm_continuous *w, int order, const double *q, const double *v) {
  w->placed = false;
  return w->s.L.eval(w->s.L.self, w->sweep, order, q, v, &w->jet);
}

// L of motions and energies
static dm_status eval_physical(dm_continuous *w, int order, const double *q, const double *v) {
  const dm_lagrangian *L = w->s.physical ? w->s.physical : &w->s.L;
  w->placed = false;
  return L->eval(L->self, w->sweep, order, q, v, &w->jet);
}

// factor the dynamic block of L_vv, or keep the factors if L_vv is unchanged
static dm_status factor_mass_matrix(dm_continuous *w) {
  const size_t size = (size_t)(w->n * w->n) * sizeof(double);
  const int n = w->n, nd = w->nd;
  if (w->factored && memcmp(w->L_vv, w->jet.L_vv, size) == 0) return DM_OK;

  // M_dd: rows and columns of the dynamic coordinates
  w->factored = false;
  memcpy(w->L_vv, w->jet.L_vv, size);
  for (int i = 0; i < nd; i++)
    for (int j = 0; j < nd; j++) w->M[i * nd + j] = w->L_vv[w->dynamic[i] * n + w->dynamic[j]];
  DM_TRY(dm_lu_factor(nd, w->M, w->mass_piv));
  w->factored = true;
  return DM_OK;
}

// B [n x nrhs] <- L_vv^-1 B; prescribed entries are kept: B_d <- M_dd^-1 (B_d - M_dk B_k)
static dm_status solve_mass_matrix(dm_continuous *w, int nrhs, double *B) {
  const int n = w->n, nd = w->nd;
  DM_TRY(factor_mass_matrix(w));
  for (int i = 0; i < nd; i++) {
    const double *row = w->L_vv + w->dynamic[i] * n;
    double *b = w->part + i * nrhs;
    memcpy(b, B + w->dynamic[i] * nrhs, (size_t)nrhs * sizeof *b);
    for (int k = 0; nd < n && k < n; k++)
      for (int r = 0; row[k] != 0 && is_kinematic(w, k) && r < nrhs; r++)
        b[r] -= row[k] * B[k * nrhs + r];
  }

  // solve for the dynamic part and write it back
  dm_lu_solve(nd, w->M, w->mass_piv, nrhs, w->part);
  for (int i = 0; i < nd; i++)
    memcpy(B + w->dynamic[i] * nrhs, w->part + i * nrhs, (size_t)nrhs * sizeof *B);
  return DM_OK;
}

dm_status dm_momentum_of(dm_continuous *w, const double *q, const double *v, double *p) {
  DM_TRY(eval_lagrangian(w, 1, q, v));
  for (int i = 0; i < w->n; i++) p[i] = is_kinematic(w, i) ? v[i] : w->jet.L_v[i];
  return DM_OK;
}

// remember the point: the next call often refers to the same (q,v)
static dm_status keep_place(dm_continuous *w, const double *q, const double *v) {
  const size_t size = (size_t)w->n * sizeof *q;
  memcpy(w->at, q, size);
  memcpy(w->at + w->n, v, size);
  w->placed = true;
  return DM_OK;
}

static bool is_placed(const dm_continuous *w, const double *q, const double *v) {
  const size_t size = (size_t)w->n * sizeof *q;
  return w->placed && memcmp(w->at, q, size) == 0 && memcmp(w->at + w->n, v, size) == 0;
}

// L_v at another v: L_vv v if L is v.L_vv v/2 - V(q), else an evaluation
static dm_status find_momentum(dm_continuous *w, const double *q, const double *v) {
  if (!w->s.L.quadratic) return eval_lagrangian(w, 2, q, v);
  dm_gemm(w->n, 1, w->n, 1, w->jet.L_vv, v, 0, w->jet.L_v);
  return DM_OK;
}

dm_status dm_velocity_of(dm_continuous *w, const double *q, const double *p, double *v) {
  enum { MAX_ITER = 30 };
  static const double NEAR = 1e-9; // relative residual below which a lack of progress is rounding
  double none = 0;                 // absolute tolerance from the initial residual, for p = 0
  double before = INFINITY;        // residual of the previous iterate

  for (int k = 0; k < MAX_ITER; k++) {
    // b = p - L_v(q,v), its size and that of p
    DM_TRY(k > 0 ? find_momentum(w, q, v) : eval_lagrangian(w, 2, q, v));
    double off = 0, size = 0, sum = 0;
    for (int i = 0; i < w->n; i++) {
      w->b[i] = p[i] - (is_kinematic(w, i) ? v[i] : w->jet.L_v[i]);
      off = dm_larger(off, fabs(w->b[i]));
      sum += w->b[i]; // detects NaN, which fmax ignores
      size = dm_larger(size, dm_larger(fabs(p[i]), fabs(w->jet.L_v[i])));
    }
    if (!isfinite(sum)) return DM_NOT_FINITE;
    if (k == 0) none = 1e-28 * off + DBL_MIN;

    // converged: rounding of p, or no further progress because L_v is rounded more coarsely
    if (off <= dm_larger(1e-14 * size, none)) return keep_place(w, q, v);
    if (off <= NEAR * size && off > before / 2) return keep_place(w, q, v);
    before = off;

    // v += L_vv^-1 (p - L_v)
    DM_TRY(solve_mass_matrix(w, 1, w->b));
    double step = 0, speed = 0;
    for (int i = 0; i < w->n; i++) {
      v[i] += w->b[i];
      step = dm_larger(step, fabs(w->b[i]));
      speed = dm_larger(speed, fabs(v[i]));
    }
    if (!isfinite(speed)) return DM_NOT_FINITE;
    if (step <= 1e-13 * speed) return DM_OK;
  }
  return DM_MAX_ITER;
}

// rows [nc x n] += b_q of nonholonomic rows, or h [nc] += b; NULL: not asked
static dm_status add_drift(dm_continuous *w, const double *q, double *h, double *rows) {
  const dm_holonomic *hol = &w->s.hol;
  const int n = w->n, nh = hol->nc - hol->nv;
  if (!hol->nv || !hol->drift) return DM_OK;
  DM_TRY(hol->drift(hol->self, w->hol, q, NULL, w->drift, w->drift_q, NULL));
  for (int r = 0; h && r < hol->nv; r++) h[nh + r] += w->drift[r];
  for (int i = 0; rows && i < hol->nv * n; i++) rows[nh * n + i] += w->drift_q[i];
  return DM_OK;
}

// rows D2h v, and (A v + b)_q of nonholonomic rows, into Dh_v
static dm_status eval_rate_slope(dm_continuous *w, const double *q, const double *v) {
  const dm_holonomic *hol = &w->s.hol;
  DM_TRY(hol->directional(hol->self, w->hol, q, v, NULL, w->Dh_v, NULL));
  return add_drift(w, q, NULL, w->Dh_v);
}

// x [n] <- x - M^-1 Dh' (Dh M^-1 Dh')^-1 (Dh x + D2h(v,v)), M as last evaluated; v NULL: x is a
// velocity, and b of nonholonomic rows takes the place of D2h(v,v)
static dm_status project_tangent(dm_continuous *w, const double *q, const double *v, double *x) {
  const dm_holonomic *hol = &w->s.hol;
  const int n = w->n, nc = hol->nc;
  DM_TRY(hol->eval(hol->self, w->hol, q, w->h, w->Dh));

  // T = M^-1 Dh'; impulses do not move prescribed coordinates
  for (int i = 0; i < n; i++)
    for (int c = 0; c < nc; c++) w->T[i * nc + c] = is_kinematic(w, i) ? 0 : w->Dh[c * n + i];
  DM_TRY(solve_mass_matrix(w, nc, w->T));

  // G = Dh M^-1 Dh', h = Dh x + D2h(v,v)
  dm_gemm(nc, nc, n, 1, w->Dh, w->T, 0, w->G);
  dm_gemm(nc, 1, n, 1, w->Dh, x, 0, w->h);
  if (v) {
    DM_TRY(eval_rate_slope(w, q, v));
    dm_gemm(nc, 1, n, 1, w->Dh_v, v, 1, w->h);
  } else {
    DM_TRY(add_drift(w, q, w->h, NULL));
  }

  // x -= T G^-1 h
  DM_TRY(dm_lu_factor(nc, w->G, w->piv));
  dm_lu_solve(nc, w->G, w->piv, 1, w->h);
  dm_gemm(n, 1, nc, -1, w->T, w->h, 1, x);
  return DM_OK;
}

// c of p = L_v + Dh'c: solve (Dh M^-1 Dh') c = Dh M^-1 (p - L_v) into w->h, with T and the factors
// of G from project_tangent
static dm_status find_constraint_momentum(dm_continuous *w, const double *p) {
  const int n = w->n, nc = w->s.hol.nc;
  for (int i = 0; i < n; i++) w->b[i] = is_kinematic(w, i) ? 0 : p[i] - w->jet.L_v[i];
  DM_TRY(solve_mass_matrix(w, 1, w->b));
  dm_gemm(nc, 1, n, 1, w->Dh, w->b, 0, w->h);
  dm_lu_solve(nc, w->G, w->piv, 1, w->h);
  return DM_OK;
}

// column j of v_q or v_p, from its right-hand side in w->b
static dm_status solve_velocity_slope(dm_continuous *w, int j, bool of_q, double *slope) {
  const int n = w->n, nc = w->s.hol.nc;
  DM_TRY(solve_mass_matrix(w, 1, w->b));

  // b -= T G^-1 (Dh b + D2h(v) of column j)
  if (nc) {
    dm_gemm(nc, 1, n, 1, w->Dh, w->b, 0, w->h);
    for (int c = 0; of_q && c < nc; c++) w->h[c] += w->Dh_v[c * n + j];
    dm_lu_solve(nc, w->G, w->piv, 1, w->h);
    dm_gemm(n, 1, nc, -1, w->T, w->h, 1, w->b);
  }
  for (int i = 0; i < n; i++) slope[i * n + j] = w->b[i];
  return DM_OK;
}

dm_status dm_velocity_slope(dm_continuous *w, const double *x, const double *v, double *v_q,
                            double *v_p) {
  const dm_holonomic *hol = &w->s.hol;
  const int n = w->n;
  w->placed = false;
  DM_TRY(eval_lagrangian(w, 2, x, v));

  // c D2h in v_q, and T, G, D2h v
  memset(v_q, 0, (size_t)(n * n) * sizeof *v_q);
  if (hol->nc) {
    memcpy(w->b, v, (size_t)n * sizeof *v);
    DM_TRY(project_tangent(w, x, NULL, w->b));
    DM_TRY(find_constraint_momentum(w, x + n));
    DM_TRY(hol->contract(hol->self, w->hol, x, w->h, v_q));
    DM_TRY(eval_rate_slope(w, x, v));
  }

  // column by column; for a prescribed coordinate p is v
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      w->b[i] = is_kinematic(w, i) ? 0 : -w->jet.L_qv[j * n + i] - v_q[i * n + j];
    DM_TRY(solve_velocity_slope(w, j, true, v_q));
    for (int i = 0; i < n; i++) w->b[i] = i == j;
    DM_TRY(solve_velocity_slope(w, j, false, v_p));
  }
  return DM_OK;
}

dm_status dm_velocity_restrict(dm_continuous *w, const double *q, double *v) {
  if (w->s.hol.nc == 0) return DM_OK;
  if (!is_placed(w, q, v)) DM_TRY(eval_lagrangian(w, 2, q, v));
  w->placed = false;
  return project_tangent(w, q, NULL, v);
}

dm_status dm_configuration_of(dm_continuous *w, const double *x, double *q, double *v) {
  const double *lag = w->s.lag;

  // p of a knot contains a constraint impulse that is not motion
  DM_TRY(dm_velocity_of(w, x, x + w->n, v));
  DM_TRY(dm_velocity_restrict(w, x, v));

  // the state lags behind the position
  for (int i = 0; i < w->n; i++) q[i] = lag ? x[i] + lag[i] * v[i] : x[i];
  return DM_OK;
}

dm_status dm_state_of(dm_continuous *w, const double *q, const double *v, double *x) {
  const double *lag = w->s.lag;
  for (int i = 0; i < w->n; i++) x[i] = lag ? q[i] - lag[i] * v[i] : q[i];
  return dm_momentum_of(w, x, v, x + w->n);
}

dm_status dm_tree_state(dm_continuous *w, const double *q, const double *p, double *v,
                        double *energy) {
  DM_TRY(eval_lagrangian(w, 2, q, v));

  // V = v.L_v/2 - L does not depend on v; b = p - L_v
  *energy = -w->jet.L;
  for (int i = 0; i < w->n; i++) {
    *energy += 0.5 * v[i] * w->jet.L_v[i];
    w->b[i] = p[i] - (is_kinematic(w, i) ? v[i] : w->jet.L_v[i]);
  }

  // L is quadratic in v: one Newton step is exact
  DM_TRY(solve_mass_matrix(w, 1, w->b));
  for (int i = 0; i < w->n; i++) v[i] += w->b[i];

  // add v.p/2; the momentum of a prescribed coordinate comes from its row of L_vv
  for (int i = 0; i < w->n; i++) {
    double p_i = is_kinematic(w, i) ? 0 : p[i];
    for (int j = 0; is_kinematic(w, i) && j < w->n; j++) p_i += w->jet.L_vv[i * w->n + j] * v[j];
    *energy += 0.5 * v[i] * p_i;
  }

  // p includes the added inertia of steps, the energy does not
  if (w->s.physical) {
    DM_TRY(eval_lagrangian(w, 1, q, v));
    *energy -= w->jet.L;
    DM_TRY(eval_physical(w, 1, q, v));
    *energy += w->jet.L;
  }
  return isfinite(*energy) ? DM_OK : DM_NOT_FINITE;
}

// L_vq v - L_q
static double momentum_bias(const dm_continuous *w, const double *v, int i) {
  double b = -w->jet.L_q[i];
  for (int j = 0; j < w->n; j++) b += w->jet.L_qv[j * w->n + i] * v[j];
  return b;
}

dm_status dm_acceleration(dm_continuous *w, const double *q, const double *v, const double *u,
                          double *a) {
  const dm_system *s = &w->s;
  const dm_forces *force = &s->force;
  int nj = s->nu - force->nu; // number of joint inputs

  // f(q,v,u)
  memset(w->f.f, 0, (size_t)w->n * sizeof(double));
  if (force->count)
    DM_TRY(dm_forces_eval(force, w->n, w->force, 1, q, v, u ? u + nj : w->zero, &w->f));

  // b = f + B u - damping v - (L_vq v - L_q)
  DM_TRY(eval_physical(w, 2, q, v));
  for (int i = 0; i < w->n; i++) {
    w->b[i] = w->f.f[i] - momentum_bias(w, v, i) - (s->damping ? s->damping[i] * v[i] : 0);
    if (is_kinematic(w, i)) w->b[i] = 0;
  }
  for (int i = 0; u && i < nj; i++)
    w->b[s->input_coord[i]] += (s->input_gear ? s->input_gear[i] : 1) * u[i];

  // a = L_vv^-1 b, projected on the constraints
  DM_TRY(solve_mass_matrix(w, 1, w->b));
  if (s->hol.nc) DM_TRY(project_tangent(w, q, v, w->b));
  memcpy(a, w->b, (size_t)w->n * sizeof(double));
  return DM_OK;
}

dm_status dm_constraint_forces(dm_continuous *w, const double *q, const double *v, const double *u,
                               double *lambda) {
  // the projection leaves them in w->h
  if (!w->s.hol.nc) return DM_OK;
  DM_TRY(dm_acceleration(w, q, v, u, w->T));
  memcpy(lambda, w->h, (size_t)w->s.hol.nc * sizeof *lambda);
  return DM_OK;
}

dm_status dm_inverse_dynamics(dm_continuous *w, const double *q, const double *v, const double *a,
                              double *tau) {
  DM_TRY(eval_physical(w, 2, q, v));
  for (int i = 0; i < w->n; i++) {
    tau[i] = momentum_bias(w, v, i);
    for (int j = 0; j < w->n; j++) tau[i] += w->jet.L_vv[i * w->n + j] * a[j];
  }
  return DM_OK;
}

dm_status dm_energies(dm_continuous *w, const double *q, const double *v, double *kinetic,
                      double *potential) {
  DM_TRY(eval_physical(w, 1, q, v));
  *kinetic = 0;
  for (int i = 0; i < w->n; i++) *kinetic += 0.5 * v[i] * w->jet.L_v[i];
  *potential = *kinetic - w->jet.L;
  return DM_OK;
}

dm_status dm_energy(dm_continuous *w, const double *q, const double *v, double *energy) {
  DM_TRY(eval_physical(w, 1, q, v));
  *energy = -w->jet.L;
  for (int i = 0; i < w->n; i++) *energy += v[i] * w->jet.L_v[i];
  return DM_OK;
}
