#include "lib/discrete/linearize.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <string.h>

static void lay_out_linearize(void *self, dm_block *b) {
  dm_linearize *w = self;
  size_t n = (size_t)w->n, nk = (size_t)w->nk, nc = (size_t)w->nc, m = (size_t)w->m;
  size_t nd = n - nk, size = nd + nc;

  // arrays of first order, then of second order
  const struct {
    double **at;
    size_t count;
  } rows[] = {{&w->E, size * (nd + nk)},
              {&w->C, nd * n},
              {&w->V, w->nv ? size * (n + (size_t)w->nh) : 0},
              {&w->Q, size * n},
              {&w->q1_y, (n + nc) * m},
              {&w->adjoint, size},
              {&w->mu, n},
              {&w->holds, w->nv ? nc : 0},
              {&w->zeta_p, n},
              {&w->T, n * n},
              {&w->J, nc * n},
              {&w->R, (n + nc) * m},
              {&w->Z, m * m},
              {&w->unit, 2 * n},
              {&w->rate, nk}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_block_alloc(b, rows[i].count, sizeof(double));

  // lambda_y follows q1_y, so that both form one matrix [(n + nc) x m]
  w->lambda_y = b->base ? w->q1_y + n * m : NULL;
}

static dm_status make_linearize(dm_linearize **out, const dm_system *s, bool by_step) {
  dm_linearize sizes = {.n = s->L.nq, .nu = s->nu, .nk = s->nk, .nc = s->hol.nc, .nh = by_step};
  sizes.nv = s->hol.nv;
  sizes.ni = sizes.nu + sizes.nk + sizes.nh;
  sizes.m = 2 * sizes.n + sizes.nk + sizes.nh;
  dm_linearize *w = dm_block_make(&sizes, sizeof sizes, lay_out_linearize);
  if (!w) return DM_NO_MEMORY;

  // the interval, without derivatives by h unless the step is free
  dm_status status = dm_interval_new(&w->d, s);
  if (status == DM_OK) status = dm_kkt_new(&w->k, s);
  if (status != DM_OK) {
    dm_linearize_free(w);
    return status;
  }
  w->d->by_step = by_step;
  *out = w;
  return DM_OK;
}

dm_status dm_linearize_new(dm_linearize **out, const dm_system *s) {
  return make_linearize(out, s, false);
}

dm_status dm_linearize_new_by_step(dm_linearize **out, const dm_system *s) {
  return make_linearize(out, s, true);
}

void dm_linearize_free(dm_linearize *w) {
  if (!w) return;
  dm_interval_free(w->d);
  dm_kkt_free(w->k);
  dm_block_free(w);
}

// E = S^-1 (1 0; 0 0), and S^-1 (D12; Dh(q1)) for kinematic columns: all that is needed of S^-1
static dm_status invert_kkt(dm_linearize *w, const double *q0, const double *q1, double h) {
  dm_kkt *k = w->k;
  int n = w->n, nd = k->nd, nk = w->nk, cols = nd + nk;
  DM_TRY(dm_kkt_start(k, q0));
  DM_TRY(dm_kkt_step(k, q0, q1, h));
  DM_TRY(dm_kkt_factor(k, w->d->D12));

  // right-hand sides: unit vectors of dynamic rows, kinematic columns of D12 and Dh1
  memset(w->E, 0, (size_t)(k->size * cols) * sizeof(double));
  for (int i = 0; i < nd; i++) {
    w->E[i * cols + i] = 1; // a unit impulse on dynamic row i
    for (int j = 0; j < nk; j++) w->E[i * cols + nd + j] = w->d->D12[k->dyn[i] * n + k->kin[j]];
  }
  for (int c = 0; c < w->nc; c++)
    for (int j = 0; j < nk; j++) w->E[(nd + c) * cols + nd + j] = k->Dh1[c * n + k->kin[j]];

  dm_kkt_solve(k, cols, w->E);
  if (!w->nv) return DM_OK;

  // V = S^-1 (0; g_q0 | g_h)
  const dm_middle_rows *m = k->middle;
  const int width = n + w->nh;
  memset(w->V, 0, (size_t)(k->size * width) * sizeof(double));
  for (int r = 0; r < m->nv; r++) {
    double *to = w->V + (nd + m->nh + r) * width;
    memcpy(to, m->g_0 + r * n, (size_t)n * sizeof *to);
    if (w->nh) to[n] = m->g_h[r];
  }
  dm_kkt_solve(k, width, w->V);
  return DM_OK;
}

// C = D11 - D2h(q0)'lambda, dynamic rows
static dm_status form_curvature(dm_linearize *w, const double *q0, const double *lambda) {
  const dm_kkt *k = w->k;
  int n = w->n;
  size_t row = (size_t)n * sizeof(double);

  // T = D2h(q0)'lambda
  if (w->nc) {
    memset(w->T, 0, row * (size_t)n);
    DM_TRY(k->hol.contract(k->hol.self, k->scratch, q0, lambda, w->T));
  }

  for (int i = 0; i < k->nd; i++) {
    // T is not written without constraints
    const double *D11 = w->d->D11 + k->dyn[i] * n, *T = w->T + k->dyn[i] * n;
    for (int j = 0; j < n; j++) w->C[i * n + j] = D11[j] - (w->nc ? T[j] : 0);
  }
  return DM_OK;
}

// row r of the solution as a row of q1_y or lambda_y: by q -E C, by p and rho -E, by h -E D1h
static void put_row(const dm_linearize *w, int r, double *y) {
  const dm_kkt *k = w->k;
  int n = w->n, cols = k->nd + w->nk;
  for (int j = 0; j < n; j++) {
    y[j] = -w->Q[r * n + j];
    y[n + j] = 0; // p of kinematic coordinates has no effect
  }
  for (int j = 0; j < k->nd; j++) y[n + k->dyn[j]] = -w->E[r * cols + j];
  for (int j = 0; j < w->nk; j++) y[2 * n + j] = -w->E[r * cols + k->nd + j];
  if (!w->nh) return;
  double *by_h = y + 2 * n + w->nk;
  *by_h = 0;
  for (int j = 0; j < k->nd; j++) *by_h -= w->E[r * cols + j] * w->d->D1h[k->dyn[j]];
  if (w->nv) *by_h -= w->V[r * (n + 1) + n];
}

// p1 by (q,p), D22 q1_y + (D21 | 0), into A [n x 2n]; by rho, and by h with D2h, into B [n x nk +
// nh], with row length ni
static void put_momenta(const dm_linearize *w, double h, double *A, double *B) {
  const dm_interval *d = w->d;
  const dm_kkt *k = w->k;
  int n = w->n, nx = 2 * n, nk = w->nk, m = w->m, ni = w->ni, active = d->active;
  int more = nk + w->nh; // columns of B
  size_t row = (size_t)n * sizeof *A;

  // D21, by q only
  for (int i = 0; i < n; i++) {
    memcpy(A + i * nx, d->D21 + i * n, row);
    memset(A + i * nx + n, 0, row);
  }

  for (int i = 0; i < n && more; i++) {
    memset(B + i * ni, 0, (size_t)more * sizeof *B);
    if (w->nh) B[i * ni + nk] = d->D2h[i];
  }

  // + D22 q1_y
  dm_gemm_strided(active, nx, active, 1, d->D22, n, w->q1_y, m, 1, A, nx);
  if (more) dm_gemm_strided(active, more, active, 1, d->D22, n, w->q1_y + nx, m, 1, B, ni);

  // idle coordinates have only damping
  for (int i = active; i < n; i++) {
    const double *y = w->q1_y + i * m, D22 = d->D22[i * n + i];
    for (int j = 0; j < nx; j++) A[i * nx + j] += D22 * y[j];
    for (int j = 0; j < more; j++) B[i * ni + j] += D22 * y[nx + j];
  }

  // prescribed coordinates: velocity (rho - q0)/h
  for (int i = 0; i < nk; i++) {
    double *a = A + k->kin[i] * nx, *b = B + k->kin[i] * ni;
    memset(a, 0, 2 * row);
    memset(b, 0, (size_t)more * sizeof *b);
    a[k->kin[i]] = -1 / h;
    b[i] = 1 / h;
    if (w->nh) b[nk] = -w->rate[i] / h;
  }
}

// B by forces: a force acts like a momentum at the start times D1u, and on p1 also at the end by
// D2u. Columns by kinematic coordinates of the rows of q1 come from rho.
static void put_first_by_inputs(const dm_linearize *w, const double *A, double *B) {
  const dm_interval *d = w->d;
  int n = w->n, nu = w->nu, more = w->nk + w->nh, m = w->m, ni = w->ni, nj = d->nj;
  for (int i = 0; i < 2 * n && ni; i++) {
    const double *y = A + 2 * i * n + n;
    double *b = B + i * ni;

    // one entry per column at joints, a sum of several for general forces
    for (int c = 0; c < nj; c++) b[c] = y[d->row[c]] * d->D1u[c];
    for (int c = nj; c < nu; c++) b[c] = 0;
    for (int e = nj; e < d->nz; e++) b[d->col[e]] += y[d->row[e]] * d->D1u[e];
    if (i < n) memcpy(b + nu, w->q1_y + i * m + 2 * n, (size_t)more * sizeof *b);
  }

  // p1 of kinematic coordinates is a velocity: forces have no effect
  for (int e = 0; e < d->nz; e++)
    if (!d->s.kinematic || !d->s.kinematic[d->row[e]])
      B[(n + d->row[e]) * ni + d->col[e]] += d->D2u[e];
}

dm_status dm_linearize_step(dm_linearize *w, const double *q0, const double *q1, const double *u,
                            const double *lambda, double h, double *A, double *B) {
  const dm_kkt *k = w->k;
  int n = w->n, nk = w->nk, m = w->m;
  size_t row = (size_t)n * sizeof(double);

  // D11 .. D22, E and C
  DM_TRY(dm_interval_eval(w->d, 2, q0, q1, u, h));
  DM_TRY(invert_kkt(w, q0, q1, h));
  DM_TRY(form_curvature(w, q0, lambda));

  // z_q = -E C - V, then q1 and lambda by (q, p, rho)
  dm_gemm_strided(k->size, n, k->nd, 1, w->E, k->nd + nk, w->C, n, 0, w->Q, n);
  for (int i = 0; w->nv && i < k->size; i++) dm_add_to(n, 1, w->V + i * (n + w->nh), w->Q + i * n);
  for (int i = 0; i < k->nd; i++) put_row(w, i, w->q1_y + k->dyn[i] * m);
  for (int i = 0; i < nk; i++) {
    w->q1_y[k->kin[i] * m + 2 * n + i] = 1; // other entries are zero
    w->rate[i] = (q1[k->kin[i]] - q0[k->kin[i]]) / h;
  }
  for (int c = 0; c < w->nc; c++) put_row(w, k->nd + c, w->lambda_y + c * m);

  // rows of q1, rows of p1, and columns by inputs
  for (int i = 0; i < n; i++) memcpy(A + 2 * i * n, w->q1_y + i * m, 2 * row);
  put_momenta(w, h, A + 2 * n * n, B ? B + n * w->ni + w->nu : NULL);
  put_first_by_inputs(w, A, B);
  return DM_OK;
}

void dm_linearize_multipliers(const dm_linearize *w, double *lambda_x, double *lambda_u) {
  const dm_interval *d = w->d;
  int n = w->n, nu = w->nu, more = w->nk + w->nh;
  for (int c = 0; c < w->nc; c++) {
    const double *y = w->lambda_y + c * w->m;
    double *by_u = lambda_u + c * w->ni;
    memcpy(lambda_x + 2 * c * n, y, 2 * (size_t)n * sizeof *y);

    // by forces as by momenta, by kinematic coordinates as by rho, by the step as by h
    memset(by_u, 0, (size_t)nu * sizeof *by_u);
    for (int e = 0; e < d->nz; e++) by_u[d->col[e]] += y[n + d->row[e]] * d->D1u[e];
    for (int i = 0; i < more; i++) by_u[nu + i] = y[2 * n + i];
  }
}

// solve S'(mu,nu) = -(zeta_q + D22'zeta_p, eta) into w->adjoint; w->mu is mu for all coordinates,
// zero for kinematic ones
static void solve_adjoint(dm_linearize *w, const double *zeta, const double *eta) {
  const dm_kkt *k = w->k;
  int n = w->n;

  // zeta_p of dynamic coordinates; prescribed ones have no derivative by (q0,q1)
  memset(w->zeta_p, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < k->nd; i++) w->zeta_p[k->dyn[i]] = zeta[n + k->dyn[i]];

  // right-hand side, dynamic rows
  memset(w->adjoint, 0, (size_t)k->size * sizeof(double));
  for (int i = 0; i < k->nd; i++) w->adjoint[i] = -zeta[k->dyn[i]];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < k->nd; i++) w->adjoint[i] -= w->d->D22[j * n + k->dyn[i]] * w->zeta_p[j];
  for (int c = 0; eta && c < w->nc; c++) w->adjoint[k->nd + c] = -eta[c];

  dm_kkt_solve_transposed(k, 1, w->adjoint);

  memset(w->mu, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < k->nd; i++) w->mu[k->dyn[i]] = w->adjoint[i];
}

