// lib/base/column_lanes.h: the products of lib/base/column_product.h for each vector width that
// lib/meson.build compiles. Not a public header.
#ifndef DM_BASE_COLUMN_LANES_H
#define DM_BASE_COLUMN_LANES_H
// columns behind the last one of each matrix that are read, and of C written
enum { DM_COLUMN_PAD = 7 };

// rows of a symmetric matrix's block on its diagonal, and those behind its last that are read
enum { DM_COLUMN_BLOCK = 8 };

typedef enum dm_column_product {
  DM_COLUMNS_OF_SYMMETRIC, // C = s X Y; of X what is below its diagonal blocks is not read
  DM_COLUMNS_ADD_UPPER     // C + s X'Y, its upper triangle; what is below it then has no meaning
} dm_column_product;

typedef void dm_column_kernel(dm_column_product product, int rows, int cols, int n, double s,
                              const double *X, const double *Y, int ld, double *C);

extern dm_column_kernel dm_column_avx2, dm_column_avx512;
#endif
