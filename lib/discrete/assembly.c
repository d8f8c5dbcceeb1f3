#include "lib/discrete/assembly.h"

#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/discrete/interval.h"
#include "lib/discrete/kkt_matrix.h"
#include "lib/mechanics/continuous.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct assembly {
  const dm_system *s;
  dm_kkt *k;
  int nf, *free;   // number of coordinates that may move; their indices [nf]
  int lapack_size; // length of lapack
  // all linear algebra uses coordinates and constraints divided by their scales, so that it is
  // dimensionless
  double *size;  // [n] 1 for an angle, the robot's length for a length
  double *row;   // [nc] largest change of a constraint for a change of a coordinate by its scale
  double *drift; // [nc] b of nonholonomic rows, else 0
  double *D;     // [nf x nc] column-major: gradients of the constraints; their QR factors
  double *tau;   // of these factors, with the column permutation
  int *pivot;
  double *b;         // [max(n,nc)] right-hand side of least squares, then the solution
  double *singular;  // [max(n,nc)] singular values
  double *lapack;    // [lapack_size]
  int *ilapack;      // LAPACK's integer workspace
  double *q;         // [n] iterate
  dm_jet jet;        // L at zero velocity
  double *zero;      // [n]
  double *H;         // [n x n] Hessian of potential energy and constraints
  double *Z;         // [nf x nf] the last columns span the null space of Dh
  double *Hz;        // [nf x nf] Z'HZ, then its eigenvectors
  double *g, *w;     // [n] Z'V_q, eigenvalues of Z'HZ
  double *y, *trial; // [n] step; its start
  void *L_scratch;   // of the Lagrangian
} assembly;

