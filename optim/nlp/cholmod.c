#include "optim/nlp/cholmod.h"

#include "config.h"
#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#ifndef HAVE_CHOLMOD
dm_status oc_cholmod_new(oc_cholmod **out, int n, int nnz, const int *row, const int *col) {
  (void)n;
  (void)nnz;
  (void)row;
  (void)col;
  *out = NULL;
  return DM_UNAVAILABLE;
}
dm_status oc_cholmod_new_supernodal(oc_cholmod **out, int n, int nnz, const int *row,
                                    const int *col) {
  return oc_cholmod_new(out, n, nnz, row, col);
}
void oc_cholmod_free(oc_cholmod *w) {
  (void)w;
}
dm_status oc_cholmod_factor(oc_cholmod *w, const double *val, int *negative) {
  (void)w;
  (void)val;
  (void)negative;
  return DM_UNAVAILABLE;
}
dm_status oc_cholmod_solve(oc_cholmod *w, double *b) {
  (void)w;
  (void)b;
  return DM_UNAVAILABLE;
}
#else
#include "lib/base/loaded_library.h"

#include <suitesparse/cholmod.h>

#define CHOLMOD_SYMBOLS(X)                                                                         \
  X(cholmod_allocate_triplet)                                                                      \
  X(cholmod_analyze)                                                                               \
  X(cholmod_factorize)                                                                             \
  X(cholmod_finish)                                                                                \
  X(cholmod_free_dense)                                                                            \
  X(cholmod_free_factor)                                                                           \
  X(cholmod_free_sparse)                                                                           \
  X(cholmod_free_triplet)                                                                          \
  X(cholmod_solve2)                                                                                \
  X(cholmod_start)                                                                                 \
  X(cholmod_triplet_to_sparse)
DM_LOADED_LIBRARY(cholmod, CHOLMOD_FILE, CHOLMOD_SYMBOLS)

struct oc_cholmod {
  cholmod_common common;
  cholmod_sparse *A;
  cholmod_factor *L;
  int n, nnz;
  int *place;               // [nnz] position of each entry in A->x
  double *b;                // [n] right-hand side for refinement
  cholmod_dense *x, *y, *e; // solution and CHOLMOD's scratch
};

static void lay_out_cholmod(void *self, dm_block *b) {
  oc_cholmod *w = self;
  w->place = dm_block_alloc(b, (size_t)w->nnz, sizeof *w->place);
  w->b = dm_block_alloc(b, (size_t)w->n, sizeof *w->b);
}

static dm_status status_of(const cholmod_common *c) {
  return c->status == CHOLMOD_OUT_OF_MEMORY ? DM_NO_MEMORY : DM_FAULT;
}

// pattern of A, and the position of each entry
static dm_status gather_pattern(oc_cholmod *w, const int *row, const int *col) {
  cholmod_common *c = &w->common;

  // lower triangle as triplets with dummy values 1
  cholmod_triplet *t = cholmod.cholmod_allocate_triplet((size_t)w->n, (size_t)w->n, (size_t)w->nnz,
                                                        -1, CHOLMOD_REAL, c);
  if (!t) return status_of(c);
  memcpy(t->i, row, (size_t)w->nnz * sizeof *row);
  memcpy(t->j, col, (size_t)w->nnz * sizeof *col);
  for (int i = 0; i < w->nnz; i++) ((double *)t->x)[i] = 1;
  t->nnz = (size_t)w->nnz;
  // compress by columns; duplicates are merged
  w->A = cholmod.cholmod_triplet_to_sparse(t, (size_t)w->nnz, c);
  cholmod.cholmod_free_triplet(&t, c);
  if (!w->A) return status_of(c);

  // position of each entry by bisection in its column, whose rows ascend
  const int *start = w->A->p, *at = w->A->i;
  for (int k = 0; k < w->nnz; k++) { // rows of a column are ascending
    int lo = start[col[k]], hi = start[col[k] + 1] - 1;
    while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (at[mid] < row[k])
        lo = mid + 1;
      else
        hi = mid;
    }
    w->place[k] = lo;
  }
  return DM_OK;
}

