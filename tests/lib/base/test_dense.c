// tests/lib/base/test_dense.c: factored systems, on both sides of the size from which LAPACK has them.
#include "lib/base/dense.h"
#include "tests/support/models.h"

enum { MOST = DM_DENSE_LAPACK + 9 };

// entries that no symmetry helps, the diagonal a little larger
static void fill(int n, double *A, double *B) {
  for (int i = 0; i < n * n; i++) A[i] = sin(1.7 * i + 0.3) + (i % (n + 1) == 0 ? 3 : 0);
  for (int i = 0; i < 2 * n; i++) B[i] = cos(2.3 * i);
}

// A X = B and A' X = B, two right-hand sides, X put back into A
static void solutions_solve_and_transposed_too(void **state) {
  (void)state;
  static double A[MOST * MOST], LU[MOST * MOST], B[2 * MOST], X[2 * MOST];
  const int size[] = {1, 2, 7, DM_DENSE_LAPACK - 1, DM_DENSE_LAPACK, MOST};
  int piv[MOST];
  for (int k = 0; k < COUNT(size); k++)
    for (int transposed = 0; transposed < 2; transposed++) {
      int n = size[k];
      fill(n, A, B);
      memcpy(LU, A, sizeof A);
      memcpy(X, B, sizeof B);
      assert_int_equal(dm_lu_factor(n, LU, piv), DM_OK);
      (transposed ? dm_lu_solve_transposed : dm_lu_solve)(n, LU, piv, 2, X);
      for (int i = 0; i < n; i++)
        for (int r = 0; r < 2; r++) {
          double sum = 0;
          for (int j = 0; j < n; j++) sum += A[transposed ? j * n + i : i * n + j] * X[2 * j + r];
          assert_close(sum, B[2 * i + r], 1e-11);
        }
    }
}

static void singular_and_infinite_matrices_are_refused(void **state) {
  (void)state;
  static double A[MOST * MOST], B[2 * MOST];
  int piv[MOST];
  for (int n = 3; n <= MOST; n += MOST - 3) {
    fill(n, A, B);
    memcpy(A + n, A, (size_t)n * sizeof *A);
    assert_int_equal(dm_lu_factor(n, A, piv), DM_SINGULAR);
    fill(n, A, B);
    A[n + 1] = NAN;
    assert_int_equal(dm_lu_factor(n, A, piv), DM_NOT_FINITE);
  }
}

static void every_status_has_a_text(void **state) {
  (void)state;
#define X(name, value, text) assert_string_equal(dm_status_text(name), text);
  DM_STATUS_LIST(X)
#undef X
  assert_string_equal(dm_status_text((dm_status)99), "unknown status");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_solve_and_transposed_too),
      cmocka_unit_test(singular_and_infinite_matrices_are_refused),
      cmocka_unit_test(every_status_has_a_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