static void lay_out_assembly(void *self, dm_block *b) {
  assembly *w = self;
  size_t n = (size_t)w->s->L.nq, nc = (size_t)w->s->hol.nc;
  size_t largest = n > nc ? n : nc; // least squares over coordinates or over constraints

  // arrays for the constraints' factors and for least squares
  w->free = dm_block_alloc(b, n, sizeof *w->free);
  w->size = dm_block_alloc(b, n, sizeof *w->size);
  w->row = dm_block_alloc(b, nc, sizeof *w->row);
  w->drift = dm_block_alloc(b, nc, sizeof *w->drift);
  w->D = dm_block_alloc(b, n * largest, sizeof *w->D);
  w->b = dm_block_alloc(b, largest, sizeof *w->b);
  w->tau = dm_block_alloc(b, largest, sizeof *w->tau);
  w->singular = dm_block_alloc(b, largest, sizeof *w->singular);
  w->q = dm_block_alloc(b, n, sizeof *w->q);
  w->pivot = dm_block_alloc(b, largest, sizeof *w->pivot);
  w->lapack = dm_block_alloc(b, (size_t)w->lapack_size, sizeof *w->lapack);
  w->ilapack = dm_block_alloc(b, 12 * largest + 64 * largest, sizeof *w->ilapack);

  // L and its derivatives at zero velocity, the reduced Hessian, the step
  double **vectors[] = {&w->jet.L_q, &w->jet.L_v, &w->zero, &w->g, &w->w, &w->y, &w->trial};
  for (int i = 0; i < 7; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  double **squares[] = {&w->jet.L_qq, &w->jet.L_qv, &w->jet.L_vv, &w->H, &w->Z, &w->Hz};
  for (int i = 0; i < 6; i++) *squares[i] = dm_block_alloc(b, n * largest, sizeof(double));
  w->L_scratch = dm_block_alloc(b, w->s->L.scratch, 1);
}

// w->size and w->row at q, from the first two derivatives of the constraints: if a gradient
// vanishes, the second derivative gives the scale
static void find_sizes(assembly *w, const double *q) {
  const dm_holonomic *hol = &w->s->hol;
  const int n = w->k->n, nc = w->k->nc;
  const double length = dm_system_length(w->s, q);
  const bool known = length > 0 && isfinite(length);
  for (int i = 0; i < n; i++) w->size[i] = known && w->s->length && w->s->length[i] ? length : 1;
  for (int c = 0; c < nc; c++) w->row[c] = 1;
  if (nc == 0 || dm_kkt_end(w->k, q) != DM_OK) return; // the caller meets the same failure
  for (int c = 0; c < nc; c++) {
    double largest = 0;
    memset(w->H, 0, (size_t)(n * n) * sizeof *w->H);
    memset(w->b, 0, (size_t)nc * sizeof *w->b);
    w->b[c] = 1;
    if (hol->contract) hol->contract(hol->self, w->k->scratch, q, w->b, w->H);
    for (int i = 0; i < n; i++) {
      largest = fmax(largest, fabs(w->k->Dh1[c * n + i]) * w->size[i]);
      for (int j = 0; j < n; j++)
        largest = fmax(largest, fabs(w->H[i * n + j]) * w->size[i] * w->size[j]);
    }
    if (isnormal(largest)) w->row[c] = ldexp(1, ilogb(largest)); // no rounding
  }
}

static dm_status new_assembly(assembly **out, const dm_system *s, const bool *fixed,
                              const double *q, dm_message *msg) {
  int n = s->L.nq, nc = s->hol.nc, largest = n > nc ? n : nc;

  // upper bound for dgelsd; the other routines need less
  assembly sizes = {.s = s,
                    .lapack_size = 64 * (largest + 8) + 32 * largest + largest * largest + 1200};
  assembly *w = dm_block_make(&sizes, sizeof sizes, lay_out_assembly);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  dm_status status = dm_kkt_new(&w->k, s);
  if (status != DM_OK) {
    dm_block_free(w);
    return dm_fail(msg, status, "out of memory");
  }

  // dynamic coordinates that are not fixed
  for (int i = 0; i < w->k->nd; i++)
    if (!fixed || !fixed[w->k->dyn[i]]) w->free[w->nf++] = w->k->dyn[i];
  find_sizes(w, q);
  *out = w;
  return DM_OK;
}

static void free_assembly(assembly *w) {
  dm_kkt_free(w->k);
  dm_block_free(w);
}

dm_status dm_assembly_rows(const dm_system *s, const double *q, double *size) {
  assembly *w;
  DM_TRY(new_assembly(&w, s, NULL, q, NULL));
  memcpy(size, w->row, (size_t)s->hol.nc * sizeof *size);
  free_assembly(w);
  return DM_OK;
}

// entry of Dh by free coordinate i, divided by the scales
static double entry_of_gradient(const assembly *w, int c, int i) {
  const int at = w->free[i];
  return w->k->Dh1[c * w->k->n + at] * w->size[at] / w->row[c];
}

// h at q, and its gradients by the free coordinates
static dm_status evaluate_constraints(assembly *w, const double *q) {
  dm_kkt *k = w->k;
  DM_TRY(dm_kkt_end(k, q));

  // D = Dh' column by column, without rows of fixed coordinates
  for (int c = 0; c < k->nc; c++)
    for (int i = 0; i < w->nf; i++) w->D[c * w->nf + i] = entry_of_gradient(w, c, i);
  return DM_OK;
}

// name of constraint c for messages
static const char *name_row(const dm_holonomic *hol, int c) {
  return hol->row_name ? hol->row_name(hol->self, c) : "?";
}

// D P = Q R with decreasing columns; returns the rank, the number of diagonal entries of R that are
// not rounding relative to the first
static int factor_gradients(assembly *w) {
  int nf = w->nf, nc = w->k->nc, smaller = nf < nc ? nf : nc, rank = 0;
  if (smaller == 0) return 0;

  // pivots 0: every column may be exchanged
  memset(w->pivot, 0, (size_t)nc * sizeof *w->pivot);
  dm_blas()->LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, nf, nc, w->D, nf, w->pivot, w->tau, w->lapack,
                                 w->lapack_size);

  // |R_ii| > 1e-10 |R_00|
  while (rank < smaller && fabs(w->D[rank * nf + rank]) > 1e-10 * fabs(w->D[0])) rank++;
  return rank;
}

