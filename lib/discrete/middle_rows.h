// lib/discrete/middle_rows.h: nonholonomic constraints A(q) v + b(q) = 0 of a step, in its middle:
//
//   g(q0,q1,h) = A(qm) (q1 - q0) + h b(qm) = 0,    qm = (q0 + q1)/2
//
// and its derivatives by q0, q1 and h. With x = q1 - q0 and J = d(A(q) x + h b(q))/dq at qm,
//
//   g_q1 = A + J/2,    g_q0 = -A + J/2,    g_h = b
//
// Of the sum nu.g with S = (nu.(A x + h b))_qq and G = d(A'nu)/dq at qm, the second derivatives are
//
//   H00 = S/4 - (G + G')/2,    H01 = S/4 + (G' - G)/2,    H11 = S/4 + (G + G')/2
//
// If A is the gradient of a linear or quadratic h, g is h(q1) - h(q0) exactly. Exchange of q0 and q1
// with h and -h changes the sign of g alone, so that the step is reversible.
//
// Source: [cortes-martinez-2001], [mclachlan-perlmutter-2006] in docs/sources.md; docs/theory.md
// section 9.
#ifndef DM_DISCRETE_MIDDLE_ROWS_H
#define DM_DISCRETE_MIDDLE_ROWS_H
#include "lib/mechanics/holonomic.h"

DM_BEGIN_C

typedef struct dm_middle_rows {
  dm_holonomic hol;
  int n, nc, nv, nh;          // coordinates; rows: all, nonholonomic, holonomic (which come first)
  double *g;                  // [nv]                                             m or rad
  double *g_0, *g_1;          // [nv x n] derivatives by q0 and q1
  double *g_h;                // [nv]
  double *H_00, *H_01, *H_11; // [n x n] rows by q0 (q1 for H_11), columns by q1 (q0 for H_00)
  double *H_h;                // [n] by q and h: the same for q0 and q1
  double *qm, *x;             // [n] middle, q1 - q0
  double *rows, *A, *J;       // [nc], [nc x n], [nc x n] of all rows
  double *b_q, *G, *S;        // [nv x n], [n x n], [n x n]
  double *nu;                 // [nc] multipliers, 0 for holonomic rows
  void *scratch;
} dm_middle_rows;

// Make a workspace for constraints of n coordinates; hol is copied. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_middle_rows_new(dm_middle_rows **out, const dm_holonomic *hol, int n);
void dm_middle_rows_free(dm_middle_rows *w); // accepts NULL

// Evaluate g and its first derivatives for q0, q1 [n] and h [s]. Returns DM_OK or the status of the
// constraints. No allocation.
dm_status dm_middle_rows_eval(dm_middle_rows *w, const double *q0, const double *q1, double h);

// The second derivatives of nu.g, nu [nv], into H_00 .. H_h. Returns as above.
dm_status dm_middle_rows_contract(dm_middle_rows *w, const double *q0, const double *q1, double h,
                                  const double *nu);

DM_END_C
#endif
