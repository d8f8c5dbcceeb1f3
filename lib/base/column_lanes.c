// Compiled once for each vector width; lib/meson.build sets LANES, KERNEL and the processor's
// options. Each entry is one chain of fused multiply-adds, with the same result for all widths.
#include "lib/base/column_lanes.h"

#include <immintrin.h>
#include <stdbool.h>

#define INLINE static inline __attribute__((always_inline))

#if LANES == 8
typedef __m512d lanes;
#define LOAD(x)      _mm512_loadu_pd(x)
#define STORE(x, y)  _mm512_storeu_pd(x, y)
#define ALL(a)       _mm512_set1_pd(a)
#define FMA(a, x, y) _mm512_fmadd_pd(a, x, y)
#else
typedef __m256d lanes;
#define LOAD(x)      _mm256_loadu_pd(x)
#define STORE(x, y)  _mm256_storeu_pd(x, y)
#define ALL(a)       _mm256_set1_pd(a)
#define FMA(a, x, y) _mm256_fmadd_pd(a, x, y)
#endif

// a tile has LANES rows of up to three vectors: its sums, a row of Y and one entry of X fill the
// registers
enum { VECTORS = 3 };

typedef struct product {
  int n, ld;
  double s;
} product;

// c_rv += sum over n rows of X_kr Y_kv; entries of X have strides `across` and `down`
INLINE void add_rows(const int vectors, int n, const double *X, size_t across, size_t down,
                     const double *Y, size_t ld, lanes c[LANES][VECTORS]) {
  for (int k = 0; k < n; k++, X += down, Y += ld) {
    lanes y[VECTORS];
    for (int v = 0; v < vectors; v++) y[v] = LOAD(Y + v * LANES);
    for (int r = 0; r < LANES; r++)
      for (int v = 0; v < vectors; v++) c[r][v] = FMA(ALL(X[r * across]), y[v], c[r][v]);
  }
}

// rows from i of C [LANES x vectors] = s X'Y, or C + s X'Y; for a symmetric X, entries below its
// diagonal blocks are taken from above them
INLINE void multiply_tile(dm_column_product kind, const int vectors, int i, int rows,
                          const product *p, const double *X, const double *Y, double *C) {
  const size_t ld = (size_t)p->ld;
  lanes c[LANES][VECTORS];
  for (int r = 0; r < LANES; r++)
    for (int v = 0; v < vectors; v++) c[r][v] = ALL(0);

  // sums, in the order of the rows of Y
  if (kind == DM_COLUMNS_OF_SYMMETRIC) {
    const size_t up = (size_t)i;
    add_rows(vectors, i, X + up, 1, ld, Y, ld, c);
    add_rows(vectors, p->n - i, X + up * ld + up, ld, 1, Y + up * ld, ld, c);
  } else {
    add_rows(vectors, p->n, X + i, 1, ld, Y, ld, c);
  }

  // store the tile
  for (int r = 0; r < LANES && i + r < rows; r++)
    for (int v = 0; v < vectors; v++) {
      double *to = C + (size_t)(i + r) * ld + v * LANES;
      STORE(to, FMA(ALL(p->s), c[r][v], kind == DM_COLUMNS_ADD_UPPER ? LOAD(to) : ALL(0)));
    }
}

// `rows` rows of X' times a panel of Y, which stays in the cache. Separate functions let the
// compiler keep all sums in registers.
typedef void panel(int from, int rows, const product *p, const double *X, const double *Y,
                   double *C);
#define PANEL(name, kind, vectors)                                                                 \
  __attribute__((noinline)) static void name(int from, int rows, const product *p,                 \
                                             const double *X, const double *Y, double *C) {        \
    for (int i = from; i < rows; i += LANES) multiply_tile(kind, vectors, i, rows, p, X, Y, C);    \
  }
#define PANELS(name, kind)                                                                         \
  PANEL(name##_1, kind, 1)                                                                         \
  PANEL(name##_2, kind, 2)                                                                         \
  PANEL(name##_3, kind, 3)                                                                         \
  static panel *const name[VECTORS] = {name##_1, name##_2, name##_3};
PANELS(multiply_symmetric, DM_COLUMNS_OF_SYMMETRIC)
PANELS(add_upper, DM_COLUMNS_ADD_UPPER)

INLINE int min_int(int a, int b) {
  return a < b ? a : b;
}

void KERNEL(dm_column_product kind, int rows, int cols, int n, double s, const double *X,
            const double *Y, int ld, double *C) {
  const product p = {n, ld, s};
  const bool upper = kind == DM_COLUMNS_ADD_UPPER;
  panel *const *panels = upper ? add_upper : multiply_symmetric;
  for (int j = 0, vectors; j < cols; j += vectors * LANES) {
    // split four vectors into two and two
    const int left = (cols - j + LANES - 1) / LANES;
    vectors = left == VECTORS + 1 ? 2 : min_int(left, VECTORS);
    panels[vectors - 1](0, upper ? min_int(rows, j) : rows, &p, X, Y + j, C + j);

    // on the diagonal a panel loses one vector with each tile
    for (int v = 0; upper && v < vectors; v++) {
      const int i = j + v * LANES;
      panels[vectors - v - 1](i, min_int(rows, i + LANES), &p, X, Y + i, C + i);
    }
  }
}
