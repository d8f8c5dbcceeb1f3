// Impulses along sparse rows: blocks and row sets solve as dense matrices do, impulses obey their laws and do
// not depend on the guess, also with rows that depend on each other and with equalities.
#include "lib/base/dense.h"
#include "lib/base/diagonal_blocks.h"
#include "lib/base/random.h"
#include "lib/contact/row_impulses.h"
#include "tests/support/cmocka.h"

#include <math.h>
#include <string.h>

enum { BODIES = 6, EACH = 3, N = BODIES * EACH, ROWS = 14, EQUAL = 2, ENTRIES = 400 };

static uint64_t seed, next;

static double draw(void) {
  return dm_random_normal(seed, 0, next++);
}

// rows in arrays of their own
typedef struct rows {
  dm_sparse_rows x;
  int start[ROWS + 1], col[ENTRIES];
  double value[ENTRIES];
} rows;

static void begin_rows(rows *r) {
  r->x = (dm_sparse_rows){.n = N, .start = r->start, .col = r->col, .value = r->value};
  r->start[0] = 0;
}

// m rows [m x N], each between two bodies; every third is the sum of the two before, if wanted
static void draw_rows(rows *r, double *dense, int m, bool dependent) {
  begin_rows(r);
  for (int i = 0; i < m; i++) {
    double *row = dense + i * N;
    memset(row, 0, N * sizeof *row);
    const int a = i % BODIES, b = (a + 1 + i % 2) % BODIES;
    for (int k = 0; k < EACH; k++) {
      row[a * EACH + k] = draw();
      row[b * EACH + k] = draw();
    }
    if (dependent && i % 3 == 2)
      for (int k = 0; k < N; k++) row[k] = row[k - N] + row[k - 2 * N];
    dm_sparse_rows_append_dense(&r->x, row);
  }
}

// a mass matrix of blocks, its factors, and its inverse
typedef struct masses {
  dm_diagonal_blocks *blocks;
  double M[N * N], W[N * N];
} masses;

static void draw_masses(masses *w) {
  int piv[N];
  double LU[N * N];
  memset(w->M, 0, sizeof w->M);
  for (int b = 0; b < BODIES; b++) {
    double J[EACH * EACH];
    for (int i = 0; i < EACH * EACH; i++) J[i] = draw();
    for (int i = 0; i < EACH; i++)
      for (int j = 0; j < EACH; j++) {
        double sum = i == j;
        for (int k = 0; k < EACH; k++) sum += J[i * EACH + k] * J[j * EACH + k];
        // bodies are interleaved, so that blocks need a permutation
        w->M[(i * BODIES + b) * N + j * BODIES + b] = sum;
      }
  }
  memcpy(LU, w->M, sizeof LU);
  assert_int_equal(dm_lu_factor(N, LU, piv), DM_OK);
  memset(w->W, 0, sizeof w->W);
  for (int i = 0; i < N; i++) w->W[i * (N + 1)] = 1;
  dm_lu_solve(N, LU, piv, N, w->W);
  assert_int_equal(dm_diagonal_blocks_new(&w->blocks, N), DM_OK);
  assert_int_equal(dm_diagonal_blocks_factor(w->blocks, w->M), DM_OK);
}

static dm_status append_metric(void *self, double t, const dm_sparse_rows *B, int i,
                               dm_sparse_rows *out) {
  dm_diagonal_blocks_append(self, t, B, i, out);
  return DM_OK;
}

static void blocks_solve_as_the_matrix_does(void **state) {
  (void)state;
  masses w;
  seed = 1;
  draw_masses(&w);
  assert_int_equal(w.blocks->count, BODIES);
  double x[N], b[N];
  for (int i = 0; i < N; i++) x[i] = b[i] = draw();
  dm_diagonal_blocks_solve(w.blocks, x);
  for (int i = 0; i < N; i++) assert_true(fabs(x[i] - dm_inner(N, w.W + i * N, b)) < 1e-12);

  // a full matrix is one block
  for (int i = 0; i < N * N; i++) w.M[i] += 0.01;
  assert_int_equal(dm_diagonal_blocks_factor(w.blocks, w.M), DM_OK);
  assert_int_equal(w.blocks->count, 1);
  memset(w.M, 0, sizeof w.M);
  assert_int_equal(dm_diagonal_blocks_factor(w.blocks, w.M), DM_SINGULAR);
  dm_diagonal_blocks_free(w.blocks);
}

