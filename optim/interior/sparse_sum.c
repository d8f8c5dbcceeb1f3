#include "optim/interior/sparse_sum.h"

#include <string.h>

void oc_sparse_sum_lay_out(oc_sparse_sum *s, dm_block *b) {
  size_t raw = (size_t)s->raw;
  s->row = dm_block_alloc(b, raw, sizeof(int));
  s->col = dm_block_alloc(b, raw, sizeof(int));
  s->begin = dm_block_alloc(b, (size_t)s->rows + 1, sizeof(int));
  s->first = dm_block_alloc(b, raw, sizeof(int));
  s->entry = dm_block_alloc(b, raw, sizeof(int));
  s->to = dm_block_alloc(b, raw, sizeof(int));
  s->walk = dm_block_alloc(b, raw, sizeof(double));
}

// sort one row's triplets by column, stable
static void sort_by_column(int *order, int n, const int *col) {
  for (int i = 1; i < n; i++) {
    int e = order[i], j = i;
    for (; j > 0 && col[order[j - 1]] > col[e]; j--) order[j] = order[j - 1];
    order[j] = e;
  }
}

void oc_sparse_sum_find(oc_sparse_sum *s, const int *row, const int *col, int rows, int *start,
                        int *order) {
  // triplets row by row; start[i] ends as the start of row i
  memset(start, 0, ((size_t)rows + 1) * sizeof *start);
  for (int e = 0; e < s->raw; e++)
    if (row[e] >= 0 && col[e] >= 0) start[row[e]]++;
  for (int i = 1; i <= rows; i++) start[i] += start[i - 1];
  for (int e = s->raw - 1; e >= 0; e--)
    if (row[e] >= 0 && col[e] >= 0) order[--start[row[e]]] = e;

  // an entry for each column of a row, with its first triplet; the others are added to it
  s->rows = rows;
  s->nnz = s->more = 0;
  for (int i = 0; i < rows; i++) {
    sort_by_column(order + start[i], start[i + 1] - start[i], col);
    s->begin[i] = s->nnz;
    for (int k = start[i]; k < start[i + 1]; k++) {
      int e = order[k];
      if (s->nnz > s->begin[i] && col[e] == s->col[s->nnz - 1]) {
        s->entry[s->more] = e;
        s->to[s->more++] = s->nnz - 1;
        continue;
      }
      s->row[s->nnz] = i;
      s->col[s->nnz] = col[e];
      s->first[s->nnz++] = e;
    }
  }
  s->begin[rows] = s->nnz;
}

void oc_sparse_sum_fill(oc_sparse_sum *s, const double *scale) {
  const double *walk = s->walk;
  double *val = s->val;
  for (int k = 0; k < s->nnz; k++) val[k] = walk[s->first[k]];
  for (int i = 0; i < s->more; i++) val[s->to[i]] += walk[s->entry[i]];
  for (int i = 0; scale && i < s->rows; i++) {
    const double by = scale[i];
    for (int k = s->begin[i]; by != 1 && k < s->begin[i + 1]; k++) val[k] *= by;
  }
}

// -- products

void oc_sparse_sum_transposed(const oc_sparse_sum *s, double by, const double *y, double *out) {
  for (int i = 0; i < s->rows; i++) {
    const double y_i = by * y[i];
    for (int k = s->begin[i]; k < s->begin[i + 1]; k++) out[s->col[k]] += s->val[k] * y_i;
  }
}

void oc_sparse_sum_both(const oc_sparse_sum *s, double by, const double *x, const double *y,
                        double *out, double *out_t) {
  for (int i = 0; i < s->rows; i++) {
    const double y_i = by * y[i];
    double sum = out[i];
    for (int k = s->begin[i]; k < s->begin[i + 1]; k++) {
      const int j = s->col[k];
      sum += by * s->val[k] * x[j];
      out_t[j] += s->val[k] * y_i;
    }
    out[i] = sum;
  }
}

void oc_sparse_sum_symmetric(const oc_sparse_sum *s, double by, const double *x, double *out) {
  for (int i = 0; i < s->rows; i++) {
    const double x_i = by * x[i];
    double sum = out[i];
    for (int k = s->begin[i]; k < s->begin[i + 1]; k++) {
      const int j = s->col[k];
      sum += by * s->val[k] * x[j];
      if (j != i) out[j] += s->val[k] * x_i;
    }
    out[i] = sum;
  }
}
