// optim/interior/sparse_sum.h: a sparse matrix whose entries are summed place by place, from a walk
// of triplets that may put several entries to one place or to columns that do not count.
#ifndef OC_INTERIOR_SPARSE_SUM_H
#define OC_INTERIOR_SPARSE_SUM_H
#include "lib/base/block.h"

typedef struct oc_sparse_sum {
  int raw;        // entries of the walk
  int nnz;        // places
  int *row, *col; // of each place, rows in order, columns within them        [nnz]
  double *val;    // [nnz], and one more that takes what does not count
  int *at;        // the place of each entry of the walk                      [raw]
  double *walk;   // the walk's values                                        [raw]
} oc_sparse_sum;

// Take room for a walk of `raw` entries (lib/base/block.h: runs twice).
void oc_sparse_sum_lay_out(oc_sparse_sum *s, dm_block *b);

// Find the places of a walk's pattern.
//   row, col  [raw] of the walk; -1 where an entry does not count
//   start     scratch [rows + 1];  order  scratch [raw]
//   rows      how many rows there are
void oc_sparse_sum_find(oc_sparse_sum *s, const int *row, const int *col, int rows, int *start,
                        int *order);

// Sum s->walk into s->val, each entry times scale[its row]; scale NULL: as it is.
void oc_sparse_sum_fill(oc_sparse_sum *s, const double *scale);
#endif
