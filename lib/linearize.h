// lib/linearize.h: the exact derivatives of a step, x1 = f(x0,u) with x = (q,p).
//
//   q1_q = -D12^-1 D11    q1_p = -D12^-1    q1_u = -D12^-1 D1u
//   p1_y = D22 q1_y + (D21 | 0 | D2u)
//
//   A = [q1_q q1_p; p1_q p1_p]   [2n x 2n],    B = [q1_u; p1_u]   [2n x nu],  row-major
//
// Source: paper 001, section III; docs/theory.md section 5.
#ifndef DM_LIB_LINEARIZE_H
#define DM_LIB_LINEARIZE_H
#include "lib/discrete.h"

typedef struct dm_linearize {
  dm_discrete *d;
  double *LU, *Minv; // [n x n]
  double *Q, *P;     // [n x n] scratch
  int *piv;          // [n]
} dm_linearize;

dm_status dm_linearize_new(dm_linearize **out, const dm_system *s);
void dm_linearize_free(dm_linearize *w);

// A [2n x 2n] and B [2n x nu] of the step that leads from q0 to q1 under u in h.
// Returns DM_OK, or DM_SINGULAR with the outputs untouched where M1 = D12 is singular.
// Does not allocate. Cost: second derivatives of L, an LU, an inverse and three products of size n.
dm_status dm_linearize_step(dm_linearize *w, const double *q0, const double *q1, const double *u,
                            double h, double *A, double *B);
#endif