static void a_row_set_solves_as_the_matrix_does(void **state) {
  (void)state;
  for (seed = 1; seed < 40; seed++) {
    masses w;
    rows J, T;
    dm_row_set *set;
    double dense[ROWS * N], S[ROWS * ROWS], b[ROWS], x[ROWS];
    int piv[ROWS];
    draw_masses(&w);
    draw_rows(&J, dense, ROWS, false);
    begin_rows(&T);
    for (int i = 0; i < ROWS; i++) dm_diagonal_blocks_append(w.blocks, 1, &J.x, i, &T.x);
    assert_int_equal(dm_row_set_new(&set, N, ROWS), DM_OK);

    // twice: the second keeps the order
    for (int turn = 0; turn < 2; turn++) {
      assert_int_equal(dm_row_set_factor(set, &J.x, &T.x, EQUAL, 1e-12), DM_OK);
      for (int i = 0; i < ROWS; i++) {
        x[i] = b[i] = draw();
        for (int j = 0; j < ROWS; j++) {
          S[i * ROWS + j] = 0;
          for (int k = 0; k < N; k++)
            S[i * ROWS + j] += dense[i * N + k] * dm_inner(N, w.W + k * N, dense + j * N);
        }
      }
      assert_int_equal(set->rank, ROWS);
      dm_row_set_solve(set, x);
      assert_int_equal(dm_lu_factor(ROWS, S, piv), DM_OK);
      dm_lu_solve(ROWS, S, piv, 1, b);
      for (int i = 0; i < ROWS; i++) assert_true(fabs(x[i] - b[i]) < 1e-8 * (1 + fabs(b[i])));
    }
    dm_row_set_free(set);
    dm_diagonal_blocks_free(w.blocks);
  }
}

static void impulses_obey_their_laws_from_any_guess(void **state) {
  (void)state;
  for (seed = 1; seed < 100; seed++) {
    masses w;
    rows A, G;
    dm_row_impulses *imp;
    double DA[EQUAL * N], DG[ROWS * N], v[N], b[ROWS], c[EQUAL], lambda[ROWS], first[N];
    draw_masses(&w);
    draw_rows(&A, DA, EQUAL, false);
    draw_rows(&G, DG, ROWS, seed % 2 == 0);
    for (int i = 0; i < N; i++) v[i] = draw();
    for (int i = 0; i < ROWS; i++) b[i] = dm_inner(N, DG + i * N, v);
    for (int i = 0; i < EQUAL; i++) c[i] = dm_inner(N, DA + i * N, v);
    assert_int_equal(dm_row_impulses_new(&imp, N, EQUAL, ROWS), DM_OK);
    const dm_row_problem x = {.metric = append_metric,
                              .self = w.blocks,
                              .A = &A.x,
                              .c = c,
                              .G = &G.x,
                              .b = b,
                              .tol = 1e-12};
    for (int guess = 0; guess < 3; guess++) {
      bool in[ROWS];
      for (int i = 0; i < ROWS; i++) in[i] = guess == 1 || (guess == 2 && i % 2);
      assert_int_equal(dm_row_impulses_measure(imp, &x), DM_OK);
      assert_int_equal(dm_row_impulses_solve(imp, &x, in, lambda), DM_OK);

      // constraints hold, impulses push, and rows with an impulse do not move
      for (int i = 0; i < EQUAL; i++)
        assert_true(fabs(c[i] + dm_inner(N, DA + i * N, imp->r)) < 1e-9);
      for (int i = 0; i < ROWS; i++) {
        const double y = b[i] + dm_inner(N, DG + i * N, imp->r);
        assert_true(lambda[i] >= 0 && y > -1e-9);
        assert_true(fmin(lambda[i], fabs(y)) < 1e-9);
      }

      // the change of velocities is unique
      if (guess == 0) memcpy(first, imp->r, sizeof first);
      for (int i = 0; i < N; i++) assert_true(fabs(first[i] - imp->r[i]) < 1e-9);
    }
    dm_row_impulses_free(imp);
    dm_diagonal_blocks_free(w.blocks);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_solve_as_the_matrix_does),
      cmocka_unit_test(a_row_set_solves_as_the_matrix_does),
      cmocka_unit_test(impulses_obey_their_laws_from_any_guess),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
