#include "optim/descent/knot_velocity.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void lay_out_knot_velocity(void *self, dm_block *b) {
  oc_knot_velocity *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->nc, nx = 2 * n, size = n + nc, all = nx + nc;

  // arrays by the state (q, p), by (v, kappa), by (q, v, kappa)
  const struct {
    double **at;
    size_t count;
  } rows[] = {{&w->v, n},
              {&w->kappa, nc},
              {&w->p, n},
              {&w->y_x, size * nx},
              {&w->p_x, n * nx},
              {&w->K, size * size},
              {&w->r, size},
              {&w->Dh, nc * n},
              {&w->h, nc},
              {&w->rate, nc * n},
              {&w->C, n * n},
              {&w->a, n},
              {&w->zero, n},
              {&w->W, all * nx},
              {&w->TW, all * nx},
              {&w->T, all * all},
              {&w->jet.L_q, n},
              {&w->jet.L_v, n},
              {&w->jet.L_qq, n * n},
              {&w->jet.L_qv, n * n},
              {&w->jet.L_vv, n * n}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_block_alloc(b, rows[i].count, sizeof(double));
  w->piv = dm_block_alloc(b, size, sizeof *w->piv);
  w->L_scratch = dm_block_alloc(b, w->s->L.scratch, 1);
  w->hol_scratch = dm_block_alloc(b, w->s->hol.scratch, 1);
}

dm_status oc_knot_velocity_new(oc_knot_velocity **out, const dm_system *s) {
  assert(out && s);
  oc_knot_velocity sizes = {.s = s, .n = s->L.nq, .nc = s->hol.nc};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_knot_velocity);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void oc_knot_velocity_free(oc_knot_velocity *w) {
  dm_block_free(w);
}

static bool is_moved(const oc_knot_velocity *w, int i) {
  return w->s->kinematic && w->s->kinematic[i];
}

// L and Dh at (q,v), and the factors of K = (L_vv Dh'; Dh 0), with unit rows for kinematic
// coordinates
static dm_status factor_velocity(oc_knot_velocity *w, const double *q) {
  const dm_lagrangian *L = &w->s->L;
  int n = w->n, nc = w->nc, size = n + nc;
  DM_TRY(L->eval(L->self, w->L_scratch, 2, q, w->v, &w->jet));

  // rows of the momenta; unit rows for prescribed coordinates
  memset(w->K, 0, (size_t)(size * size) * sizeof *w->K);
  for (int i = 0; i < n; i++) {
    double *row = w->K + i * size;
    if (is_moved(w, i)) {
      row[i] = 1;
      continue;
    }
    memcpy(row, w->jet.L_vv + i * n, (size_t)n * sizeof *row);
    for (int c = 0; c < nc; c++) row[n + c] = w->Dh[c * n + i];
  }

  // Dh v' = 0
  for (int c = 0; c < nc; c++)
    memcpy(w->K + (n + c) * size, w->Dh + c * n, (size_t)n * sizeof *w->K);
  return dm_lu_factor(size, w->K, w->piv);
}

// r = (p - L_v - Dh'kappa, -Dh v); returns the size of its terms
static double find_residual(oc_knot_velocity *w, const double *p, double *off) {
  int n = w->n, nc = w->nc;
  double size = 0;
  for (int i = 0; i < n; i++) {
    double made = is_moved(w, i) ? w->v[i] : w->jet.L_v[i];
    size = fmax(size, fmax(fabs(p[i]), fabs(made)));
    w->r[i] = p[i] - made;
    for (int c = 0; c < nc && !is_moved(w, i); c++) w->r[i] -= w->Dh[c * n + i] * w->kappa[c];
  }
  *off = dm_largest(n, w->r);
  for (int c = 0; c < nc; c++) w->r[n + c] = -dm_inner(n, w->Dh + c * n, w->v);
  return size;
}

dm_status oc_knot_velocity_find(oc_knot_velocity *w, const double *q, const double *p) {
  enum { MAX_ITER = 30 };
  const dm_holonomic *hol = &w->s->hol;
  int n = w->n, nc = w->nc;
  double off, before = INFINITY;
  dm_status status = DM_MAX_ITER;

  // kappa is linear: the first iteration finds it from any guess
  memset(w->kappa, 0, (size_t)nc * sizeof *w->kappa);
  if (nc) DM_TRY(hol->eval(hol->self, w->hol_scratch, q, w->h, w->Dh));
  for (int k = 0; k < MAX_ITER && status == DM_MAX_ITER; k++) {
    // (v, kappa) += K^-1 r
    DM_TRY(factor_velocity(w, q));
    double size = find_residual(w, p, &off), step = 0, speed = 0;
    dm_lu_solve(n + nc, w->K, w->piv, 1, w->r);
    for (int i = 0; i < n; i++) {
      w->v[i] += w->r[i];
      step = fmax(step, fabs(w->r[i]));
      speed = fmax(speed, fabs(w->v[i]));
    }
    for (int c = 0; c < nc; c++) w->kappa[c] += w->r[n + c];
    if (!isfinite(speed) || !isfinite(off)) return DM_NOT_FINITE;

    // converged to rounding of the step, or of p if its residual stagnates
    bool still = k > 0 && off <= 1e-9 * size && off >= before / 2;
    if (step <= 1e-13 * speed || off <= 1e-14 * size || still || speed <= DBL_MIN) status = DM_OK;
    before = off;
  }

  // the knot's momentum for this v
  DM_TRY(w->s->L.eval(w->s->L.self, w->L_scratch, 1, q, w->v, &w->jet));
  for (int i = 0; i < n; i++) w->p[i] = is_moved(w, i) ? w->v[i] : w->jet.L_v[i];
  return status;
}

