// lib/base/column_product.h: products X'Y related to symmetric matrices, for about ten or more
// columns. Not a public header.
//
// Rows of X times rows of Y: all inner loops are contiguous. On processors with fused multiply-add,
// each entry is one chain of them over the rows, with the same result on all these processors;
// otherwise BLAS is used.
#ifndef DM_BASE_COLUMN_PRODUCT_H
#define DM_BASE_COLUMN_PRODUCT_H
#include "lib/base/column_lanes.h"

// Multiply; X and Y must not overlap C.
//   rows, cols  of C
//   n           number of rows of X and Y
//   ld          row length in doubles of all three
// Does not allocate. Cost: rows cols n multiplications, half for a triangle.
void dm_multiply_columns(dm_column_product product, int rows, int cols, int n, double s,
                         const double *X, const double *Y, int ld, double *C);

// The sum of rows and columns above which this is faster than plain loops on this processor.
int dm_column_threshold(void);

// Row length for n columns and the padding: an odd number of whole cache lines, so that the rows of
// a panel map to different cache sets.
int dm_column_stride(int n);
#endif
