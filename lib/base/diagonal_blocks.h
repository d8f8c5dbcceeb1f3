// lib/base/diagonal_blocks.h: the factors of a matrix that consists of independent blocks after a
// permutation, such as the mass matrix of many bodies. The blocks are those of its nonzero entries.
//
// A full matrix is one block in its given order, and its factors are those of dm_lu_factor.
#ifndef DM_BASE_DIAGONAL_BLOCKS_H
#define DM_BASE_DIAGONAL_BLOCKS_H
#include "lib/base/sparse_rows.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_diagonal_blocks {
  int n, count; // rows; blocks
  int *start;   // [n + 1] rows of block b: index[start[b]] ..
  int *index;   // [n]
  int *block;   // [n] of each row
  double *LU;   // [n x n] factors of the blocks in sequence
  size_t *at;   // [n] first entry of each block in LU
  int *piv;     // [n]
  double *x;    // [n] scratch
  bool *met;    // [n] scratch: blocks of a sparse row
} dm_diagonal_blocks;

// Allocate a workspace. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_diagonal_blocks_new(dm_diagonal_blocks **out, int n);
void dm_diagonal_blocks_free(dm_diagonal_blocks *w); // accepts NULL

// Find the blocks of A [n x n] and factor them. Returns as dm_lu_factor does. Does not allocate.
// Cost: O(n^2), and 2/3 k^3 for a block of k rows.
dm_status dm_diagonal_blocks_factor(dm_diagonal_blocks *w, const double *A);

// Solve A x = b in place, x [n].
void dm_diagonal_blocks_solve(dm_diagonal_blocks *w, double *x);

// Append A^-1 times t times row i of B to X, with the entries of all blocks that it meets.
void dm_diagonal_blocks_append(dm_diagonal_blocks *w, double t, const dm_sparse_rows *B, int i,
                               dm_sparse_rows *X);

DM_END_C
#endif
