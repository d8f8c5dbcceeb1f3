// benchmarks/factorizations.c: the matrices R M^-1 R' of mechanisms, which assembly, inverse kinematics, projections and
// contacts factor, dense and by CHOLMOD: chains of loops with three rows each, coupled to their neighbours.
#include "benchmarks/figures.h"
#include "lib/base/dense.h"
#include "optim/nlp/cholmod.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 3 };

// a matrix of n rows, and room for its factors
typedef struct loops {
  int n, nnz, *row, *col, *piv;
  double *val, *A, *LU;
  oc_cholmod *sparse;
} loops;

static void factor_dense(void *self) {
  loops *w = self;
  memcpy(w->LU, w->A, (size_t)(w->n * w->n) * sizeof *w->LU);
  bench_need(dm_lu_factor(w->n, w->LU, w->piv), "a dense factorization");
}

static void factor_sparse(void *self) {
  loops *w = self;
  int negative;
  bench_need(oc_cholmod_factor(w->sparse, w->val, &negative), "CHOLMOD");
}

static loops make_loops(int n) {
  const size_t square = (size_t)n * (size_t)n, room = (size_t)(2 * BLOCK * n);
  loops w = {.n = n,
             .row = malloc(2 * room * sizeof *w.row),
             .piv = malloc((size_t)n * sizeof *w.piv),
             .val = malloc(room * sizeof *w.val),
             .A = calloc(2 * square, sizeof *w.A)};
  if (!w.row || !w.piv || !w.val || !w.A) bench_need(DM_NO_MEMORY, "a matrix");
  w.col = w.row + room;
  w.LU = w.A + square;
  for (int j = 0; j < n; j++) {
    const int last = BLOCK * (j / BLOCK + 2) < n ? BLOCK * (j / BLOCK + 2) : n;
    for (int i = j; i < last; i++) {
      const double value = i == j ? 10 : sin(1 + i + 7 * j);
      w.row[w.nnz] = i, w.col[w.nnz] = j, w.val[w.nnz++] = value;
      w.A[i * n + j] = w.A[j * n + i] = value;
    }
  }
  return w;
}

void bench_factorizations(void) {
  static const int sizes[] = {6, 30, 90, 300};
  for (int i = 0; i < 4; i++) {
    loops w = make_loops(sizes[i]);
    char name[64];
    snprintf(name, sizeof name, "loops_%d_dense_us", w.n);
    if (bench_wanted(name)) bench_print(name, bench_time_us(factor_dense, &w), "us");
    for (int supernodal = 0; supernodal < 2; supernodal++) {
      snprintf(name, sizeof name, "loops_%d_%s_us", w.n, supernodal ? "supernodal" : "cholmod");
      const dm_status s = (supernodal ? oc_cholmod_new_supernodal
                                      : oc_cholmod_new)(&w.sparse, w.n, w.nnz, w.row, w.col);
      if (s == DM_UNAVAILABLE) continue;
      bench_need(s, "CHOLMOD");
      if (bench_wanted(name)) bench_print(name, bench_time_us(factor_sparse, &w), "us");
      oc_cholmod_free(w.sparse);
    }
    free(w.row);
    free(w.piv);
    free(w.val);
    free(w.A);
  }
}
