// lib/base/lcp.h: linear complementarity problems, for contacts with friction.
//
//   w = M z + b,   w >= 0,   z >= 0,   z'w = 0
//
//   1  the set of a guess: z outside it is zero, w in it is zero; done if no other sign is wrong
//   2  Lemke's method from z = 0: all w are lifted by one more unknown, which falls to zero along a
//      path of complementary bases; ties are broken by the lexicographic order, so that none repeats
//   3  the linear equations of the last basis once more, for accuracy
//
// If rounding ends the path without a solution, step 2 is repeated with 1e-10 and 1e-7 on the diagonal.
//
// Lemke's method ends at a solution for the problems of Coulomb friction in a step, and for positive
// semidefinite M with a solution.
//
// Source: [cottle-pang-stone-1992] in docs/sources.md.
#ifndef DM_BASE_LCP_H
#define DM_BASE_LCP_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_lcp {
  int n;
  bool *basic;      // [n] is z in the basis? In: a guess, out: of the solution
  double *z;        // [n] solution
  double *w;        // [n] M z + b
  double noise;     // rounding of entries of b, absolutely; initially 0
  int pivots;       // of Lemke's method, in the last solution
  double *T;        // [n x (2 n + 2)] its tableau: columns of w, z, the lift, and b
  int *row_of;      // [n] unknown of each row: w as i, z as n + i, the lift as 2 n
  double *A;        // [n x n] equations of a basis
  double *x;        // [n]
  int *in, *column; // [n]
} dm_lcp;

// Create a workspace for n unknowns. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_lcp_new(dm_lcp **out, int n);
void dm_lcp_free(dm_lcp *w); // accepts NULL

// Solve for M [n x n] and b [n], whose entries should be of similar size: signs are compared with
// 1e-12 of the largest |b|, or with w->noise. Returns DM_OK; DM_INFEASIBLE
// if Lemke's path ends on a ray, DM_MAX_ITER after 50 n pivots, or DM_NOT_FINITE, with z zero. Does
// not allocate. Cost: O(k^3 + n k) for a right guess with k unknowns, else O(n^2) for each pivot.
dm_status dm_lcp_solve(dm_lcp *w, const double *M, const double *b);

DM_END_C
#endif
