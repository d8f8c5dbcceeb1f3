#include "optim/identification/knot_tangent.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double RANK = 1e-10; // of a column: rows of constraints below it depend on others

static void lay_out_tangent(void *self, dm_block *b) {
  oc_knot_tangent *w = self;
  const size_t n = (size_t)w->n, nc = (size_t)w->nc, d = sizeof(double);
  w->h = dm_block_alloc(b, nc, d);
  w->lambda = dm_block_alloc(b, nc, d);
  w->J = dm_block_alloc(b, nc * n, d);
  w->A = dm_block_alloc(b, nc * n, d);
  w->diagonal = dm_block_alloc(b, nc, d);
  w->x = dm_block_alloc(b, n, d);
  w->H = dm_block_alloc(b, n * n, d);
  w->scratch = dm_block_alloc(b, w->hol.scratch, 1);
}

dm_status oc_knot_tangent_new(oc_knot_tangent **out, int n, const dm_holonomic *hol,
                              const double *sigma_q, const double *sigma_f) {
  oc_knot_tangent sizes = {
      .n = n, .nc = hol->nc, .m = n - hol->nc, .hol = *hol, .sigma_q = sigma_q, .sigma_f = sigma_f};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_tangent);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void oc_knot_tangent_free(oc_knot_tangent *w) {
  dm_block_free(w);
}

// -- Householder's decomposition A = Q (R; 0): reflectors in the lower part of A, R above them

static bool decompose(oc_knot_tangent *w) {
  const int n = w->n, nc = w->nc;
  double *A = w->A;
  for (int k = 0; k < nc; k++) {
    double whole = 0, below = 0;
    for (int i = 0; i < n; i++) {
      whole += A[i * nc + k] * A[i * nc + k];
      if (i >= k) below += A[i * nc + k] * A[i * nc + k];
    }
    if (!(below > RANK * RANK * whole)) return false;
    const double size = A[k * nc + k] > 0 ? -sqrt(below) : sqrt(below);
    w->diagonal[k] = size;
    // v = a - size e_k, scaled so that the reflection is 1 - v v'
    A[k * nc + k] -= size;
    const double by = 1 / sqrt(-size * A[k * nc + k]);
    for (int i = k; i < n; i++) A[i * nc + k] *= by;
    for (int j = k + 1; j < nc; j++) {
      double t = 0;
      for (int i = k; i < n; i++) t += A[i * nc + k] * A[i * nc + j];
      for (int i = k; i < n; i++) A[i * nc + j] -= t * A[i * nc + k];
    }
  }
  return true;
}

// reflection k of the columns of x [n x ld]
static void reflect(const oc_knot_tangent *w, int k, int cols, double *x, int ld) {
  const double *v = w->A + k;
  for (int c = 0; c < cols; c++) {
    double t = 0;
    for (int i = k; i < w->n; i++) t += v[i * w->nc] * x[i * ld + c];
    for (int i = k; i < w->n; i++) x[i * ld + c] -= t * v[i * w->nc];
  }
}

// h and the decomposition of diag(scale) Dh' at q; over: of diag(1/scale) Dh'
static dm_status decompose_at(oc_knot_tangent *w, const double *q, const double *scale, bool over) {
  DM_TRY(w->hol.eval(w->hol.self, w->scratch, q, w->h, w->J));
  for (int i = 0; i < w->n; i++)
    for (int k = 0; k < w->nc; k++)
      w->A[i * w->nc + k] = w->J[k * w->n + i] * (over ? 1 / scale[i] : scale[i]);
  return decompose(w) ? DM_OK : DM_SINGULAR;
}

// -- positions

dm_status oc_knot_tangent_directions(oc_knot_tangent *w, const double *q, double *N) {
  const int n = w->n, m = w->m;
  DM_TRY(decompose_at(w, q, w->sigma_q, false));
  memset(N, 0, (size_t)(n * m) * sizeof *N);
  for (int j = 0; j < m; j++) N[(w->nc + j) * m + j] = 1;
  for (int k = w->nc - 1; k >= 0; k--) reflect(w, k, m, N, m);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) N[i * m + j] *= w->sigma_q[i];
  return DM_OK;
}

dm_status oc_knot_tangent_retract(oc_knot_tangent *w, double *q) {
  enum { MOST = 30 };
  double last = INFINITY;
  for (int turn = 0; turn < MOST; turn++) {
    // the shortest x with Dh diag(sigma_q) x = -h: R' y = -h, x = Q (y; 0)
    DM_TRY(decompose_at(w, q, w->sigma_q, false));
    double size = 0;
    memset(w->x, 0, (size_t)w->n * sizeof *w->x);
    for (int k = 0; k < w->nc; k++) {
      double y = -w->h[k];
      for (int j = 0; j < k; j++) y -= w->A[j * w->nc + k] * w->x[j];
      w->x[k] = y / w->diagonal[k];
      size += w->x[k] * w->x[k];
    }
    if (!isfinite(size)) return DM_NOT_FINITE;
    for (int k = w->nc - 1; k >= 0; k--) reflect(w, k, 1, w->x, 1);
    for (int i = 0; i < w->n; i++) q[i] += w->sigma_q[i] * w->x[i];
    // in standard deviations: until rounding ends the quadratic convergence
    if (size < 1e-24 || (size < 1e-12 && size >= last)) return DM_OK;
    last = size;
  }
  return DM_MAX_ITER;
}

// -- equations

dm_status oc_knot_tangent_equations(oc_knot_tangent *w, const double *q) {
  return decompose_at(w, q, w->sigma_f, true);
}

void oc_knot_tangent_project(const oc_knot_tangent *w, int cols, double *x, int ld, double *out,
                             int ldout) {
  for (int k = 0; k < w->nc; k++) reflect(w, k, cols, x, ld);
  for (int i = 0; i < w->m; i++)
    memcpy(out + i * ldout, x + (w->nc + i) * ld, (size_t)cols * sizeof *out);
}

void oc_knot_tangent_release(oc_knot_tangent *w, double *x) {
  const int nc = w->nc;
  for (int k = 0; k < nc; k++) reflect(w, k, 1, x, 1);
  for (int k = nc - 1; k >= 0; k--) {
    double y = x[k];
    for (int j = k + 1; j < nc; j++) y -= w->A[k * nc + j] * w->lambda[j];
    w->lambda[k] = y / w->diagonal[k];
    x[k] = 0;
  }
  for (int k = nc - 1; k >= 0; k--) reflect(w, k, 1, x, 1);
}

dm_status oc_knot_tangent_curvature(oc_knot_tangent *w, const double *q) {
  const int n = w->n;
  memset(w->H, 0, (size_t)(n * n) * sizeof *w->H);
  DM_TRY(w->hol.contract(w->hol.self, w->scratch, q, w->lambda, w->H));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w->H[i * n + j] /= w->sigma_f[i];
  return DM_OK;
}
