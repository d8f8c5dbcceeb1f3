#include "optim/interior/sparse_sum.h"

#include <string.h>

void oc_sparse_sum_lay_out(oc_sparse_sum *s, dm_block *b) {
  size_t raw = (size_t)s->raw;
  s->row = dm_block_alloc(b, raw, sizeof(int));
  s->col = dm_block_alloc(b, raw, sizeof(int));
  s->at = dm_block_alloc(b, raw, sizeof(int));
  s->val = dm_block_alloc(b, raw + 1, sizeof(double));
  s->walk = dm_block_alloc(b, raw, sizeof(double));
}

// sort one row's entries by column, those of a column in the walk's order
static void sort_by_column(int *order, int n, const int *col) {
  for (int i = 1; i < n; i++) {
    int e = order[i], j = i;
    for (; j > 0 && col[order[j - 1]] > col[e]; j--) order[j] = order[j - 1];
    order[j] = e;
  }
}

void oc_sparse_sum_find(oc_sparse_sum *s, const int *row, const int *col, int rows, int *start,
                        int *order) {
  // the walk's entries row by row; start[i] ends as where row i begins
  memset(start, 0, ((size_t)rows + 1) * sizeof *start);
  for (int e = 0; e < s->raw; e++)
    if (row[e] >= 0 && col[e] >= 0) start[row[e]]++;
  for (int i = 1; i <= rows; i++) start[i] += start[i - 1];
  for (int e = s->raw - 1; e >= 0; e--)
    if (row[e] >= 0 && col[e] >= 0) order[--start[row[e]]] = e;

  // a place for each column of a row
  s->nnz = 0;
  for (int i = 0; i < rows; i++) {
    sort_by_column(order + start[i], start[i + 1] - start[i], col);
    int before = -1;
    for (int k = start[i]; k < start[i + 1]; k++) {
      int e = order[k];
      if (col[e] != before) {
        s->row[s->nnz] = i;
        s->col[s->nnz] = before = col[e];
        s->nnz++;
      }
      s->at[e] = s->nnz - 1;
    }
  }

  // the rest goes to the place behind them
  for (int e = 0; e < s->raw; e++)
    if (row[e] < 0 || col[e] < 0) s->at[e] = s->nnz;
}

void oc_sparse_sum_fill(oc_sparse_sum *s, const double *scale) {
  memset(s->val, 0, ((size_t)s->nnz + 1) * sizeof *s->val);
  for (int e = 0; e < s->raw; e++) s->val[s->at[e]] += s->walk[e];
  if (scale)
    for (int k = 0; k < s->nnz; k++) s->val[k] *= scale[s->row[k]];
}
