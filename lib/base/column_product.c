#include "lib/base/column_product.h"

#include "lib/base/blas.h"

#include <stddef.h>

enum { LINE = 8, BLOCK = 32 };

// measured, see docs/benchmarks.md
enum { FUSED_FROM = 28, BLAS_FROM = 48 };

int dm_column_stride(int n) {
  int lines = (n + DM_COLUMN_PAD + LINE - 1) / LINE;
  return (lines | 1) * LINE;
}

// the kernel for the widest registers of this processor; NULL: none
static dm_column_kernel *find_widest_kernel(void) {
#ifdef DM_X86_LANES
  if (__builtin_cpu_supports("avx512f")) return dm_column_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return dm_column_avx2;
#endif
  return NULL;
}

void dm_multiply_columns(dm_column_product product, int rows, int cols, int n, double s,
                         const double *X, const double *Y, int ld, double *C) {
  dm_column_kernel *kernel = find_widest_kernel();
  if (kernel)
    kernel(product, rows, cols, n, s, X, Y, ld, C);
  else {
    // C = s X Y, or C + s X'Y in blocks of BLOCK rows from the diagonal
    if (product == DM_COLUMNS_OF_SYMMETRIC) {
      dm_blas()->cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, rows, cols, s, X, ld, Y, ld, 0,
                             C, ld);
      return;
    }
    for (int i = 0; i < rows; i += BLOCK)
      dm_blas()->cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans,
                             rows - i < BLOCK ? rows - i : BLOCK, cols - i, n, s, X + i, ld, Y + i,
                             ld, 1, C + (size_t)i * (size_t)(ld + 1), ld);
  }
}

int dm_column_threshold(void) {
  return find_widest_kernel() ? FUSED_FROM : BLAS_FROM;
}