// check that the gradients of the constraints at q are independent
static dm_status check_rank(assembly *w, const double *q, dm_message *msg) {
  int nc = w->k->nc;
  dm_status status = evaluate_constraints(w, q);
  if (status != DM_OK) return dm_fail(msg, status, "constraints: %s", dm_status_text(status));

  int rank = factor_gradients(w);
  if (rank == nc) return DM_OK;

  // the first column after the rank depends on the previous ones; if its constraint is violated, it
  // contradicts them
  int c = w->nf > 0 ? w->pivot[rank] - 1 : 0;
  bool off = fabs(w->k->h[c]) > 1e-8 * w->row[c]; // it is violated
  return dm_fail(
      msg, DM_SINGULAR, "constraint '%s' %s the others: %d of %d are independent there; %s",
      name_row(&w->s->hol, c), off ? "contradicts" : "repeats what follows from", rank, nc,
      off ? "remove it" : "the place is singular: take another, or remove the constraint");
}

dm_status dm_assembly_check(const dm_system *s, const double *q, dm_message *msg) {
  assembly *w;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(new_assembly(&w, s, NULL, q, msg));
  dm_status status = check_rank(w, q, msg);
  free_assembly(w);
  return status;
}

// the largest |h| relative to its scale, and its constraint *worst
static double find_largest_residual(const assembly *w, int *worst) {
  const dm_kkt *k = w->k;
  double largest = -1;
  for (int c = 0; c < k->nc; c++) {
    if (fabs(k->h[c]) / w->row[c] > largest) {
      largest = fabs(k->h[c]) / w->row[c];
      *worst = c;
    }
  }
  return largest;
}

// returns true if every constraint is satisfied to rounding
static bool all_constraints_met(const assembly *w) {
  // NaN counts as violated
  for (int c = 0; c < w->k->nc; c++)
    if (!(fabs(w->k->h[c]) <= 1e-12 * w->row[c])) return false;
  return true;
}

// minimum-norm least-squares solution of A x = b, into b; overwrites A [rows x cols], column-major
static void solve_least_squares(assembly *w, int rows, int cols, double *A) {
  int largest = rows > cols ? rows : cols, rank;
  if (rows == 0 || cols == 0) return;
  // singular values below 1e-12 of the largest count as 0
  dm_blas()->LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, rows, cols, 1, A, rows, w->b, largest,
                                 w->singular, 1e-12, &rank, w->lapack, w->lapack_size, w->ilapack);
}

static void clear_vector(double *x, int n) {
  memset(x, 0, (size_t)n * sizeof *x);
}

// dq of least scaled norm with Dh dq = -h, into b; nonholonomic rows do not constrain positions
static void find_least_step(assembly *w) {
  const dm_kkt *k = w->k;
  int nf = w->nf, nc = k->nc - k->hol.nv;

  // right-hand side -h; b has the length of the longer side
  clear_vector(w->b, nf > nc ? nf : nc);
  for (int c = 0; c < nc; c++) w->b[c] = -k->h[c] / w->row[c];

  // D = Dh [nc x nf], column-major, by the free coordinates
  for (int i = 0; i < nf; i++)
    for (int c = 0; c < nc; c++) w->D[i * nc + c] = entry_of_gradient(w, c, i);
  solve_least_squares(w, nc, nf, w->D);
}

// add t times the step in b to w->q
static void move_iterate(assembly *w, double t) {
  for (int a = 0; a < w->nf; a++) w->q[w->free[a]] += t * w->b[a] * w->size[w->free[a]];
}

// project w->q on the constraints: dq of least norm with Dh dq = -h, halved until the largest
// residual decreases
static dm_status project_iterate(assembly *w, dm_message *msg) {
  enum { MAX_ITER = 100, HALVINGS = 20 };
  dm_kkt *k = w->k;
  int worst = 0;
  dm_status status = evaluate_constraints(w, w->q);
  if (status != DM_OK) return dm_fail(msg, status, "constraints: %s", dm_status_text(status));
  double off = find_largest_residual(w, &worst);

  // until the residual is at rounding level or stops decreasing
  for (int iter = 0; iter < MAX_ITER && off > 4 * DBL_EPSILON; iter++) {
    find_least_step(w);

    // the full step first, then go back by half at a time
    double before = off, t = 1;
    for (int i = 0; i < HALVINGS; i++, t /= 2) {
      move_iterate(w, i == 0 ? t : -t);
      status = evaluate_constraints(w, w->q);
      off = status == DM_OK ? find_largest_residual(w, &worst) : INFINITY;
      if (off < before) break;
    }
    if (off < before) continue;

    // rounding level, or infeasible constraints: go back to the start of the step (t was halved
    // once more after the last trial)
    move_iterate(w, -2 * t);
    DM_TRY(evaluate_constraints(w, w->q));
    off = find_largest_residual(w, &worst);
    break;
  }

  if (all_constraints_met(w)) return DM_OK;
  return dm_fail(msg, DM_INFEASIBLE,
                 "constraint '%s' cannot be met near there: off by %.3g m or rad",
                 name_row(&w->s->hol, worst), fabs(k->h[worst]));
}

