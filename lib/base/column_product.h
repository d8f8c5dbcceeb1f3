// lib/base/column_product.h: products X'Y that have to do with symmetric matrices, of some ten columns
// and more. Not a public header.
//
// Rows of X against rows of Y: all inner loops are contiguous. On processors with fused
// multiplications each entry is one chain of them from the first row to the last, the same on all of
// these processors; on others it is BLAS's.
#ifndef DM_BASE_COLUMN_PRODUCT_H
#define DM_BASE_COLUMN_PRODUCT_H
#include "lib/base/column_lanes.h"

// Multiply, X and Y being apart from C.
//   rows, cols  of C
//   n           rows of X and of Y
//   ld          the distance in doubles from row to row of all three
// Does not allocate. Cost: rows cols n multiplications, of a triangle half of them.
void dm_multiply_columns(dm_column_product product, int rows, int cols, int n, double s,
                         const double *X, const double *Y, int ld, double *C);

// The sum of rows and columns from which on this is faster than plain loops on this processor.
int dm_column_threshold(void);

// n columns and the pad as the length of a row: whole lines of the cache and an odd number of them,
// so that the rows of a panel do not meet in the same places of it.
int dm_column_stride(int n);
#endif
