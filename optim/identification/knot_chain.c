#include "optim/identification/knot_chain.h"

#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
  ROOM = 256, // rows for S that are collected
  SMALL = 12, // unknowns of a knot up to which loops are faster than BLAS
};

static void lay_out_chain(void *self, dm_block *b) {
  oc_knot_chain *w = self;
  const size_t n = (size_t)w->n, p = (size_t)w->p, ld = (size_t)w->ld, knots = (size_t)w->knots;
  w->row = dm_block_alloc(b, n * ld, sizeof(double));
  w->window = dm_block_alloc(b, 3 * n * ld, sizeof(double));
  w->S = dm_block_alloc(b, (p + 1) * (p + 1), sizeof(double));
  w->raw = dm_block_alloc(b, p, sizeof(double));
  w->plus = dm_block_alloc(b, (ROOM + n) * (p + 1), sizeof(double));
  w->minus = dm_block_alloc(b, (ROOM + n) * (p + 1), sizeof(double));
  w->L = dm_block_alloc(b, knots * n * n, sizeof(double));
  w->X = dm_block_alloc(b, knots * n * 2 * n, sizeof(double));
  w->g = dm_block_alloc(b, knots * n, sizeof(double));
}

dm_status oc_knot_chain_new(oc_knot_chain **out, int n, int p, int knots,
                            const oc_knot_chain *shared) {
  oc_knot_chain sizes = {.n = n, .p = p, .ld = 3 * n + p + 1, .knots = knots};
  oc_knot_chain *w = *out = dm_block_make(&sizes, sizeof sizes, lay_out_chain);
  if (!w) return DM_NO_MEMORY;
  if (shared) w->L = shared->L, w->X = shared->X, w->g = shared->g;
  return DM_OK;
}

void oc_knot_chain_free(oc_knot_chain *w) {
  dm_block_free(w);
}

void oc_knot_chain_begin(oc_knot_chain *w, int at) {
  const size_t n = (size_t)w->n, p = (size_t)w->p;
  memset(w->window, 0, 3 * n * (size_t)w->ld * sizeof(double));
  memset(w->S, 0, (p + 1) * (p + 1) * sizeof(double));
  memset(w->raw, 0, p * sizeof(double));
  w->nplus = w->nminus = 0;
  w->at = at;
  w->fall = 0;
}

// S += sign R'R, the upper triangle
static void flush_rows(oc_knot_chain *w, double sign, const double *R, int *count) {
  const int ld = w->p + 1;
  if (*count > 0)
    dm_blas()->cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, ld, *count, sign, R, ld, 1, w->S,
                           ld);
  *count = 0;
}

// to += sign X'X of n rows X with all columns, the block rows of the upper triangle of `blocks` knots
static void add_products(int n, int blocks, int cols, double sign, const double *X, double *to,
                         int ld) {
  for (int k = 0; k < blocks; k++)
    dm_gemm_transposed(n, cols - k * n, n, sign, X + k * n, ld, X + k * n, ld, 1,
                       to + k * n * ld + k * n, ld);
}

// collect the border part of n rows of length ld
static void collect_rows(oc_knot_chain *w, const double *rows, double sign, double *R, int *count) {
  const size_t width = (size_t)w->p + 1;
  for (int i = 0; i < w->n; i++)
    memcpy(R + (size_t)(*count)++ * width, dm_row(rows, i, w->ld) + 3 * w->n,
           width * sizeof(double));
  if (*count >= ROOM) flush_rows(w, sign, R, count);
}

void oc_knot_chain_add(oc_knot_chain *w) {
  const int n = w->n, ld = w->ld;
  // H and B += A' (A Y r)
  add_products(n, 3, ld, 1, w->row, w->window, ld);
  for (int i = 0; i < n; i++)
    for (int c = 0; c < w->p; c++) {
      const double y = w->row[i * ld + 3 * n + c];
      w->raw[c] += y * y;
    }
  collect_rows(w, w->row, 1, w->plus, &w->nplus);
}

void oc_knot_chain_add_square(oc_knot_chain *w, int first, int count, const double *a,
                              double weight, double b, int c) {
  const int n = w->n, p = w->p;
  for (int i = 0; i < count; i++) {
    const double wa = weight * a[i];
    if (wa == 0) continue;
    double *row = dm_row(w->window, first + i, w->ld);
    dm_add_to(count, wa, a, row + first);
    row[w->ld - 1] += wa * b;
    if (c >= 0) row[3 * n + c] += wa;
  }
  if (c < 0) return;
  w->S[c * (p + 1) + c] += weight;
  w->S[c * (p + 1) + p] += weight * b;
  w->raw[c] += weight;
}

