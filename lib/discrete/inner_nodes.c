#include "lib/discrete/inner_nodes.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MAX_ITER = 30 };

static void lay_out_inner_nodes(void *self, dm_block *b) {
  dm_inner_nodes *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->nc, size = (size_t)w->size, nx = (size_t)w->nx;
  size_t all = (size_t)w->count * n;
  w->dyn = dm_block_alloc(b, (size_t)w->nd, sizeof *w->dyn);
  w->kin = dm_block_alloc(b, (size_t)w->nk, sizeof *w->kin);
  w->piv = dm_block_alloc(b, size, sizeof *w->piv);

  // per node
  for (int i = 0; i < w->count; i++) {
    w->q[i] = dm_block_alloc(b, n, sizeof(double));
    w->mu[i] = dm_block_alloc(b, n, sizeof(double));
    w->lambda[i] = dm_block_alloc(b, nc, sizeof(double));
    w->nu[i] = dm_block_alloc(b, nc, sizeof(double));
    w->h[i] = dm_block_alloc(b, nc, sizeof(double));
    w->Dh[i] = dm_block_alloc(b, nc * n, sizeof(double));
  }

  // for all nodes together
  const struct {
    double **at;
    size_t count;
  } arrays[] = {{&w->E, size},           {&w->E_z, size * size},
                {&w->LU, size * size},   {&w->E_x, size * nx},
                {&w->z_x, size * nx},    {&w->Y, all * nx},
                {&w->D_x, 2 * n * nx},   {&w->H_xx, nx * nx},
                {&w->H_qq, all * all},   {&w->H_qx, all * nx},
                {&w->product, all * nx}, {&w->T, n * n},
                {&w->J, nc * n},         {&w->x, nx},
                {&w->extent, 2 * n}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i].at = dm_block_alloc(b, arrays[i].count, sizeof(double));
  w->scratch = dm_block_alloc(b, w->g->s.hol.scratch, 1);
}

dm_status dm_inner_nodes_new(dm_inner_nodes **out, dm_step_nodes *g) {
  const dm_system *s = &g->s;
  assert(out && s->rule.inner >= 1 && g->lanes == 1);
  dm_inner_nodes sizes = {.g = g, .n = g->n, .nk = s->nk, .nc = s->hol.nc};
  sizes.nd = g->n - s->nk;
  sizes.count = s->rule.inner;
  sizes.size = sizes.count * (sizes.nd + sizes.nc);
  sizes.nx = 2 * g->n + g->nu + 1;
  dm_inner_nodes *w = dm_block_make(&sizes, sizeof sizes, lay_out_inner_nodes);
  if (!w) return DM_NO_MEMORY;

  dm_system_motion_sizes(s, 1, w->extent);

  // indices of dynamic and kinematic coordinates
  for (int i = 0, d = 0, k = 0; i < w->n; i++) {
    if (s->kinematic && s->kinematic[i])
      w->kin[k++] = i;
    else
      w->dyn[d++] = i;
  }
  *out = w;
  return DM_OK;
}

void dm_inner_nodes_free(dm_inner_nodes *w) {
  dm_block_free(w);
}

// index in z of the first unknown of node i
static int find_unknown(const dm_inner_nodes *w, int i) {
  return i * (w->nd + w->nc);
}

static void list_nodes(const dm_inner_nodes *w, const double *q0, const double *q1,
                       const double *y[DM_MAX_NODES]) {
  y[0] = q0;
  y[1] = q1;
  for (int i = 0; i < w->count; i++) y[2 + i] = w->q[i];
}

// -- the equations

// g, G and the constraints at Q; the diagonal blocks of G minus D2h'lambda, as in E
static dm_status eval_equations(dm_inner_nodes *w, const double *const y[], const double *u,
                                double h) {
  const dm_holonomic *hol = &w->g->s.hol;
  int n = w->n;
  DM_TRY(dm_step_nodes_eval(w->g, 2, y, u, h));
  for (int i = 0; w->nc && i < w->count; i++) {
    DM_TRY(hol->eval(hol->self, w->scratch, w->q[i], w->h[i], w->Dh[i]));
    memset(w->T, 0, (size_t)(n * n) * sizeof(double));
    DM_TRY(hol->contract(hol->self, w->scratch, w->q[i], w->lambda[i], w->T));
    dm_add_to(n * n, -1, w->T, w->g->G[2 + i][2 + i]);
  }
  return DM_OK;
}

