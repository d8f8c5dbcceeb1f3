// lib/base/column_lanes.h: the products of lib/base/column_product.h, one kernel for each vector
// width that lib/meson.build compiles. Not a public header.
#ifndef DM_BASE_COLUMN_LANES_H
#define DM_BASE_COLUMN_LANES_H
// columns after the last one of each matrix that may be read, and of C written
enum { DM_COLUMN_PAD = 7 };

// rows of a diagonal block of a symmetric matrix, and rows after its last one that may be read
enum { DM_COLUMN_BLOCK = 8 };

typedef enum dm_column_product {
  DM_COLUMNS_OF_SYMMETRIC, // C = s X Y; entries of X below its diagonal blocks are not read
  DM_COLUMNS_ADD_UPPER     // C + s X'Y, upper triangle; the lower one is undefined afterwards
} dm_column_product;

typedef void dm_column_kernel(dm_column_product product, int rows, int cols, int n, double s,
                              const double *X, const double *Y, int ld, double *C);

extern dm_column_kernel dm_column_avx2, dm_column_avx512;
#endif