dm_status dm_assembly_project_fixed(const dm_system *s, const bool *fixed, double *q,
                                    dm_message *msg) {
  assembly *w;
  size_t size = (size_t)s->L.nq * sizeof *q;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(new_assembly(&w, s, fixed, q, msg));

  // work on a copy: q changes only on success
  memcpy(w->q, q, size);
  dm_status status = project_iterate(w, msg);
  if (status == DM_OK) memcpy(q, w->q, size);
  free_assembly(w);
  return status;
}

dm_status dm_assembly_project(const dm_system *s, double *q, dm_message *msg) {
  return dm_assembly_project_fixed(s, NULL, q, msg);
}

// L and its derivatives at (q,v)
static dm_status eval_lagrangian(assembly *w, const double *q, const double *v) {
  const dm_lagrangian *L = &w->s->L;
  return L->eval(L->self, w->L_scratch, 2, q, v, &w->jet);
}

// -- velocities

// The largest rate Dh(q) v of a constraint relative to its scale, at row *worst, 1/s; *terms: the
// largest contribution of a coordinate to a rate.
static double find_largest_rate(const assembly *w, const double *v, int *worst, double *terms) {
  const dm_kkt *k = w->k;
  // rate of each row, and the largest term in it
  double off = 0;
  for (int c = 0; c < k->nc; c++) {
    double rate = w->drift[c] / w->row[c];
    *terms = fmax(*terms, fabs(rate));
    for (int i = 0; i < k->n; i++) {
      const double term = k->Dh1[c * k->n + i] / w->row[c] * v[i];
      rate += term;
      *terms = fmax(*terms, fabs(term));
    }
    if (fabs(rate) > off) {
      off = fabs(rate);
      *worst = c;
    }
  }
  return off;
}

// rate of constraint c
static double rate_of(const assembly *w, int c, const double *v) {
  const dm_kkt *k = w->k;
  double rate = w->drift[c];
  for (int i = 0; i < k->n; i++) rate += k->Dh1[c * k->n + i] * v[i];
  return rate;
}

// b of nonholonomic rows at q into the last entries of w->drift
static dm_status find_drift(assembly *w, const double *q) {
  const dm_holonomic *hol = &w->s->hol;
  if (!hol->nv || !hol->drift) return DM_OK;
  double *b = w->drift + hol->nc - hol->nv;
  return hol->drift(hol->self, w->k->scratch, q, NULL, b, NULL, NULL);
}