// Hessian of mu.(D1 - Dh(q0)'lambda) + nu.h(q1) + zeta_p.D2 by (q0,q1,lambda), into H00, H01, H11
// of d, and J = d/dq0 of Dh(q0) mu
static dm_status contract_step(dm_linearize *w, const double *q0, const double *q1, const double *u,
                               const double *lambda, double h) {
  const dm_kkt *k = w->k;
  const dm_holonomic *hol = &k->hol;
  dm_interval *d = w->d;
  int nn = w->n * w->n;
  DM_TRY(dm_interval_contract(d, w->nh, q0, q1, u, h, w->mu, w->zeta_p));

  // constraints: -mu.Dh(q0)'lambda in H00, nu.h(q1) in H11
  if (!w->nc) return DM_OK;
  memset(w->T, 0, (size_t)nn * sizeof(double));
  DM_TRY(hol->directional(hol->self, k->scratch, q0, w->mu, lambda, w->J, w->T));
  for (int i = 0; i < nn; i++) d->H00[i] -= w->T[i];
  const double *nu = w->adjoint + k->nd;
  if (!w->nv) return hol->contract(hol->self, k->scratch, q1, nu, d->H11);

  // nonholonomic rows in the middle
  dm_middle_rows *m = k->middle;
  DM_TRY(dm_middle_rows_contract(m, q0, q1, h, nu + m->nh));
  for (int i = 0; i < nn; i++) d->H00[i] += m->H_00[i];
  for (int i = 0; i < nn; i++) d->H01[i] += m->H_01[i];
  for (int i = 0; i < nn; i++) d->H11[i] += m->H_11[i];
  for (int i = 0; w->nh && i < w->n; i++) {
    d->H0h[i] += m->H_h[i];
    d->H1h[i] += m->H_h[i];
  }
  if (!m->nh) return DM_OK;
  memset(w->holds, 0, (size_t)w->nc * sizeof *w->holds);
  memcpy(w->holds, nu, (size_t)m->nh * sizeof *nu);
  return hol->contract(hol->self, k->scratch, q1, w->holds, d->H11);
}