// E_z = [G - D2h'lambda, -Dh'; Dh, 0], with constraints multiplied by a power of two that makes
// them as large as the rest, so that pivoting does not depend on units and the step
static dm_status factor_equations(dm_inner_nodes *w) {
  int n = w->n, nd = w->nd, nc = w->nc, size = w->size;
  double largest = 0, Dh = 0;
  memset(w->E_z, 0, (size_t)(size * size) * sizeof(double));
  for (int i = 0; i < w->count; i++)
    for (int j = 0; j < w->count; j++) {
      const double *G = w->g->G[2 + i][2 + j];
      double *to = w->E_z + find_unknown(w, i) * size + find_unknown(w, j);
      for (int r = 0; r < nd; r++)
        for (int s = 0; s < nd; s++) to[r * size + s] = G[w->dyn[r] * n + w->dyn[s]];
    }

  // scale of the constraints
  for (int i = 0; i < size; i++) largest = fmax(largest, fabs(w->E_z[i * (size + 1)]));
  for (int i = 0; i < w->count; i++) Dh = fmax(Dh, dm_largest(nc * n, w->Dh[i]));
  bool known = nc && largest > 0 && Dh > 0 && isfinite(largest / Dh);
  w->scale = known ? exp2(rint(log2(largest / Dh))) : 1;

  for (int i = 0; i < w->count; i++) {
    double *to = w->E_z + find_unknown(w, i) * (size + 1);
    for (int c = 0; c < nc; c++)
      for (int r = 0; r < nd; r++) {
        double entry = w->scale * w->Dh[i][c * n + w->dyn[r]];
        to[r * size + nd + c] = -entry;
        to[(nd + c) * size + r] = entry;
      }
  }
  memcpy(w->LU, w->E_z, (size_t)(size * size) * sizeof(double));
  return dm_lu_factor(size, w->LU, w->piv);
}

// subtract Newton's step from z; returns the largest change of a coordinate relative to its scale
// and |Q|
static double take_newton_step(dm_inner_nodes *w) {
  double largest = 0;

  // E, with scaled rows of constraints
  int n = w->n;
  for (int i = 0; i < w->count; i++) {
    double *E = w->E + find_unknown(w, i);
    for (int r = 0; r < w->nd; r++) {
      int at = w->dyn[r];
      E[r] = w->g->g[2 + i][at];
      for (int c = 0; c < w->nc; c++) E[r] -= w->Dh[i][c * n + at] * w->lambda[i][c];
    }
    for (int c = 0; c < w->nc; c++) E[w->nd + c] = w->scale * w->h[i][c];
  }

  dm_lu_solve(w->size, w->LU, w->piv, 1, w->E);
  for (int i = 0; i < w->count; i++) {
    const double *E = w->E + find_unknown(w, i);
    for (int r = 0; r < w->nd; r++) {
      double *q = &w->q[i][w->dyn[r]], change = fabs(E[r]) / (w->extent[w->dyn[r]] + fabs(*q));
      *q -= E[r];
      if (!(change <= largest)) largest = change; // NaN is kept
    }
    for (int c = 0; c < w->nc; c++) w->lambda[i][c] -= w->scale * E[w->nd + c];
  }
  return largest;
}

// Newton's method for Q and lambda, from the straight line
static dm_status find_nodes(dm_inner_nodes *w, const double *const y[], const double *u, double h) {
  for (int i = 0; i < w->count; i++) {
    double c = w->g->s.rule.node[i];
    for (int k = 0; k < w->n; k++) w->q[i][k] = (1 - c) * y[0][k] + c * y[1][k];
    memset(w->lambda[i], 0, (size_t)w->nc * sizeof(double));
  }

  // quadratic convergence: after a step of 1e-9 the error is rounding
  for (int iter = 0; iter < MAX_ITER; iter++) {
    DM_TRY(eval_equations(w, y, u, h));
    DM_TRY(factor_equations(w));
    double change = take_newton_step(w);
    if (change <= 1e-9) return DM_OK;
    if (!isfinite(change)) break;
  }
  return DM_NOT_FINITE;
}