dm_status oc_knot_velocity_differentiate(oc_knot_velocity *w, const double *q) {
  const dm_holonomic *hol = &w->s->hol;
  int n = w->n, nc = w->nc, nx = 2 * n;
  DM_TRY(factor_velocity(w, q));

  // by q: L_vq + D2h kappa, and rows D2h v
  memset(w->C, 0, (size_t)(n * n) * sizeof *w->C);
  if (nc) {
    DM_TRY(hol->contract(hol->self, w->hol_scratch, q, w->kappa, w->C));
    DM_TRY(hol->directional(hol->self, w->hol_scratch, q, w->v, NULL, w->rate, NULL));
  }

  // K (v_x; kappa_x) = -(both equations by q), 1 by p
  memset(w->y_x, 0, (size_t)((n + nc) * nx) * sizeof *w->y_x);
  for (int i = 0; i < n; i++) {
    double *row = w->y_x + i * nx;
    row[n + i] = 1;
    for (int j = 0; j < n && !is_moved(w, i); j++)
      row[j] = -w->jet.L_qv[j * n + i] - w->C[i * n + j];
  }
  for (int c = 0; c < nc; c++)
    for (int j = 0; j < n; j++) w->y_x[(n + c) * nx + j] = -w->rate[c * n + j];
  dm_lu_solve(n + nc, w->K, w->piv, nx, w->y_x);

  // momentum: L_vq + L_vv v_x
  dm_gemm(n, nx, n, 1, w->jet.L_vv, w->y_x, 0, w->p_x);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) w->p_x[i * nx + j] += w->jet.L_qv[j * n + i];
    if (is_moved(w, i)) memcpy(w->p_x + i * nx, w->y_x + i * nx, (size_t)nx * sizeof *w->p_x);
  }
  return DM_OK;
}

// Hessian of (mu + e_p).L_v + mu.Dh'kappa + nu.Dh v by (q,v,kappa) into T [2n+nc square]
static dm_status form_velocity_hessian(oc_knot_velocity *w, const double *q, const double *e_p) {
  const dm_lagrangian *L = &w->s->L;
  const dm_holonomic *hol = &w->s->hol;
  int n = w->n, nc = w->nc, all = 2 * n + nc;
  double *mu = w->r;
  const double *nu = w->r + n;
  for (int i = 0; i < n; i++) {
    if (is_moved(w, i)) mu[i] = 0; // no equation L_v = p
    w->a[i] = mu[i] + (e_p && !is_moved(w, i) ? e_p[i] : 0);
  }

  // T(0, mu + e_p) by (q,v)
  DM_TRY(L->contract(L->self, w->L_scratch, q, w->v, w->zero, w->a, &w->jet));
  if (nc) {
    // mu.Dh'kappa by (q,q) and, in `rate`, by (kappa,q); nu.Dh v by (v,q) and, in C, by (q,q)
    memset(w->C, 0, (size_t)(n * n) * sizeof *w->C);
    DM_TRY(hol->directional(hol->self, w->hol_scratch, q, w->v, nu, w->rate, w->C));
    DM_TRY(hol->directional(hol->self, w->hol_scratch, q, mu, w->kappa, w->rate, w->C));
    for (int i = 0; i < n * n; i++) w->jet.L_qq[i] += w->C[i];
    DM_TRY(hol->contract(hol->self, w->hol_scratch, q, nu, w->jet.L_qv));
  }

  memset(w->T, 0, (size_t)(all * all) * sizeof *w->T);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      w->T[i * all + j] = w->jet.L_qq[i * n + j];
      w->T[i * all + n + j] = w->T[(n + j) * all + i] = w->jet.L_qv[i * n + j];
      w->T[(n + i) * all + n + j] = w->jet.L_vv[i * n + j];
    }
  for (int c = 0; c < nc; c++)
    for (int j = 0; j < n; j++)
      w->T[(2 * n + c) * all + j] = w->T[j * all + 2 * n + c] = w->rate[c * n + j];
  return DM_OK;
}

dm_status oc_knot_velocity_contract(oc_knot_velocity *w, const double *q, const double *e_v,
                                    const double *e_p, double *H, int ld) {
  int n = w->n, nc = w->nc, nx = 2 * n, all = nx + nc;
  if (!w->s->L.contract) return DM_UNAVAILABLE;

  // K'(mu,nu) = -(e_v + L_vv e_p, 0); the momentum of a kinematic coordinate is its velocity
  DM_TRY(factor_velocity(w, q));
  memset(w->r, 0, (size_t)(n + nc) * sizeof *w->r);
  for (int i = 0; i < n; i++) {
    if (e_v) w->r[i] -= e_v[i];
    if (!e_p) continue;
    if (is_moved(w, i))
      w->r[i] -= e_p[i];
    else
      dm_add_to(n, -e_p[i], w->jet.L_vv + i * n, w->r);
  }
  dm_lu_solve_transposed(n + nc, w->K, w->piv, 1, w->r);
  DM_TRY(form_velocity_hessian(w, q, e_p));

  // W = (1 0; y_x), H += W'TW
  memset(w->W, 0, (size_t)(n * nx) * sizeof *w->W);
  for (int i = 0; i < n; i++) w->W[i * nx + i] = 1;
  memcpy(w->W + n * nx, w->y_x, (size_t)((n + nc) * nx) * sizeof *w->W);
  dm_gemm(all, nx, all, 1, w->T, w->W, 0, w->TW);
  dm_gemm_transposed(nx, nx, all, 1, w->W, nx, w->TW, nx, 1, H, ld);
  return DM_OK;
}
