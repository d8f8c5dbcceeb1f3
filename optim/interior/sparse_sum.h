// optim/interior/sparse_sum.h: a sparse matrix whose entries are summed place by place, from a walk
// of triplets that may put several entries to one place or to columns that do not count.
#ifndef OC_INTERIOR_SPARSE_SUM_H
#define OC_INTERIOR_SPARSE_SUM_H
#include "lib/base/block.h"

typedef struct oc_sparse_sum {
  int raw, rows;   // entries of the walk; rows, before oc_sparse_sum_find as many as there may be
  int nnz;         // places
  int *row, *col;  // of each place, rows in order, columns within them        [nnz]
  int *begin;      // the first place of each row, and behind the last one     [rows + 1]
  double *val;     // the caller's                                             [nnz]
  int *first;      // the walk's first entry of each place                     [nnz]
  int more;        // further entries:
  int *entry, *to; // which, and their places                                  [more]
  double *walk;    // the walk's values                                        [raw]
} oc_sparse_sum;

// Take room for a walk of `raw` entries (lib/base/block.h: runs twice), but for s->val.
void oc_sparse_sum_lay_out(oc_sparse_sum *s, dm_block *b);

// Find the places of a walk's pattern.
//   row, col  [raw] of the walk; -1 where an entry does not count
//   start     scratch [rows + 1];  order  scratch [raw]
//   rows      how many rows there are
void oc_sparse_sum_find(oc_sparse_sum *s, const int *row, const int *col, int rows, int *start,
                        int *order);

// Sum s->walk into s->val, each entry times scale[its row]; scale NULL: as it is.
void oc_sparse_sum_fill(oc_sparse_sum *s, const double *scale);

// Add products with the matrix S, by = 1 or -1: S'y to out, y [rows]; S x to out [rows] and S'y to
// out_t in one pass; and where S is the lower triangle of a symmetric matrix that matrix times x.
void oc_sparse_sum_transposed(const oc_sparse_sum *s, double by, const double *y, double *out);
void oc_sparse_sum_both(const oc_sparse_sum *s, double by, const double *x, const double *y,
                        double *out, double *out_t);
void oc_sparse_sum_symmetric(const oc_sparse_sum *s, double by, const double *x, double *out);
#endif