// -- first derivatives

// row r of dg_j/dx at fixed nodes
static void put_row_by_step(const dm_inner_nodes *w, int j, int r, double *out) {
  const dm_step_nodes *g = w->g;
  int n = w->n;
  memcpy(out, g->G[j][0] + r * n, (size_t)n * sizeof(double));
  memcpy(out + n, g->G[j][1] + r * n, (size_t)n * sizeof(double));
  memset(out + 2 * n, 0, (size_t)g->nu * sizeof(double));
  for (int e = 0; e < g->nz; e++)
    if (g->row[e] == r) out[2 * n + g->col[e]] += g->g_u[j][e];
  out[w->nx - 1] = g->g_h[j][r];
}

// add the derivatives of a row by kinematic coordinates of node i, which depend linearly on q0 and
// q1
static void add_kinematic_columns(const dm_inner_nodes *w, int i, const double *row, double scale,
                                  double *out) {
  double c = w->g->s.rule.node[i];
  for (int k = 0; k < w->nk; k++) {
    double entry = scale * row[w->kin[k]];
    out[w->kin[k]] += (1 - c) * entry;
    out[w->n + w->kin[k]] += c * entry;
  }
}

// z_x = -E_z^-1 E_x, and Y for all node coordinates
static void find_sensitivities(dm_inner_nodes *w) {
  int n = w->n, nx = w->nx;

  // E_x, with scaled constraints
  memset(w->E_x, 0, (size_t)(w->size * nx) * sizeof(double));
  for (int i = 0; i < w->count; i++) {
    double *rows = w->E_x + find_unknown(w, i) * nx;
    for (int r = 0; r < w->nd; r++) {
      double *out = rows + r * nx;
      put_row_by_step(w, 2 + i, w->dyn[r], out);
      for (int j = 0; j < w->count; j++)
        add_kinematic_columns(w, j, w->g->G[2 + i][2 + j] + w->dyn[r] * n, 1, out);
    }
    for (int c = 0; c < w->nc; c++)
      add_kinematic_columns(w, i, w->Dh[i] + c * n, w->scale, rows + (w->nd + c) * nx);
  }

  // one step of iterative refinement makes D_x as accurate as the entries of E_z, for any condition
  size_t bytes = (size_t)(w->size * nx) * sizeof(double);
  memcpy(w->z_x, w->E_x, bytes);
  dm_lu_solve(w->size, w->LU, w->piv, nx, w->z_x);
  dm_gemm(w->size, nx, w->size, -1, w->E_z, w->z_x, 1, w->E_x);
  dm_lu_solve(w->size, w->LU, w->piv, nx, w->E_x);
  dm_add_to(w->size * nx, 1, w->E_x, w->z_x);

  memset(w->Y, 0, (size_t)(w->count * n * nx) * sizeof(double));
  for (int i = 0; i < w->count; i++) {
    double *rows = w->z_x + find_unknown(w, i) * nx, *Y = w->Y + i * n * nx;
    double c = w->g->s.rule.node[i];
    for (int k = 0; k < w->nd * nx; k++) rows[k] = -rows[k];
    for (int k = w->nd * nx; k < (w->nd + w->nc) * nx; k++) rows[k] *= -w->scale;

    for (int r = 0; r < w->nd; r++)
      memcpy(Y + w->dyn[r] * nx, rows + r * nx, (size_t)nx * sizeof *Y);
    for (int k = 0; k < w->nk; k++) {
      Y[w->kin[k] * nx + w->kin[k]] = 1 - c;
      Y[w->kin[k] * nx + n + w->kin[k]] = c;
    }
  }
}

// store (q0,q1,u,h) in w->x; returns true if it was there before
static bool remember_step(dm_inner_nodes *w, const double *q0, const double *q1, const double *u,
                          double h) {
  const size_t n = (size_t)w->n, nu = (size_t)w->g->nu, d = sizeof(double);
  double *x = w->x;
  bool same = !memcmp(x, q0, n * d) && !memcmp(x + n, q1, n * d) &&
              (!nu || !memcmp(x + 2 * n, u, nu * d)) && x[2 * n + nu] == h;
  memcpy(x, q0, n * d);
  memcpy(x + n, q1, n * d);
  if (nu) memcpy(x + 2 * n, u, nu * d);
  x[2 * n + nu] = h;
  return same;
}