// Least kinetic energy dv'M dv/2 with Dh (v + dv) = 0. With C C' = M = L_vv (Cholesky) and y = C'dv
// this is the least |y| with (Dh C'^-1) y = -Dh v.
static dm_status project_velocity(assembly *w, const double *q, double *v, dm_message *msg) {
  dm_kkt *k = w->k;
  int n = k->n, nf = w->nf, nc = k->nc, worst = 0;
  double terms = 0;
  dm_status status = evaluate_constraints(w, q);
  if (status == DM_OK) status = find_drift(w, q);
  if (status == DM_OK) status = eval_lagrangian(w, q, v);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));

  // M = C C' in Z, and D = C^-1 Dh' for the free coordinates, scaled; M is multiplied by a power of
  // two that brings it near 1, because the square root of a unit need not be a power of two
  double largest = 0;
  for (int i = 0; i < nf; i++) {
    const int a = w->free[i];
    largest = fmax(largest, w->jet.L_vv[a * (n + 1)] * w->size[a] * w->size[a]);
  }
  const double by = isnormal(largest) ? ldexp(1, -ilogb(largest)) : 1;
  for (int i = 0; i < nf; i++)
    for (int j = 0; j < nf; j++) {
      const int a = w->free[i], b = w->free[j];
      w->Z[j * nf + i] = by * w->jet.L_vv[a * n + b] * w->size[a] * w->size[b];
    }
  if (nf &&
      (dm_blas()->LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', nf, w->Z, nf) ||
       dm_blas()->LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', nf, nc, w->Z, nf, w->D, nf)))
    return dm_fail(msg, DM_SINGULAR, "the mass matrix is singular");

  // -Dh v
  clear_vector(w->b, nf > nc ? nf : nc);
  for (int c = 0; c < nc; c++) w->b[c] = -rate_of(w, c, v) / w->row[c];

  // y by least squares with the transpose of D; dv = C'^-1 y
  for (int i = 0; i < nf; i++)
    for (int c = 0; c < nc; c++) w->H[i * nc + c] = w->D[c * nf + i];
  solve_least_squares(w, nc, nf, w->H);
  if (nf)
    dm_blas()->LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'T', 'N', nf, 1, w->Z, nf, w->b, nf);

  // v + dv
  memcpy(w->y, v, (size_t)n * sizeof *v);
  for (int i = 0; i < nf; i++) w->y[w->free[i]] += w->b[i] * w->size[w->free[i]];

  // kinematic coordinates alone may violate a rate: tolerance 1e-9 of the canceling terms
  find_largest_rate(w, v, &worst, &terms);
  if (find_largest_rate(w, w->y, &worst, &terms) > 1e-9 * terms)
    return dm_fail(msg, DM_INFEASIBLE,
                   "no velocity keeps constraint '%s': its rate is off by %.3g m/s or rad/s",
                   name_row(&w->s->hol, worst), fabs(rate_of(w, worst, w->y)));
  memcpy(v, w->y, (size_t)n * sizeof *v);
  return DM_OK;
}

dm_status dm_assembly_velocity(const dm_system *s, const double *q, double *v, dm_message *msg) {
  assembly *w;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(new_assembly(&w, s, NULL, q, msg));
  dm_status status = project_velocity(w, q, v, msg);
  free_assembly(w);
  return status;
}

dm_status dm_assembly_impulse(const dm_system *s, const double *q, const double *r,
                              double *lambda) {
  assembly *w;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(new_assembly(&w, s, NULL, q, NULL));
  dm_status status = evaluate_constraints(w, q);
  if (status == DM_OK) {
    // minimize |r - Dh'lambda| over the dynamic coordinates, scaled; D is Dh', column-major
    clear_vector(w->b, w->nf > w->k->nc ? w->nf : w->k->nc);
    for (int i = 0; i < w->nf; i++) w->b[i] = r[w->free[i]] * w->size[w->free[i]];
    solve_least_squares(w, w->nf, w->k->nc, w->D);
    for (int c = 0; c < w->k->nc; c++) lambda[c] = w->b[c] / w->row[c];
  }
  free_assembly(w);
  return status;
}

// -- the least potential energy

