// lib/base/sparse_rows.h: a list of rows by their entries, without the zeros between them.
//
// The caller owns the arrays and reserves enough space: entries of row i are at start[i] ..
// start[i + 1] - 1. Nothing here allocates.
#ifndef DM_BASE_SPARSE_ROWS_H
#define DM_BASE_SPARSE_ROWS_H
#include "lib/base/status.h"

#include <stddef.h>

DM_BEGIN_C

typedef struct dm_sparse_rows {
  int n;         // length of a row
  int m;         // number of rows
  int *start;    // [most + 1]
  int *col;      // [entries]
  double *value; // [entries]
} dm_sparse_rows;

// Reserve space in a block (lib/base/block.h) for `most` rows with `entries` entries in total.
struct dm_block;
void dm_sparse_rows_lay_out(dm_sparse_rows *x, struct dm_block *b, int n, size_t most,
                            size_t entries);

// The number of entries of row i.
static inline int dm_sparse_rows_size(const dm_sparse_rows *x, int i) {
  return x->start[i + 1] - x->start[i];
}

// Row i times y [n].
static inline double dm_sparse_rows_inner(const dm_sparse_rows *x, int i, const double *y) {
  double sum = 0;
  for (int e = x->start[i]; e < x->start[i + 1]; e++) sum += x->value[e] * y[x->col[e]];
  return sum;
}

// y [n] <- y + t times row i.
static inline void dm_sparse_rows_add_to(const dm_sparse_rows *x, int i, double t, double *y) {
  for (int e = x->start[i]; e < x->start[i + 1]; e++) y[x->col[e]] += t * x->value[e];
}

// Append t times row i of another list.
static inline void dm_sparse_rows_append(dm_sparse_rows *x, double t, const dm_sparse_rows *from,
                                         int i) {
  int to = x->start[x->m];
  for (int e = from->start[i]; e < from->start[i + 1]; e++, to++) {
    x->col[to] = from->col[e];
    x->value[to] = t * from->value[e];
  }
  x->start[++x->m] = to;
}

// Append the nonzero entries of a row y [n].
static inline void dm_sparse_rows_append_dense(dm_sparse_rows *x, const double *y) {
  int to = x->start[x->m];
  for (int j = 0; j < x->n; j++) {
    if (y[j] == 0) continue;
    x->col[to] = j;
    x->value[to++] = y[j];
  }
  x->start[++x->m] = to;
}

DM_END_C
#endif