// the lower factor of the first block, to L
static bool factor_block(int n, const double *H, int ld, double *L) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      const double s = H[j * ld + i] - dm_inner(j, dm_row(L, i, n), dm_row(L, j, n));
      if (j == i && !(s > 0)) return false;
      L[i * n + j] = j == i ? sqrt(s) : s / L[j * n + j];
    }
  return true;
}

dm_status oc_knot_chain_eliminate(oc_knot_chain *w) {
  const int n = w->n, ld = w->ld;
  double *L = dm_row(w->L, w->at, n * n), *X = dm_row(w->X, w->at, 2 * n * n);
  double *G = w->window, *rest = G + n * ld + n;
  if (!factor_block(n, G, ld, L)) return DM_NOT_DEFINITE;

  // X = L^-1 (the other columns of the first knot)
  if (n > SMALL)
    dm_blas()->cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n,
                           ld - n, 1, L, n, G + n, ld);
  for (int i = 0; i < n; i++) {
    double *x = dm_row(G, i, ld);
    for (int k = 0; n <= SMALL && k < i; k++)
      dm_add_to(ld - n, -L[i * n + k], G + k * ld + n, x + n);
    const double by = n > SMALL ? 1 : 1 / L[i * n + i];
    for (int c = n; c < ld; c++) x[c] *= by;
    memcpy(X + i * 2 * n, x + n, 2 * (size_t)n * sizeof *X);
    const double g = w->g[(size_t)w->at * (size_t)n + (size_t)i] = x[ld - 1];
    w->fall += 0.5 * g * g;
  }

  // the rest -= X'X; the window moves on
  add_products(n, 2, ld - n, -1, G + n, rest, ld);
  collect_rows(w, G, -1, w->minus, &w->nminus);
  for (int i = 0; i < 2 * n; i++) {
    double *to = dm_row(G, i, ld), *from = dm_row(G, n + i, ld);
    memcpy(to, from + n, 2 * (size_t)n * sizeof *to);
    memset(to + 2 * n, 0, (size_t)n * sizeof *to);
    memcpy(to + 3 * n, from + 3 * n, (size_t)(ld - 3 * n) * sizeof *to);
  }
  memset(dm_row(G, 2 * n, ld), 0, (size_t)(n * ld) * sizeof *G);
  w->at++;
  return DM_OK;
}

void oc_knot_chain_end(oc_knot_chain *w) {
  const int ld = w->p + 1;
  flush_rows(w, 1, w->plus, &w->nplus);
  flush_rows(w, -1, w->minus, &w->nminus);
  for (int i = 0; i < ld; i++)
    for (int j = 0; j < i; j++) w->S[i * ld + j] = w->S[j * ld + i];
}

void oc_knot_chain_join(oc_knot_chain *w, const oc_knot_chain *part) {
  const int p = w->p;
  dm_add_to((p + 1) * (p + 1), 1, part->S, w->S);
  dm_add_to(p, 1, part->raw, w->raw);
  w->fall += part->fall;
}

void oc_knot_chain_solve(const oc_knot_chain *w, int first, int knots, double *b) {
  const int n = w->n;
  // L x = b forward, the two next knots follow
  for (int k = first; k < first + knots; k++) {
    const double *L = dm_row(w->L, k, n * n), *X = dm_row(w->X, k, 2 * n * n);
    double *x = dm_row(b, k, n);
    const int next = first + knots - 1 - k;
    for (int i = 0; i < n; i++) {
      x[i] = (x[i] - dm_inner(i, L + i * n, x)) / L[i * n + i];
      dm_add_to((next < 2 ? next : 2) * n, -x[i], X + i * 2 * n, x + n);
    }
  }
  // L' x = b backward
  for (int k = first + knots - 1; k >= first; k--) {
    const double *L = dm_row(w->L, k, n * n), *X = dm_row(w->X, k, 2 * n * n);
    double *x = dm_row(b, k, n);
    const int next = first + knots - 1 - k;
    for (int i = n - 1; i >= 0; i--) {
      x[i] -= dm_inner((next < 2 ? next : 2) * n, X + i * 2 * n, x + n);
      for (int j = i + 1; j < n; j++) x[i] -= L[j * n + i] * x[j];
      x[i] /= L[i * n + i];
    }
  }
}