// g = Z'V_q and the eigenvectors of Z'(V_qq + sum lambda D2h)Z, V = -L(q,0), at w->q; returns the
// dimension of the null space, whose basis is in the last columns of Z; all scaled, in N m
static dm_status reduce_to_null_space(assembly *w, int *dimension) {
  const dm_holonomic *hol = &w->s->hol;
  int n = w->k->n, nf = w->nf, nc = w->k->nc;
  DM_TRY(eval_lagrangian(w, w->q, w->zero));
  DM_TRY(evaluate_constraints(w, w->q));

  // V_qq, plus the curvature of the constraints with lambda minimizing |V_q + Dh'lambda|
  for (int i = 0; i < n * n; i++) w->H[i] = -w->jet.L_qq[i];
  if (nc) {
    clear_vector(w->b, nf > nc ? nf : nc);
    for (int i = 0; i < nf; i++) w->b[i] = w->jet.L_q[w->free[i]] * w->size[w->free[i]];
    memcpy(w->Hz, w->D, (size_t)(nf * nc) * sizeof *w->D);
    solve_least_squares(w, nf, nc, w->Hz);
    for (int c = 0; c < nc; c++) w->b[c] /= w->row[c];
    DM_TRY(hol->contract(hol->self, w->k->scratch, w->q, w->b, w->H));
  }

  // D P = Q R: the columns of the full Q after the rank span the null space of Dh
  int rank = factor_gradients(w), m = nf - rank;
  *dimension = m;
  clear_vector(w->Z, nf * nf);
  for (int j = 0; j < rank; j++) memcpy(w->Z + j * nf, w->D + j * nf, (size_t)nf * sizeof *w->Z);
  if (rank)
    dm_blas()->LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, nf, nf, rank, w->Z, nf, w->tau, w->lapack,
                                   w->lapack_size);
  for (int j = 0; rank == 0 && j < nf; j++) w->Z[j * nf + j] = 1;

  // g = Z'V_q and the lower triangle of Z'HZ
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w->H[i * n + j] *= w->size[i] * w->size[j];
  const double *Z = w->Z + rank * nf;
  for (int a = 0; a < m; a++) {
    w->g[a] = 0;
    for (int i = 0; i < nf; i++)
      w->g[a] -= Z[a * nf + i] * w->jet.L_q[w->free[i]] * w->size[w->free[i]];
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      for (int i = 0; i < nf; i++)
        for (int j = 0; j < nf; j++)
          sum += Z[a * nf + i] * w->H[w->free[i] * n + w->free[j]] * Z[b * nf + j];
      w->Hz[b * m + a] = sum;
    }
  }

  // eigenvalues in ascending order, and eigenvectors in place of Z'HZ
  if (m)
    dm_blas()->LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', m, w->Hz, m, w->w, w->lapack,
                                  w->lapack_size);
  return DM_OK;
}

// The step in the null space into y [n], with its slope; at most half a scale of the coordinates.
// Newton's method with the absolute value of each curvature; at a stationary point, along the most
// negative curvature.
static double find_downward_step(assembly *w, int m, bool rest) {
  double largest = 0, steepest = 0, slope = 0, size = 0;
  clear_vector(w->y, w->k->n);
  for (int a = 0; a < m; a++) largest = fmax(largest, fabs(w->w[a]));
  for (int a = 0; a < m; a++) steepest = fmax(steepest, fabs(w->g[a]));

  // along each eigenvector; at a saddle only along the first one, of the most negative curvature
  for (int a = 0; a < (rest ? 1 : m); a++) {
    const double *U = w->Hz + a * m, *Z = w->Z + (w->nf - m) * w->nf;
    double g = 0, t = 0.1;
    for (int b = 0; b < m; b++) g += U[b] * w->g[b];

    // |curvature| makes Newton's step a descent direction; at least 1e-8 of the largest one
    if (!rest) t = -g / fmax(fabs(w->w[a]), 1e-8 * largest);
    if (largest == 0) t = steepest > 0 ? -g / steepest : 0;
    slope += rest ? 0 : t * g;
    for (int b = 0; b < m; b++)
      for (int i = 0; i < w->nf; i++) w->y[w->free[i]] += t * U[b] * Z[b * w->nf + i];
  }

  // trust region: the energy of a hanging machine is nonlinear over about a radian
  for (int i = 0; i < w->k->n; i++) size = fmax(size, fabs(w->y[i]));
  double cut = size > 0.5 ? 0.5 / size : 1;
  for (int i = 0; i < w->k->n; i++) w->y[i] *= cut * w->size[i];
  return slope * cut;
}

// from w->trial along y and back on the constraints, halving until the energy decreases; `terms` is
// the change of the energy for changes of coordinates by their scale
static dm_status search_along_step(assembly *w, double V, double slope, double terms) {
  enum { HALVINGS = 30 };
  double t = 1, rounding = 1e-13 * (terms + fabs(V));
  for (int i = 0; i < HALVINGS; i++, t /= 2) {
    // compare energies on the constraints only
    for (int j = 0; j < w->k->n; j++) w->q[j] = w->trial[j] + t * w->y[j];
    if (project_iterate(w, NULL) != DM_OK) continue;
    DM_TRY(eval_lagrangian(w, w->q, w->zero));

    // Armijo's condition
    if (-w->jet.L <= V + 1e-4 * t * slope + rounding) return DM_OK;
  }

  memcpy(w->q, w->trial, (size_t)w->k->n * sizeof *w->q);
  return DM_STALLED;
}

