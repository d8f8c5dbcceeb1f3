// benchmarks/factorizations.c: definite systems that dmoc factors, beside LAPACK's Cholesky factorization and CHOLMOD's two
// of the same pattern: docs/solvers.md, by benchmarks/factorizations.py. Processor times of numerical factorizations alone.
//
//   factor.loops     R M^-1 R' of mechanisms, for assembly, inverse kinematics and projections: chains of loops
//                    with three rows each, coupled to their neighbours
//   factor.contacts  the same for contacts: piles of bodies with three rows per contact, each pile an island
//   factor.second    Hessian of a second-order boundary value problem with n coordinates, per knot
#include "benchmarks/figures.h"
#include "lib/base/dense.h"
#include "lib/contact/row_set.h"
#include "optim/nlp/cholmod.h"
#include "optim/second/block_elimination.h"
#include "tests/support/models.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 3, PILE = 4, KNOTS = 100 };

// a definite matrix of n rows whose band has `wide` entries below the diagonal, and room for its factors
typedef struct matrix {
  int n, wide, nnz, *row, *col, *piv;
  double *val, *A, *LU, *band, *factored; // A: of up to MOST_DENSE rows
  oc_cholmod *sparse;
} matrix;
enum { MOST_DENSE = 1000 };

static void *allocate(size_t count, size_t size) {
  void *x = calloc(count, size);
  if (!x) bench_need(DM_NO_MEMORY, "a matrix");
  return x;
}

// rows in blocks, each of which is coupled to `beside` (0 or 1) blocks after it; in piles of `pile` blocks
static matrix make_matrix(int n, int block, int pile) {
  const bool dense = n <= MOST_DENSE;
  const size_t room = (size_t)(2 * block * n), square = dense ? (size_t)n * (size_t)n : 0;
  matrix w = {.n = n, .wide = 2 * block - 1};
  w.row = allocate(2 * room, sizeof *w.row);
  w.piv = allocate((size_t)n, sizeof *w.piv);
  w.val = allocate(room, sizeof *w.val);
  w.A = allocate(2 * square + 1, sizeof *w.A);
  w.band = allocate(2 * room, sizeof *w.band);
  w.col = w.row + room, w.LU = w.A + square, w.factored = w.band + room;
  for (int j = 0; j < n; j++) {
    const int of = j / block, island = (of / pile + 1) * pile * block;
    const int last = (int)fmin(fmin(block * (of + 2), island), n);
    for (int i = j; i < last; i++) {
      const double value = i == j ? 4.0 * block : sin(1 + i + 7 * j);
      w.row[w.nnz] = i, w.col[w.nnz] = j, w.val[w.nnz++] = value;
      w.band[(i - j) + j * (w.wide + 1)] = value;
      if (dense) w.A[i * n + j] = w.A[j * n + i] = value;
    }
  }
  return w;
}

static void free_matrix(matrix *w) {
  free(w->row);
  free(w->piv);
  free(w->val);
  free(w->A);
  free(w->band);
}

static void factor_dense(void *self) {
  matrix *w = self;
  memcpy(w->LU, w->A, (size_t)(w->n * w->n) * sizeof *w->LU);
  bench_need(dm_lu_factor(w->n, w->LU, w->piv), "a dense factorization");
}

static void factor_cholesky(void *self) {
  matrix *w = self;
  memcpy(w->LU, w->A, (size_t)(w->n * w->n) * sizeof *w->LU);
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', w->n, w->LU, w->n)) bench_need(DM_SINGULAR, "LAPACK");
}

static void factor_band(void *self) {
  matrix *w = self;
  const int ld = w->wide + 1;
  memcpy(w->factored, w->band, (size_t)(ld * w->n) * sizeof *w->band);
  if (LAPACKE_dpbtrf(LAPACK_COL_MAJOR, 'L', w->n, w->wide, w->factored, ld))
    bench_need(DM_SINGULAR, "LAPACK");
}

static void factor_sparse(void *self) {
  matrix *w = self;
  int negative;
  bench_need(oc_cholmod_factor(w->sparse, w->val, &negative), "CHOLMOD");
}

static void analyze_and_factor(void *self) {
  matrix *w = self;
  bench_need(oc_cholmod_new(&w->sparse, w->n, w->nnz, w->row, w->col), "CHOLMOD");
  factor_sparse(w);
  oc_cholmod_free(w->sparse);
}