// Row i of Z by inputs: columns by forces are those by momenta times D1u; for general forces with
// derivatives by their inputs, add H0u and H1u.
static void put_row_by_inputs(const dm_linearize *w, int i, double *out) {
  const dm_interval *d = w->d;
  const double *z = w->Z + i * w->m + w->n; // columns by p and later

  for (int c = 0; c < d->nj; c++) out[c] = d->D1u[c] * z[d->row[c]];
  for (int c = d->nj; c < w->nu; c++) out[c] = 0;
  for (int c = 0; c < w->nk + w->nh; c++) out[w->nu + c] = z[w->n + c];

  // general forces, with their own second derivatives
  for (int e = d->nj; e < d->nz; e++) {
    out[d->col[e]] += d->D1u[e] * z[d->row[e]] + d->H1u[e] * w->q1_y[d->row[e] * w->m + i];
    if (d->row[e] == i) out[d->col[e]] += d->H0u[e];
  }
}

// derivative of q1_i by input c
static double q1_row_by_input(const dm_linearize *w, int i, int c) {
  const dm_interval *d = w->d;
  const double *q1_p = w->q1_y + i * w->m + w->n;
  if (c >= w->nu) return q1_p[w->n + c - w->nu];     // rho
  if (c < d->nj) return q1_p[d->row[c]] * d->D1u[c]; // as by a momentum

  // a general force: sum over the coordinates it acts on
  double sum = 0;
  for (int e = d->nj; e < d->nz; e++)
    if (d->col[e] == c) sum += q1_p[d->row[e]] * d->D1u[e];
  return sum;
}

