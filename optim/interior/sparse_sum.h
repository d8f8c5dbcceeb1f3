// optim/interior/sparse_sum.h: a sparse matrix assembled from triplets; several triplets may refer
// to the same entry, and some to ignored columns.
#ifndef OC_INTERIOR_SPARSE_SUM_H
#define OC_INTERIOR_SPARSE_SUM_H
#include "lib/base/block.h"

typedef struct oc_sparse_sum {
  int raw, rows;   // number of triplets; rows, before oc_sparse_sum_find an upper bound
  int nnz;         // number of entries
  int *row, *col;  // of each entry, sorted by row, then column               [nnz]
  int *begin;      // first entry of each row, and the end                    [rows + 1]
  double *val;     // owned by the caller                                     [nnz]
  int *first;      // first triplet of each entry                             [nnz]
  int more;        // number of further triplets:
  int *entry, *to; // their indices, and their entries                        [more]
  double *walk;    // values of the triplets                                  [raw]
} oc_sparse_sum;

// Reserve memory for `raw` triplets (lib/base/block.h: runs twice), except s->val.
void oc_sparse_sum_lay_out(oc_sparse_sum *s, dm_block *b);

// Find the entries of a triplet pattern.
//   row, col  [raw] of the triplets; -1 if ignored
//   start     scratch [rows + 1];  order  scratch [raw]
//   rows      number of rows
void oc_sparse_sum_find(oc_sparse_sum *s, const int *row, const int *col, int rows, int *start,
                        int *order);

// Sum s->walk into s->val, each triplet times scale[its row]; scale NULL: unscaled.
void oc_sparse_sum_fill(oc_sparse_sum *s, const double *scale);

// Add products with the matrix S, by = 1 or -1: S'y to out, y [rows]; S x to out [rows] and S'y to
// out_t in one pass; and, if S is the lower triangle of a symmetric matrix, that matrix times x.
void oc_sparse_sum_transposed(const oc_sparse_sum *s, double by, const double *y, double *out);
void oc_sparse_sum_both(const oc_sparse_sum *s, double by, const double *x, const double *y,
                        double *out, double *out_t);
void oc_sparse_sum_symmetric(const oc_sparse_sum *s, double by, const double *x, double *out);
#endif
