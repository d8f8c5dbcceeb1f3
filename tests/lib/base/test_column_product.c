// tests/lib/base/test_column_product.c: products with symmetric matrices against sums written out,
// what they leave alone, and that vectors of any width give the same numbers.
#include "lib/base/column_product.h"

#include "tests/support/models.h"

enum { MOST = 59, ROOM = (MOST + 13) * (MOST + 13) };

typedef struct operands {
  int rows, cols, n, ld;
  double X[ROOM], Y[ROOM], C[ROOM];
} operands;

// what is behind a matrix and, of a symmetric X, below its diagonal blocks is no number
static void fill_operands(operands *o, dm_column_product product, int rows, int cols, int n) {
  uint64_t r = 5;
  *o = (operands){.rows = rows, .cols = cols, .n = n, .ld = dm_column_stride(cols > n ? cols : n)};
  for (int i = 0; i < ROOM; i++) o->X[i] = o->Y[i] = NAN;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < rows; i++) {
      const bool below = i / DM_COLUMN_BLOCK < k / DM_COLUMN_BLOCK;
      if (product == DM_COLUMNS_OF_SYMMETRIC && below) continue;
      o->X[k * o->ld + i] = models_random(&r);
      // blocks on the diagonal are whole
      if (product == DM_COLUMNS_OF_SYMMETRIC && i < k) o->X[k * o->ld + i] = o->X[i * o->ld + k];
    }
    for (int j = 0; j < cols; j++) o->Y[k * o->ld + j] = models_random(&r);
  }
  for (int i = 0; i < ROOM; i++) o->C[i] = models_random(&r);
}

static double sum_entry(const operands *o, dm_column_product product, int i, int j) {
  double sum = 0;
  for (int k = 0; k < o->n; k++) {
    const bool mirrored = product == DM_COLUMNS_OF_SYMMETRIC && k > i;
    sum += (mirrored ? o->X[i * o->ld + k] : o->X[k * o->ld + i]) * o->Y[k * o->ld + j];
  }
  return sum;
}

// entries of C that the product gives, and rows behind it, which stay
static void check_product(dm_column_product product, int rows, int cols, int n) {
  static operands o, old;
  fill_operands(&old, product, rows, cols, n);
  o = old;
  dm_multiply_columns(product, rows, cols, n, -0.5, o.X, o.Y, o.ld, o.C);
  const bool upper = product == DM_COLUMNS_ADD_UPPER;
  for (int i = 0; i < rows; i++)
    for (int j = upper ? i : 0; j < cols; j++) {
      const int at = i * o.ld + j;
      const double c = (upper ? old.C[at] : 0) - 0.5 * sum_entry(&old, product, i, j);
      assert_close(o.C[at], c, 1e-14 * (n + 1));
    }
  for (int i = rows * o.ld; i < ROOM; i++) assert_true(o.C[i] == old.C[i]);
}

static const int SIZES[] = {1, 3, 4, 5, 8, 9, 16, 18, 23, 24, 25, 31, 32, 40, MOST};

static void products_are_their_sums(void **state) {
  (void)state;
  for (int i = 0; i < COUNT(SIZES); i++)
    for (int j = 0; j < COUNT(SIZES); j++) {
      // a symmetric matrix times any; the first rows of a triangle
      check_product(DM_COLUMNS_OF_SYMMETRIC, SIZES[i], SIZES[j], SIZES[i]);
      for (int n = 0; n < 30 && i <= j; n += 13)
        check_product(DM_COLUMNS_ADD_UPPER, SIZES[i], SIZES[j], n);
    }
}

static void widths_give_the_same_numbers(void **state) {
  (void)state;
#ifdef DM_X86_LANES
  static operands wide, narrow;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("fma")) return;
  for (int i = 0; i < COUNT(SIZES); i++) {
    const int n = SIZES[i];
    fill_operands(&wide, DM_COLUMNS_OF_SYMMETRIC, n, MOST, n);
    narrow = wide;
    dm_column_avx512(DM_COLUMNS_OF_SYMMETRIC, n, MOST, n, 1.5, wide.X, wide.Y, wide.ld, wide.C);
    dm_column_avx2(DM_COLUMNS_OF_SYMMETRIC, n, MOST, n, 1.5, narrow.X, narrow.Y, wide.ld, narrow.C);
    for (int k = 0; k < n; k++)
      for (int j = 0; j < MOST; j++)
        assert_true(wide.C[k * wide.ld + j] == narrow.C[k * wide.ld + j]);

    fill_operands(&wide, DM_COLUMNS_ADD_UPPER, n, MOST, 17);
    narrow = wide;
    dm_column_avx512(DM_COLUMNS_ADD_UPPER, n, MOST, 17, 1.5, wide.X, wide.Y, wide.ld, wide.C);
    dm_column_avx2(DM_COLUMNS_ADD_UPPER, n, MOST, 17, 1.5, narrow.X, narrow.Y, wide.ld, narrow.C);
    for (int k = 0; k < n; k++)
      for (int j = k; j < MOST; j++)
        assert_true(wide.C[k * wide.ld + j] == narrow.C[k * wide.ld + j]);
  }
#endif
}

static void rows_are_odd_numbers_of_lines(void **state) {
  (void)state;
  for (int n = 1; n < 300; n++) {
    const int ld = dm_column_stride(n);
    assert_true(ld >= n + DM_COLUMN_PAD && ld < n + DM_COLUMN_PAD + 16);
    assert_int_equal(ld % 16, 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_their_sums),
      cmocka_unit_test(widths_give_the_same_numbers),
      cmocka_unit_test(rows_are_odd_numbers_of_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