// additional terms by h: forces act over h, and the velocity (rho - q0)/h of prescribed coordinates
// is nonlinear in h; with their zeta_p
static void put_second_by_step(const dm_linearize *w, const double *zeta, double h, double *xu,
                               double *uu) {
  const dm_kkt *k = w->k;
  int ni = w->ni, last = ni - 1;
  double *by_h = uu + last * ni;
  for (int c = 0; c < w->nu; c++) by_h[c] += w->d->Huh[c];

  // by (q0,h), (rho,h), (h,h)
  for (int i = 0; i < w->nk; i++) {
    double pull = zeta[w->n + k->kin[i]] / (h * h);
    xu[k->kin[i] * ni + last] += pull;
    by_h[w->nu + i] -= pull;
    by_h[last] += 2 * pull * w->rate[i];
  }

  // symmetric
  for (int c = 0; c < last; c++) uu[c * ni + last] = by_h[c];
}

// xu [2n x ni] and uu [ni x ni]
static void put_second_by_inputs(dm_linearize *w, double *xu, double *uu) {
  const dm_interval *d = w->d;
  int n = w->n, ni = w->ni, nj = d->nj, nf = w->nu - nj;
  for (int i = 0; i < 2 * n; i++) put_row_by_inputs(w, i, xu + i * ni);

  // uu by joint forces: rows of xu by momenta, times D1u again
  for (int b = 0; b < nj; b++)
    for (int c = 0; c < ni; c++) uu[b * ni + c] = d->D1u[b] * xu[(n + d->row[b]) * ni + c];

  // by general forces, several entries per column, plus their derivatives by u
  memset(uu + nj * ni, 0, (size_t)(nf * ni) * sizeof *uu);
  for (int e = nj; e < d->nz; e++)
    for (int c = 0; c < ni; c++) {
      double *to = uu + d->col[e] * ni + c;
      *to +=
          d->D1u[e] * xu[(n + d->row[e]) * ni + c] + d->H1u[e] * q1_row_by_input(w, d->row[e], c);
    }

  // by two general forces; kinematic coordinates use the rows of rho, the step that of h
  for (int b = 0; b < nf; b++)
    for (int c = 0; c < nf; c++) uu[(nj + b) * ni + nj + c] += d->Huu[b * nf + c];
  for (int b = 0; b < w->nk + w->nh; b++) put_row_by_inputs(w, 2 * n + b, uu + (w->nu + b) * ni);
}