// one figure: factor.JOB.SIZE.WAY_us, divided by `per`
static void time_factor(const char *job, int size, const char *way, double per,
                        void (*call)(void *), void *self) {
  char name[96];
  snprintf(name, sizeof name, "factor.%s.%d.%s_us", job, size, way);
  if (bench_wanted(name)) bench_print(name, bench_time_us(call, self) / per, "us");
}

// CHOLMOD with the pattern analyzed before, and LAPACK
static void time_others(const char *job, int size, matrix *w, double per) {
  static const char *const ways[] = {"cholmod", "supernodal"};
  for (int i = 0; i < 2; i++) {
    const dm_status s =
        (i ? oc_cholmod_new_supernodal : oc_cholmod_new)(&w->sparse, w->n, w->nnz, w->row, w->col);
    if (s == DM_UNAVAILABLE) continue;
    bench_need(s, "CHOLMOD");
    time_factor(job, size, ways[i], per, factor_sparse, w);
    oc_cholmod_free(w->sparse);
  }
  if (w->n <= MOST_DENSE) time_factor(job, size, "lapack", per, factor_cholesky, w);
  time_factor(job, size, "band", per, factor_band, w);
}

static void time_loops(int rows) {
  matrix w = make_matrix(rows, BLOCK, rows);
  time_factor("loops", rows, "used", 1, factor_dense, &w);
  time_others("loops", rows, &w, 1);
  free_matrix(&w);
}

// -- contacts

typedef struct pile {
  dm_row_set *set;
  dm_sparse_rows J;
} pile;

static void factor_rows(void *self) {
  pile *w = self;
  bench_need(dm_row_set_factor(w->set, &w->J, &w->J, 0, 1e-12), "contacts");
}

// contact c of a pile is between its bodies c - 1 and c, with three coordinates each
static void time_contacts(int rows) {
  const int contacts = rows / BLOCK;
  pile w = {.J = {.n = rows, .m = rows}};
  w.J.start = allocate((size_t)rows + 1, sizeof *w.J.start);
  w.J.col = allocate((size_t)(2 * BLOCK * rows), sizeof *w.J.col);
  w.J.value = allocate((size_t)(2 * BLOCK * rows), sizeof *w.J.value);
  int at = 0;
  for (int i = 0; i < rows; i++) {
    const int c = i / BLOCK, first = c % PILE ? c - 1 : c;
    for (int j = BLOCK * first; j < BLOCK * (c + 1); j++) {
      w.J.col[at] = j;
      w.J.value[at++] = i == j ? 3 : sin(1 + i + 7 * j);
    }
    w.J.start[i + 1] = at;
  }
  bench_need(dm_row_set_new(&w.set, rows, rows), "memory");
  time_factor("contacts", rows, "used", 1, factor_rows, &w);
  dm_row_set_free(w.set);
  free(w.J.start);
  free(w.J.col);
  free(w.J.value);

  matrix m = make_matrix(BLOCK * contacts, BLOCK, PILE);
  time_others("contacts", rows, &m, 1);
  time_factor("contacts", rows, "analyzed", 1, analyze_and_factor, &m);
  free_matrix(&m);
}

// -- second order

static void eliminate_blocks(void *self) {
  bench_need(oc_block_elimination_factor(self, KNOTS, 0.01, 0, NULL, &(double){0}), "blocks");
}

static void time_second(int n) {
  oc_block_elimination *w;
  bench_need(oc_block_elimination_new(&w, KNOTS, n, 2), "memory");
  const int size = w->size, all = size * size;
  for (int k = 0; k < KNOTS; k++)
    for (int part = 0; part < 3; part++)
      for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
          w->H[(size_t)((3 * k + part) * all + i * size + j)] =
              part != 1 && i == j ? 4.0 * size : sin(1 + i + j + part) / 2;
  time_factor("second", n, "used", KNOTS, eliminate_blocks, w);
  oc_block_elimination_free(w);

  matrix m = make_matrix(size * (KNOTS + 1), size, KNOTS + 1);
  time_others("second", n, &m, KNOTS);
  free_matrix(&m);
}

void bench_factorizations(void) {
  static const int loops[] = {6, 30, 90, 300}, contacts[] = {12, 48, 192}, second[] = {2, 7, 30};
  for (int i = 0; i < COUNT(loops); i++) time_loops(loops[i]);
  for (int i = 0; i < COUNT(contacts); i++) time_contacts(contacts[i]);
  for (int i = 0; i < COUNT(second); i++) time_second(second[i]);
}