dm_status dm_inner_nodes_eval(dm_inner_nodes *w, int order, const double *q0, const double *q1,
                              const double *u, double h) {
  const double *y[DM_MAX_NODES];
  list_nodes(w, q0, q1, y);
  w->factored = false;
  DM_TRY(find_nodes(w, y, u, h));
  if (order < 2) return dm_step_nodes_eval(w->g, order, y, u, h);

  // evaluate at the converged nodes
  DM_TRY(eval_equations(w, y, u, h));
  DM_TRY(factor_equations(w));
  find_sensitivities(w);

  // D_x = g_x + g_Q Y, rows of D1, then of D2
  int n = w->n, nx = w->nx;
  for (int j = 0; j < 2; j++) {
    double *D = w->D_x + j * n * nx;
    for (int r = 0; r < n; r++) put_row_by_step(w, j, r, D + r * nx);
    for (int i = 0; i < w->count; i++)
      dm_gemm(n, nx, n, 1, w->g->G[j][2 + i], w->Y + i * n * nx, 1, D);
  }

  remember_step(w, q0, q1, u, h);
  w->factored = true;
  return DM_OK;
}

// -- the Hessian

// Contribution of the constraints at each node: nu.h - mu.Dh'lambda, second derivatives by Q, and
// by Q and lambda, whose part -J' lambda_x goes into `product`.
static dm_status add_constraint_hessian(dm_inner_nodes *w) {
  const dm_holonomic *hol = &w->g->s.hol;
  int n = w->n, nx = w->nx, nc = w->nc;
  for (int i = 0; i < w->count; i++) {
    double *H = w->g->H[2 + i][2 + i];
    memset(w->T, 0, (size_t)(n * n) * sizeof(double));
    DM_TRY(hol->directional(hol->self, w->scratch, w->q[i], w->mu[i], w->lambda[i], w->J, w->T));
    dm_add_to(n * n, -1, w->T, H);
    DM_TRY(hol->contract(hol->self, w->scratch, w->q[i], w->nu[i], H));
    const double *lambda_x = w->z_x + (find_unknown(w, i) + w->nd) * nx;
    dm_gemm_transposed(n, nx, nc, -1, w->J, n, lambda_x, nx, 1, w->product + i * n * nx, nx);
  }
  return DM_OK;
}

// copy A [n x n] to B with row length ldb, transposed if `flip`
static void put_square(int n, const double *A, bool flip, double *B, int ldb) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) B[i * ldb + j] = flip ? A[j * n + i] : A[i * n + j];
}

// Hessian by x for constant nodes
static void put_step_hessian(dm_inner_nodes *w, bool with_h) {
  const dm_step_nodes *g = w->g;
  int n = w->n, nu = g->nu, nx = w->nx, nj = g->nj, nf = nu - nj, h = nx - 1;
  double *H = w->H_xx, *uu = H + (2 * n + nj) * nx + 2 * n + nj;
  memset(H, 0, (size_t)(nx * nx) * sizeof *H);
  put_square(n, g->H[0][0], false, H, nx);
  put_square(n, g->H[0][1], false, H + n, nx);
  put_square(n, g->H[0][1], true, H + n * nx, nx);
  put_square(n, g->H[1][1], false, H + n * nx + n, nx);

  // by inputs and each end, and by two inputs
  for (int j = 0; j < 2; j++)
    for (int e = 0; e < g->nz; e++) {
      int a = j * n + g->row[e], b = 2 * n + g->col[e];
      H[a * nx + b] += g->H_u[j][e];
      H[b * nx + a] += g->H_u[j][e];
    }
  for (int a = 0; a < nf; a++)
    for (int b = 0; b < nf; b++) uu[a * nx + b] = g->Huu[a * nf + b];
  if (!with_h) return;

  // by h
  for (int i = 0; i < n; i++) {
    H[i * nx + h] = H[h * nx + i] = g->H_h[0][i];
    H[(n + i) * nx + h] = H[h * nx + n + i] = g->H_h[1][i];
  }
  for (int i = 0; i < nu; i++) H[(2 * n + i) * nx + h] = H[h * nx + 2 * n + i] = g->Huh[i];
  H[h * nx + h] = *g->Hhh;
}