// add the Hessian by h: its columns to R and Z, its row to Z
static void add_step_to_chain(dm_linearize *w) {
  const dm_interval *d = w->d;
  int n = w->n, m = w->m, last = m - 1;
  double *row = w->Z + last * m;
  for (int i = 0; i < n; i++) {
    row[i] += d->H0h[i];
    w->Z[i * m + last] += d->H0h[i];
    dm_add_to(m, d->H1h[i], w->q1_y + i * m, row);
  }
  row[last] += *d->Hhh;
}

dm_status dm_linearize_contract(dm_linearize *w, const double *q0, const double *q1,
                                const double *u, const double *lambda, double h, const double *zeta,
                                const double *eta, double *xx, double *xu, double *uu) {
  const dm_interval *d = w->d;
  int n = w->n, m = w->m;
  double *Z = w->Z;

  // Hessian of the adjoint function by (q0,q1,lambda,h)
  solve_adjoint(w, zeta, eta);
  DM_TRY(contract_step(w, q0, q1, u, lambda, h));

  // R = rows of the Hessian by q1 and lambda, times (1 | 0; q1_y; lambda_y; 0 | 1)
  int active = w->nv ? n : d->active, nc = w->nc; // nonholonomic rows may depend on all coordinates
  dm_gemm(n, m, n, 1, d->H11, w->q1_y, 0, w->R);
  for (int i = 0; i < active; i++)
    for (int j = 0; j < active; j++) w->R[i * m + j] += d->H01[j * n + i];
  for (int i = 0; i < n && w->nh; i++) w->R[i * m + m - 1] += d->H1h[i];
  for (int i = 0; i < nc; i++) {
    double *R = w->R + (n + i) * m; // rows by lambda_i: -J_i by q0, zero by q1 and lambda
    for (int j = 0; j < n; j++) R[j] = -w->J[i * n + j];
    memset(R + n, 0, (size_t)(m - n) * sizeof *R);
  }

  // Z = (q1_y; lambda_y)' R, plus its rows by q0
  dm_gemm_transposed(m, m, n + nc, 1, w->q1_y, m, w->R, m, 0, Z, m);
  dm_gemm_strided(active, m, active, 1, d->H01, n, w->q1_y, m, 1, Z, m);
  dm_gemm_transposed(n, m, nc, -1, w->J, n, w->lambda_y, m, 1, Z, m);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) Z[i * m + j] += d->H00[i * n + j];
  if (w->nh) add_step_to_chain(w);

  // blocks by (q,p); those by forces follow from the columns by p
  for (int i = 0; i < 2 * n; i++) memcpy(xx + 2 * i * n, Z + i * m, 2 * (size_t)n * sizeof *Z);
  put_second_by_inputs(w, xu, uu);
  if (w->nh) put_second_by_step(w, zeta, h, xu, uu);
  return DM_OK;
}

