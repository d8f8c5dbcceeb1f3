#include "lib/base/diagonal_blocks.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

static void lay_out_blocks(void *self, dm_block *b) {
  dm_diagonal_blocks *w = self;
  const size_t n = (size_t)w->n;
  w->start = dm_block_alloc(b, n + 1, sizeof *w->start);
  w->index = dm_block_alloc(b, n, sizeof *w->index);
  w->block = dm_block_alloc(b, n, sizeof *w->block);
  w->LU = dm_block_alloc(b, n * n, sizeof *w->LU);
  w->at = dm_block_alloc(b, n, sizeof *w->at);
  w->piv = dm_block_alloc(b, n, sizeof *w->piv);
  w->x = dm_block_alloc(b, n, sizeof *w->x);
  w->met = dm_block_alloc(b, n, sizeof *w->met);
}

dm_status dm_diagonal_blocks_new(dm_diagonal_blocks **out, int n) {
  dm_diagonal_blocks sizes = {.n = n};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_blocks);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void dm_diagonal_blocks_free(dm_diagonal_blocks *w) {
  dm_block_free(w);
}

// the first row of the block of row i, in a forest of rows with smaller rows as parents
static int find_first_row(const int *parent, int i) {
  while (parent[i] != i) i = parent[i];
  return i;
}

// blocks in the order of their first rows, and the rows of each in ascending order
static void find_blocks(dm_diagonal_blocks *w, const double *A) {
  const int n = w->n;
  int *parent = w->block;
  for (int i = 0; i < n; i++) {
    parent[i] = i;
    for (int j = 0; j < i; j++) {
      if (A[i * n + j] == 0 && A[j * n + i] == 0) continue;
      const int a = find_first_row(parent, i), b = find_first_row(parent, j);
      parent[a > b ? a : b] = a > b ? b : a;
    }
  }

  // a first row starts a block; parents have smaller indices, so that theirs is known
  w->count = 0;
  for (int i = 0; i < n; i++) w->block[i] = parent[i] == i ? w->count++ : w->block[parent[i]];

  // list the rows by counting
  memset(w->start, 0, (size_t)(w->count + 1) * sizeof *w->start);
  for (int i = 0; i < n; i++) w->start[w->block[i] + 1]++;
  for (int b = 0; b < w->count; b++) w->start[b + 1] += w->start[b];
  for (int i = 0; i < n; i++) w->index[w->start[w->block[i]]++] = i;
  for (int b = w->count; b > 0; b--) w->start[b] = w->start[b - 1];
  w->start[0] = 0;
}

dm_status dm_diagonal_blocks_factor(dm_diagonal_blocks *w, const double *A) {
  find_blocks(w, A);
  size_t at = 0;
  for (int b = 0; b < w->count; b++) {
    const int *row = w->index + w->start[b], k = w->start[b + 1] - w->start[b];
    w->at[b] = at;
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++) w->LU[at++] = A[(size_t)row[i] * (size_t)w->n + (size_t)row[j]];
    DM_TRY(dm_lu_factor(k, w->LU + w->at[b], w->piv + w->start[b]));
  }
  return DM_OK;
}

// solve with the factors of a block of 8 to DM_DENSE_LAPACK - 1 rows, where calling BLAS costs more
// than it saves
static void solve_small_block(int k, const double *LU, const int *piv, double *x) {
  for (int i = 0; i < k; i++) {
    const double t = x[piv[i]];
    x[piv[i]] = x[i];
    x[i] = t;
  }
  for (int i = 1; i < k; i++) x[i] -= dm_inner(i, LU + i * k, x);
  for (int i = k - 1; i >= 0; i--)
    x[i] = (x[i] - dm_inner(k - 1 - i, LU + i * k + i + 1, x + i + 1)) / LU[i * k + i];
}

// solve for x [k] of block b
static void solve_block(const dm_diagonal_blocks *w, int b, double *x) {
  const int k = w->start[b + 1] - w->start[b];
  const double *LU = w->LU + w->at[b];
  if (k >= 8 && k < DM_DENSE_LAPACK) {
    solve_small_block(k, LU, w->piv + w->start[b], x);
    return;
  }
  if (k == 1)
    *x *= 1 / *LU; // as dm_lu_solve
  else
    dm_lu_solve(k, LU, w->piv + w->start[b], 1, x);
}

void dm_diagonal_blocks_solve(dm_diagonal_blocks *w, double *x) {
  if (w->count == 1) {
    solve_block(w, 0, x);
    return;
  }
  for (int b = 0; b < w->count; b++) {
    const int *row = w->index + w->start[b], k = w->start[b + 1] - w->start[b];
    for (int i = 0; i < k; i++) w->x[i] = x[row[i]];
    solve_block(w, b, w->x);
    for (int i = 0; i < k; i++) x[row[i]] = w->x[i];
  }
}

void dm_diagonal_blocks_append(dm_diagonal_blocks *w, double t, const dm_sparse_rows *B, int i,
                               dm_sparse_rows *X) {
  const int from = X->start[X->m];
  int to = from;

  // zeros for the rows of each block that B_i meets, at their first positions in w->piv's order
  for (int e = B->start[i]; e < B->start[i + 1]; e++) {
    const int b = w->block[B->col[e]];
    if (w->met[b]) continue;
    w->met[b] = true;
    for (int k = w->start[b]; k < w->start[b + 1]; k++) X->col[to++] = w->index[k];
  }

  // scatter, solve and gather
  for (int e = from; e < to; e++) w->x[X->col[e]] = 0;
  dm_sparse_rows_add_to(B, i, t, w->x);
  for (int e = from; e < to; e++) X->value[e] = w->x[X->col[e]];
  for (int e = from; e < to;) {
    const int b = w->block[X->col[e]];
    solve_block(w, b, X->value + e);
    w->met[b] = false;
    e += w->start[b + 1] - w->start[b];
  }
  X->start[++X->m] = to;
}
