#include "lib/base/blas.h"
#include "optim/nlp/ldl.h"
#include "tests/support/models.h"

#include <time.h>

// a symmetric matrix by triplets, and the arrays that its factors live in
typedef struct matrix {
  int n, nz;
  int *row, *col; // from 1
  double *val, *dense;
  int la, liw, nsteps, maxfrt, calls;
  int *ikeep, *iw, info[20];
  double *a;
} matrix;

static matrix make(int n, int most) {
  matrix A = {.n = n};
  A.row = calloc((size_t)(2 * most), sizeof *A.row), A.col = A.row + most;
  A.val = calloc((size_t)(most + n * n), sizeof *A.val), A.dense = A.val + most;
  return A;
}

// one that is too large to be dense as well
static matrix make_sparse(int n, int most) {
  matrix A = make(0, most);
  A.n = n;
  A.dense = NULL;
  return A;
}

static void put(matrix *A, int i, int j, double v) {
  A->row[A->nz] = i + 1, A->col[A->nz] = j + 1;
  A->val[A->nz++] = v;
  if (!A->dense) return;
  A->dense[i * A->n + j] += v;
  if (i != j) A->dense[j * A->n + i] += v;
}

static void drop(matrix *A) {
  free(A->row), free(A->val), free(A->ikeep), free(A->iw), free(A->a);
}

// as IPOPT calls: room as recommended, and more where that is too little; returns the status
static int factor(matrix *A, double share) {
  int icntl[30], iflag = 0, n = A->n;
  double cntl[5], ops;
  oc_ldl_default(icntl, cntl);
  A->liw = 2 * (2 * A->nz + 3 * n + 1);
  A->iw = calloc((size_t)A->liw, sizeof *A->iw);
  A->ikeep = calloc((size_t)(3 * n), sizeof *A->ikeep);
  int *iw1 = calloc((size_t)(2 * n), sizeof *iw1);
  oc_ldl_order(&A->n, &A->nz, A->row, A->col, A->iw, &A->liw, A->ikeep, iw1, &A->nsteps, &iflag,
               icntl, cntl, A->info, &ops);
  assert_int_equal(A->info[0], 0);
  A->la = (int)(share * A->info[4]), A->liw = (int)(share * A->info[5]);
  if (A->la < A->nz) A->la = A->nz;
  for (A->calls = 1; A->calls < 40; A->calls++) {
    free(A->iw), free(A->a);
    A->iw = malloc((size_t)A->liw * sizeof *A->iw);
    A->a = malloc((size_t)A->la * sizeof *A->a);
    memcpy(A->a, A->val, (size_t)A->nz * sizeof *A->a);
    oc_ldl_factor(&A->n, &A->nz, A->row, A->col, A->a, &A->la, A->iw, &A->liw, A->ikeep, &A->nsteps,
                  &A->maxfrt, iw1, icntl, cntl, A->info);
    if (A->info[0] == -3)
      A->liw = 2 * A->info[1], A->la *= 2;
    else if (A->info[0] == -4)
      A->la = 2 * A->info[1], A->liw *= 2;
    else
      break;
  }
  free(iw1);
  return A->info[0];
}

// |A x - b| over |A| |x| for a random b
static double backward_error(matrix *A, uint64_t seed) {
  int n = A->n, icntl[30];
  double *b = calloc((size_t)(2 * n), sizeof *b), *x = b + n, cntl[5], worst = 0, size = 0, big = 0;
  double w;
  int iw1;
  for (int i = 0; i < n; i++) x[i] = b[i] = models_random(&seed);
  oc_ldl_solve(&A->n, A->a, &A->la, A->iw, &A->liw, &w, &A->maxfrt, x, &iw1, &A->nsteps, icntl,
               cntl);
  for (int i = 0; i < n; i++) {
    double r = -b[i];
    for (int j = 0; j < n; j++) r += A->dense[i * n + j] * x[j];
    for (int j = 0; j < n; j++) size = fmax(size, fabs(A->dense[i * n + j]));
    worst = fmax(worst, fabs(r)), big = fmax(big, fabs(x[i]));
  }
  free(b);
  return worst / (size * big);
}

// as many negative eigenvalues as LAPACK finds, but for those that rounding may have turned
static void check_inertia(const matrix *A) {
  int n = A->n, surely = 0, perhaps = 0;
  double *E = calloc((size_t)(n * n + n), sizeof *E), *w = E + n * n;
  memcpy(E, A->dense, (size_t)(n * n) * sizeof *E);
  assert_int_equal(dm_blas()->LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, E, n, w), 0);
  double rounding = 1e-14 * fmax(fabs(w[0]), fabs(w[n - 1]));
  for (int i = 0; i < n; i++) surely += w[i] < -rounding, perhaps += w[i] < rounding;
  assert_in_range(A->info[14], surely, perhaps);
  free(E);
}