// minimize the energy; *falls is the coordinate that moved most in the last step
static dm_status minimize_potential(assembly *w, int *falls, dm_message *msg) {
  enum { MAX_ITER = 500 };
  int n = w->k->n, m;
  dm_status status = project_iterate(w, msg);
  if (status != DM_OK) return status;
  for (int iter = 0; iter < MAX_ITER; iter++) {
    double off = 0, size = 0, largest = 0;

    // 1. gradient and curvatures in the null space of Dh, relative to the size of V_q
    status = reduce_to_null_space(w, &m);
    if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));
    for (int a = 0; a < m; a++) off = fmax(off, fabs(w->g[a]));
    for (int a = 0; a < m; a++) largest = fmax(largest, fabs(w->w[a]));
    for (int i = 0; i < w->nf; i++)
      size = fmax(size, fabs(w->jet.L_q[w->free[i]]) * w->size[w->free[i]]);

    // 2. converged at a stationary point without negative curvature
    bool rest = m == 0 || off <= 1e-13 * (size + largest);
    if (rest && (m == 0 || w->w[0] >= -1e-9 * largest)) return DM_OK;

    // 3. a descent step
    double V = -w->jet.L, slope = find_downward_step(w, m, rest);
    memcpy(w->trial, w->q, (size_t)n * sizeof *w->q);
    *falls = 0; // coordinate with the largest change
    for (int i = 0; i < n; i++)
      if (fabs(w->y[i]) / w->size[i] > fabs(w->y[*falls]) / w->size[*falls]) *falls = i;

    // 4. line search; a failure near the minimum is rounding
    status = search_along_step(w, V, slope, size + largest);
    if (status == DM_STALLED && off <= 1e-8 * (size + largest)) return DM_OK;
    if (status < 0) return dm_fail(msg, status, "%s", dm_status_text(status));
    if (status == DM_STALLED) break;
  }
  return DM_MAX_ITER;
}

dm_status dm_assembly_settle(const dm_system *s, const bool *fixed, const char *const *name,
                             double *q, dm_message *msg) {
  assembly *w;
  int falls = 0;
  size_t size = (size_t)s->L.nq * sizeof *q;

  // work on a copy: q changes only if a minimum is found
  DM_TRY(new_assembly(&w, s, fixed, q, msg));
  memcpy(w->q, q, size);
  dm_status status = minimize_potential(w, &falls, msg);
  if (status == DM_OK) memcpy(q, w->q, size);

  if (status == DM_MAX_ITER)
    dm_fail(msg, status, "no least potential energy: '%.64s' still falls, and nothing supports it",
            name ? name[falls] : "?");
  free_assembly(w);
  return status;
}

// v [n] from p = D2(q,q); u: zeros [inputs]
static dm_status find_standing_velocity(dm_interval *d, dm_continuous *c, const double *q,
                                        const double *u, double h, double *v) {
  const dm_system *s = &d->s;
  DM_TRY(dm_interval_eval(d, 1, q, q, u, h));
  for (int i = 0; s->nk && i < d->n; i++)
    if (s->kinematic[i]) d->D2[i] = 0; // kinematic: velocity instead of momentum
  memset(v, 0, (size_t)d->n * sizeof *v);
  return dm_velocity_of(c, q, d->D2, v);
}

dm_status dm_assembly_stand(const dm_system *s, const double *q, double h, double *v) {
  dm_interval *d = NULL;
  dm_continuous *c = NULL;
  dm_block b = {0};
  dm_block_alloc(&b, (size_t)dm_system_inputs(s) + 1, sizeof(double));
  DM_TRY(dm_block_new(&b));
  double *u = dm_block_alloc(&b, (size_t)dm_system_inputs(s) + 1, sizeof *u);

  // an interval from q to q, and the mass matrix there
  dm_status status = dm_interval_new(&d, s);
  if (status == DM_OK) status = dm_continuous_new(&c, s);
  if (status == DM_OK) status = find_standing_velocity(d, c, q, u, h, v);
  dm_continuous_free(c);
  dm_interval_free(d);
  dm_block_free(b.base);
  return status;
}
