// lib/contact/row_set.h: sparse factors of S = J T' for a set of rows of contacts and equalities,
// with T = J W or nearly, so that S_ij is zero unless rows i and j meet in a body.
//
//   1  the pattern of S, as bits; if it is that of the last set, its order is kept
//   2  an order by minimum degree, equalities first; the fill is found at the same time
//   3  S = L D U without pivoting: the blocks of equalities and of inequalities are definite
//
// A row that depends on earlier ones leaves a pivot at rounding level; it is marked and left out.
// S is stored as a full matrix in the order of elimination, and only its pattern is visited.
#ifndef DM_CONTACT_ROW_SET_H
#define DM_CONTACT_ROW_SET_H
#include "lib/base/sparse_rows.h"

#include <stdbool.h>
#include <stdint.h>

DM_BEGIN_C

typedef struct dm_row_set {
  int n, most;     // columns; largest number of rows
  int m;           // rows of the current set
  int rank;        // number of independent rows
  bool *dependent; // [most] row i depends on others, and is left out
  // order of elimination: place[i] is the position of row i
  int words;                // of 64 bits for a row of the pattern
  int kept, kept_equal;     // rows and equalities of the kept pattern; -1: none
  uint64_t *bits, *pattern; // [most x words] of this set; kept
  uint64_t *fill;           // [most x words] during elimination
  int *place, *row, *degree;
  int *first, *later;   // [most + 1], [most^2/2] later[first[k]] ..: positions that pivot k affects
  double *S, *diagonal; // [most x most], [most]
  int *start, *list;    // columns of T: [n + 1], [most x n] rows and
  double *entry;        // their values
  double *x;            // [most]
} dm_row_set;

// Allocate a workspace for up to `most` rows of length n. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_row_set_new(dm_row_set **out, int n, int most);
void dm_row_set_free(dm_row_set *w); // accepts NULL

// Factor S for the rows of J and T, of which the first `equal` are equalities.
//   tol  a pivot below tol times its diagonal entry of S is that of a dependent row
// Returns DM_OK, or DM_NOT_FINITE. Does not allocate.
dm_status dm_row_set_factor(dm_row_set *w, const dm_sparse_rows *J, const dm_sparse_rows *T,
                            int equal, double tol);

// Solve S x = b in place, x [m]; 0 for dependent rows.
void dm_row_set_solve(dm_row_set *w, double *x);

DM_END_C
#endif