static dm_status make(oc_cholmod **out, int n, int nnz, const int *row, const int *col,
                      int method) {
  assert(out && n >= 1 && nnz >= 1 && row && col);
  *out = NULL;
  if (!cholmod_load()) return DM_UNAVAILABLE;
  oc_cholmod sizes = {.n = n, .nnz = nnz};
  oc_cholmod *w = dm_block_make(&sizes, sizeof sizes, lay_out_cholmod);
  if (!w) return DM_NO_MEMORY;

  // the given order: one method, no postordering
  cholmod_common *c = &w->common;
  cholmod.cholmod_start(c);
  c->print = 0;
  c->nmethods = 1;
  c->method[0].ordering = CHOLMOD_NATURAL;
  c->postorder = 0;
  c->supernodal = method;

  // symbolic factorization, once for all values
  dm_status s = gather_pattern(w, row, col);
  if (s == DM_OK) w->L = cholmod.cholmod_analyze(w->A, c);
  if (s == DM_OK && !w->L) s = status_of(c);
  if (s != DM_OK) {
    oc_cholmod_free(w);
    return s;
  }
  *out = w;
  return DM_OK;
}

dm_status oc_cholmod_new(oc_cholmod **out, int n, int nnz, const int *row, const int *col) {
  return make(out, n, nnz, row, col, CHOLMOD_SIMPLICIAL);
}

dm_status oc_cholmod_new_supernodal(oc_cholmod **out, int n, int nnz, const int *row,
                                    const int *col) {
  return make(out, n, nnz, row, col, CHOLMOD_SUPERNODAL);
}

void oc_cholmod_free(oc_cholmod *w) {
  if (!w) return;
  cholmod_common *c = &w->common;
  cholmod.cholmod_free_dense(&w->x, c);
  cholmod.cholmod_free_dense(&w->y, c);
  cholmod.cholmod_free_dense(&w->e, c);
  cholmod.cholmod_free_factor(&w->L, c);
  cholmod.cholmod_free_sparse(&w->A, c);
  cholmod.cholmod_finish(c);
  dm_block_free(w);
}

dm_status oc_cholmod_factor(oc_cholmod *w, const double *val, int *negative) {
  assert(w && val && negative);
  cholmod_common *c = &w->common;
  // values of A: duplicates are summed
  double *x = w->A->x;
  memset(x, 0, w->A->nzmax * sizeof *x);
  for (int k = 0; k < w->nnz; k++) {
    if (!isfinite(val[k])) return DM_NOT_FINITE;
    x[w->place[k]] += val[k];
  }

  // L D L'; a zero pivot stops before the last column
  if (!cholmod.cholmod_factorize(w->A, w->L, c)) return status_of(c);
  if (c->status == CHOLMOD_NOT_POSDEF || w->L->minor < w->L->n) return DM_SINGULAR;

  *negative = 0;
  if (w->L->is_super) return DM_OK;

  // inertia from the signs of D, the first entry of each column of L
  const int *start = w->L->p;
  const double *D = w->L->x;
  for (int i = 0; i < w->n; i++) {
    if (!isfinite(D[start[i]])) return DM_NOT_FINITE;
    *negative += D[start[i]] < 0;
  }
  return DM_OK;
}

static dm_status solve_factored(oc_cholmod *w, double *b) {
  cholmod_dense rhs = {.nrow = (size_t)w->n, .ncol = 1, .nzmax = (size_t)w->n, .d = (size_t)w->n};
  rhs.x = b;
  rhs.xtype = CHOLMOD_REAL;
  rhs.dtype = CHOLMOD_DOUBLE;
  if (!cholmod.cholmod_solve2(CHOLMOD_A, w->L, &rhs, NULL, &w->x, NULL, &w->y, &w->e, &w->common))
    return status_of(&w->common);
  return DM_OK;
}

dm_status oc_cholmod_solve(oc_cholmod *w, double *b) {
  assert(w && b);
  // x = A^-1 b
  memcpy(w->b, b, (size_t)w->n * sizeof *b);
  DM_TRY(solve_factored(w, b));
  memcpy(b, w->x->x, (size_t)w->n * sizeof *b);

  // b - A x over the lower triangle, into b
  const int *start = w->A->p, *at = w->A->i;
  const double *a = w->A->x;
  for (int j = 0; j < w->n; j++)
    for (int k = start[j]; k < start[j + 1]; k++) {
      w->b[at[k]] -= a[k] * b[j]; // an off-diagonal entry represents two
      if (at[k] != j) w->b[j] -= a[k] * b[at[k]];
    }

  DM_TRY(solve_factored(w, w->b));
  const double *x = w->x->x;
  for (int i = 0; i < w->n; i++) {
    b[i] += x[i];
    if (!isfinite(b[i])) return DM_NOT_FINITE;
  }
  return DM_OK;
}
#endif
