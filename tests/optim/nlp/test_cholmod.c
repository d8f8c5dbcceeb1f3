// Sparse symmetric systems: residual, inertia, and what is said of those that have no solution.
#include "optim/nlp/cholmod.h"
#include "tests/support/models.h"
#include "tests/support/skips.h"

enum { N = 60, NNZ = 5 * N };

typedef struct matrix {
  int n, nnz, row[NNZ], col[NNZ];
  double val[NNZ];
} matrix;

static void put(matrix *m, int i, int j, double value) {
  m->row[m->nnz] = i > j ? i : j, m->col[m->nnz] = i > j ? j : i, m->val[m->nnz++] = value;
}

// a band with diagonal +-4, some places twice; every third pivot is below zero
static matrix band(uint64_t seed) {
  matrix m = {.n = N};
  for (int i = 0; i < N; i++) {
    put(&m, i, i, i % 3 ? 3 : -3);
    put(&m, i, i, i % 3 ? 1 : -1);
    if (i > 0) put(&m, i, i - 1, models_random(&seed));
    if (i > 4) put(&m, i - 5, i, models_random(&seed));
  }
  return m;
}

static void times(const matrix *m, const double *x, double *y) {
  memset(y, 0, (size_t)m->n * sizeof *y);
  for (int k = 0; k < m->nnz; k++) {
    y[m->row[k]] += m->val[k] * x[m->col[k]];
    if (m->row[k] != m->col[k]) y[m->col[k]] += m->val[k] * x[m->row[k]];
  }
}

static oc_cholmod *open_sparse(const matrix *m) {
  oc_cholmod *w = NULL;
  dm_status s = oc_cholmod_new(&w, m->n, m->nnz, m->row, m->col);
  if (s == DM_UNAVAILABLE) skip_test(NO_CHOLMOD);
  assert_int_equal(s, DM_OK);
  return w;
}

static void solutions_and_inertia_are_right(void **state) {
  (void)state;
  matrix m = band(3);
  oc_cholmod *w = open_sparse(&m);
  for (int again = 0; again < 3; again++) { // the pattern stays, values change
    double x[N], b[N];
    int negative = -1;
    uint64_t r = 5;
    for (int i = 0; i < N; i++) x[i] = models_random(&r);
    times(&m, x, b);
    assert_int_equal(oc_cholmod_factor(w, m.val, &negative), DM_OK);
    assert_int_equal(negative, again == 2 ? N - N / 3 : N / 3);
    assert_int_equal(oc_cholmod_solve(w, b), DM_OK);
    for (int i = 0; i < N; i++) assert_close(b[i], x[i], 1e-14);
    for (int k = 0; k < m.nnz; k++) m.val[k] *= again == 1 ? -1 : 0.9;
  }
  oc_cholmod_free(w);
}

static void a_pivot_of_zero_is_singular(void **state) {
  (void)state;
  matrix m = {.n = 3};
  put(&m, 0, 0, 1), put(&m, 1, 1, 1), put(&m, 1, 0, 1), put(&m, 2, 2, 1);
  oc_cholmod *w = open_sparse(&m);
  int negative;
  assert_int_equal(oc_cholmod_factor(w, m.val, &negative), DM_SINGULAR);
  m.val[1] = 2; // and can be factored after that
  assert_int_equal(oc_cholmod_factor(w, m.val, &negative), DM_OK);
  assert_int_equal(negative, 0);
  oc_cholmod_free(w);
}

static void what_is_not_finite_is_told(void **state) {
  (void)state;
  matrix m = band(8);
  oc_cholmod *w = open_sparse(&m);
  int negative;
  double b[N] = {1};
  assert_int_equal(oc_cholmod_factor(w, m.val, &negative), DM_OK);
  b[7] = INFINITY;
  assert_int_equal(oc_cholmod_solve(w, b), DM_NOT_FINITE);
  m.val[9] = NAN;
  assert_int_equal(oc_cholmod_factor(w, m.val, &negative), DM_NOT_FINITE);
  oc_cholmod_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_and_inertia_are_right),
      cmocka_unit_test(a_pivot_of_zero_is_singular),
      cmocka_unit_test(what_is_not_finite_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
