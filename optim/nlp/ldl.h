// optim/nlp/ldl.h: a sparse symmetric indefinite solver for programs with a long horizon: a frontal
// L D L' in an order along the program with a small front.
//
// IPOPT calls it by the interface of the solver MA27 (order `a`, factor `b`, solve `c`, defaults
// `i`), whose arrays contain all data: nothing is allocated here and there is no state between
// calls, so that several threads may solve at once.
//
// The matrix is given by triplets of one triangle, with rows and columns from 1; duplicates are
// summed. Unknowns are grouped into small steps along the program, chosen to add least to the front
// of waiting unknowns (an unknown coupled to almost all others, such as a free final time, comes
// last). A dense window with both triangles moves over the steps: the entries of a step are added
// to it, and complete unknowns are eliminated by pivots of order 1 and 2 that are large enough in
// their column of the window; an unknown without a pivot stays in the window and is tried again
// later. The signs of D give the exact inertia.
#ifndef OC_NLP_LDL_H
#define OC_NLP_LDL_H
#include "optim/nlp/deadline.h"

// Defaults: integers icntl [30] (ignored) and cntl [5]; cntl[0] is the least accepted ratio of a
// pivot to its column.
void oc_ldl_default(int *icntl, double *cntl);

// Order the unknowns of an n x n pattern of nz entries.
//   iw     scratch                                   [liw >= 2 nz + 2 n + 3]
//   ikeep  out: the order, for the next call         [3 n]
//   info   out: [0] status 0 or 1 (an index out of range, or too large), [4] and [5] the
//          recommended lengths of a and iw for the next call [20]
//   ops    out: sum over all pivots of the square of the number of rows in the window, without
//          delays; INFINITY if the matrix is too large
void oc_ldl_order(int *n, int *nz, const int *row, const int *col, int *iw, int *liw, int *ikeep,
                  int *iw1, int *nsteps, int *iflag, int *icntl, double *cntl, int *info,
                  double *ops);

// Factor the matrix with values a[0..nz).
//   a      in: values; out: the factors              [la]
//   iw     out: their structure                      [liw]
//   info   out: [0] status: 0; -3 or -4 (iw or a is too small and needs info[1] entries: call again
//          with the values); -5 (singular, or so many delayed unknowns that the window would be
//          more than four times the predicted one); [14] number of negative eigenvalues
//          [20]
// Cost: about (window)^2 multiplications per unknown, limited to the larger of 2e8 in total and 36
// times the prediction.
void oc_ldl_factor(int *n, int *nz, const int *row, const int *col, double *a, int *la, int *iw,
                   int *liw, int *ikeep, int *nsteps, int *maxfrt, int *iw1, int *icntl,
                   double *cntl, int *info);

// The same with a deadline (NULL: none): status -6 after it.
void oc_ldl_factor_until(oc_deadline *deadline, int *n, int *nz, const int *row, const int *col,
                         double *a, int *la, int *iw, int *liw, int *ikeep, int *nsteps,
                         int *maxfrt, int *iw1, int *icntl, double *cntl, int *info);

// Solve in place: rhs [n] becomes the solution.
void oc_ldl_solve(int *n, double *a, int *la, int *iw, int *liw, double *w, int *maxfrt,
                  double *rhs, int *iw1, int *nsteps, int *icntl, double *cntl);

// The pivots of the last factorization, in order.
//   iw       from oc_ldl_factor
//   order    out: number of unknowns of each pivot, 1 or 2 [n]
//   unknown  out: these unknowns, from 0                 [n]
// Returns the number of pivots.
int oc_ldl_pivots(const int *iw, int *order, int *unknown);
#endif