// stages of nx unknowns without any curvature of their own (or with; the last has), nu with, nx
// rows that couple each stage to its neighbours; and one column that couples to everything
static matrix program(int N, int nx, int nu, double curvature, bool column, uint64_t seed) {
  int stage = nx + nu, n = N * stage, m = (N - 1) * nx, all = n + m + column;
  matrix A = make(all, N * (stage * stage + 4 * nx * stage) + 3 * all);
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < nx; i++)
      for (int j = 0; j <= i; j++)
        put(&A, k * stage + i, k * stage + j,
            k + 1 < N ? curvature * models_random(&seed) : i == j);
    for (int i = 0; i < nu; i++) put(&A, k * stage + nx + i, k * stage + nx + i, 1);
    for (int i = 0; k + 1 < N && i < nx; i++)
      for (int j = 0; j < 2 * stage; j++)
        put(&A, n + k * nx + i, k * stage + j,
            0.2 * models_random(&seed) + (j == stage + i) - (j == i));
  }
  for (int i = 0; column && i < all; i++) put(&A, all - 1, i, models_random(&seed));
  return A;
}

static void solutions_and_inertia_are_right(void **state) {
  (void)state;
  const struct {
    int N, nx, nu;
    double curvature;
    bool column;
  } rows[] = {{1, 1, 0, 1, false},  {2, 1, 1, 0, false}, {30, 2, 1, 1, false},
              {30, 2, 1, 0, false}, {40, 3, 3, 0, true}, {40, 3, 2, 1, true},
              {20, 6, 6, 1, false}, {12, 9, 3, 0, true}, {60, 1, 1, 1e-9, true}};
  for (int i = 0; i < COUNT(rows); i++)
    for (uint64_t seed = 1; seed <= 5; seed++) {
      matrix A =
          program(rows[i].N, rows[i].nx, rows[i].nu, rows[i].curvature, rows[i].column, seed);
      assert_int_equal(factor(&A, 1), 0);
      double error = backward_error(&A, seed);
      if (!(error < 1e-12)) fail_msg("row %d: backward error %g", i, error);
      check_inertia(&A);
      drop(&A);
    }
}

// parts that know nothing of each other, in any order of the unknowns
static void scattered_parts_are_solved(void **state) {
  (void)state;
  uint64_t r = 7;
  int n = 57;
  matrix A = make(n, 4 * n);
  for (int i = 0; i < n; i++) put(&A, i, i, models_random(&r));
  for (int i = 0; i + 19 < n; i++) put(&A, i + 19, i, models_random(&r));
  put(&A, 5, 50, 2), put(&A, 5, 50, -1); // twice the same place, in the other triangle
  assert_int_equal(factor(&A, 1), 0);
  assert_true(backward_error(&A, 3) < 1e-13);
  check_inertia(&A);
  drop(&A);
}

static void too_little_room_is_asked_for(void **state) {
  (void)state;
  matrix A = program(30, 3, 2, 0, true, 4);
  assert_int_equal(factor(&A, 0.3), 0);
  assert_true(A.calls > 1);
  assert_true(backward_error(&A, 3) < 1e-12);
  drop(&A);
  // nothing can be eliminated before the last column, to which all are coupled, has come
  int n = 200;
  A = make(n, 2 * n);
  for (int i = 0; i + 1 < n; i++) put(&A, i, i, 1e-12), put(&A, n - 1, i, 1);
  assert_int_equal(factor(&A, 1), 0);
  assert_true(A.calls > 1);
  assert_int_equal(A.info[14], 1);
  drop(&A);
}

// a row that says what others say leaves no pivot; a zero matrix has none
static void singular_matrices_are_told(void **state) {
  (void)state;
  matrix A = make(5, 20);
  for (int i = 0; i < 3; i++) put(&A, i, i, 1);
  for (int i = 3; i < 5; i++) put(&A, i, 0, 1), put(&A, i, 1, 2);
  assert_int_equal(factor(&A, 1), -5);
  drop(&A);
  A = make(4, 8);
  for (int i = 0; i < 4; i++) put(&A, i, i, 0);
  assert_int_equal(factor(&A, 1), -5);
  drop(&A);
  A = make(3, 8);
  for (int i = 0; i < 3; i++) put(&A, i, i, NAN);
  assert_int_equal(factor(&A, 1), -5);
  drop(&A);
}

// Unknowns of a long program that all wait for its end: no window grows with them, and a shift of their
// diagonal is a pivot at once.
static void what_waits_does_not_fill(void **state) {
  (void)state;
  const struct {
    double diagonal;
    int status;
  } ways[] = {{1e-12, -5}, {1e-2, 0}};
  const int n = 4000;
  for (int way = 0; way < 2; way++) {
    matrix A = make_sparse(n, 2 * n);
    for (int i = 0; i + 1 < n; i++) put(&A, i, i, ways[way].diagonal), put(&A, n - 1, i, 1);
    const clock_t begun = clock();
    assert_int_equal(factor(&A, 1), ways[way].status);
    assert_true((double)(clock() - begun) < 2.0 * CLOCKS_PER_SEC);
    drop(&A);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_and_inertia_are_right),
      cmocka_unit_test(scattered_parts_are_solved),
      cmocka_unit_test(too_little_room_is_asked_for),
      cmocka_unit_test(singular_matrices_are_told),
      cmocka_unit_test(what_waits_does_not_fill),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