dm_status dm_linearize_second(dm_linearize *w, const double *q0, const double *q1, const double *u,
                              const double *lambda, double h, const double *zeta, double *xx,
                              double *xu, double *uu) {
  return dm_linearize_contract(w, q0, q1, u, lambda, h, zeta, NULL, xx, xu, uu);
}

dm_status dm_linearize_state(dm_linearize *w, const double *q0, const double *q1, const double *u,
                             const double *lambda, double h, int i, double *xx, double *xu,
                             double *uu) {
  const bool *kinematic = w->d->s.kinematic;
  const size_t nx = 2 * (size_t)w->n, ni = (size_t)w->ni;
  assert(i >= 0 && i < 2 * w->n);

  // prescribed states are linear, except for velocities by the step
  if (kinematic && kinematic[i % w->n] && !w->nh) {
    memset(xx, 0, nx * nx * sizeof(double));
    memset(xu, 0, nx * ni * sizeof(double));
    memset(uu, 0, ni * ni * sizeof(double));
    return DM_OK;
  }

  // zeta = unit vector of state i
  memset(w->unit, 0, nx * sizeof(double));
  w->unit[i] = 1;
  return dm_linearize_second(w, q0, q1, u, lambda, h, w->unit, xx, xu, uu);
}

dm_status dm_linearize_tensor(dm_linearize *w, const double *q0, const double *q1, const double *u,
                              const double *lambda, double h, double *xx, double *xu, double *uu) {
  size_t nx = 2 * (size_t)w->n, ni = (size_t)w->ni;

  // one contraction per state
  for (size_t i = 0; i < nx; i++) {
    double *Fxx = xx + i * nx * nx, *Fxu = xu + i * nx * ni, *Fuu = uu + i * ni * ni;
    dm_status status = dm_linearize_state(w, q0, q1, u, lambda, h, (int)i, Fxx, Fxu, Fuu);
    if (status != DM_OK) return status;
  }
  return DM_OK;
}

dm_status dm_linearize_explain(dm_message *msg, dm_status s, const dm_linearize *w, int k,
                               const char *const *name) {
  if (s == DM_SINGULAR) return dm_kkt_explain(msg, w->k, "no linearization at", k, name);
  return dm_fail(msg, s, "no linearization at knot %d: %s", k, dm_status_text(s));
}