// Hessian by the nodes, and by nodes and x
static void put_node_hessian(dm_inner_nodes *w, bool with_h) {
  const dm_step_nodes *g = w->g;
  int n = w->n, nx = w->nx, all = w->count * n;
  memset(w->H_qx, 0, (size_t)(all * nx) * sizeof(double));
  // node i with q0, q1, u and h
  for (int i = 0; i < w->count; i++) {
    double *X = w->H_qx + i * n * nx;
    put_square(n, g->H[0][2 + i], true, X, nx);
    put_square(n, g->H[1][2 + i], true, X + n, nx);
    for (int e = 0; e < g->nz; e++) X[g->row[e] * nx + 2 * n + g->col[e]] += g->H_u[2 + i][e];
    for (int r = 0; with_h && r < n; r++) X[r * nx + nx - 1] = g->H_h[2 + i][r];

    // node i with node j
    for (int j = i; j < w->count; j++) {
      put_square(n, g->H[2 + i][2 + j], false, w->H_qq + i * n * all + j * n, all);
      if (j > i) put_square(n, g->H[2 + i][2 + j], true, w->H_qq + j * n * all + i * n, all);
    }
  }
}

dm_status dm_inner_nodes_contract(dm_inner_nodes *w, bool with_h, const double *q0,
                                  const double *q1, const double *u, double h, const double *mu0,
                                  const double *mu1) {
  const double *y[DM_MAX_NODES], *mu[DM_MAX_NODES] = {mu0, mu1};
  int all = w->count * w->n, nx = w->nx;

  // 1  the nodes, E_z and z_x; reuse an evaluation of the same step
  bool at_hand = w->factored && remember_step(w, q0, q1, u, h);
  if (!at_hand) DM_TRY(dm_inner_nodes_eval(w, 2, q0, q1, u, h));

  // m from E_z' m = -(g_0z' mu0 + g_1z' mu1), into mu and nu of the nodes
  int n = w->n;
  memset(w->E, 0, (size_t)w->size * sizeof(double));
  for (int i = 0; i < w->count; i++)
    for (int j = 0; j < 2; j++)
      for (int r = 0; r < n; r++)
        for (int d = 0; d < w->nd; d++)
          w->E[find_unknown(w, i) + d] -= w->g->G[j][2 + i][r * n + w->dyn[d]] * mu[j][r];
  dm_lu_solve_transposed(w->size, w->LU, w->piv, 1, w->E);

  // kinematic coordinates have no equation
  for (int i = 0; i < w->count; i++) {
    const double *m = w->E + find_unknown(w, i);
    memset(w->mu[i], 0, (size_t)n * sizeof(double));
    for (int d = 0; d < w->nd; d++) w->mu[i][w->dyn[d]] = m[d];
    for (int c = 0; c < w->nc; c++) w->nu[i][c] = w->scale * m[w->nd + c];
  }

  list_nodes(w, q0, q1, y);
  for (int i = 0; i < w->count; i++) mu[2 + i] = w->mu[i];
  DM_TRY(dm_step_nodes_contract(w->g, with_h, y, u, h, mu));
  memset(w->product, 0, (size_t)(all * nx) * sizeof(double));
  if (w->nc) DM_TRY(add_constraint_hessian(w));
  put_step_hessian(w, with_h);
  put_node_hessian(w, with_h);

  // 3  transformed by z_x: H_xx + Y'P + P'Y with P = H_QQ Y / 2 + H_Qx - J' lambda_x
  dm_add_to(all * nx, 1, w->H_qx, w->product);
  dm_gemm(all, nx, all, 0.5, w->H_qq, w->Y, 1, w->product);
  dm_gemm_transposed(nx, nx, all, 1, w->Y, nx, w->product, nx, 1, w->H_xx, nx);
  dm_gemm_transposed(nx, nx, all, 1, w->product, nx, w->Y, nx, 1, w->H_xx, nx);
  return DM_OK;
}
