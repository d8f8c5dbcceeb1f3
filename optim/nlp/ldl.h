// optim/nlp/ldl.h: a sparse symmetric indefinite solver for programs that are long in time: a
// frontal L D L' in an order that walks along the program with few unknowns in front.
//
// IPOPT reaches it by the calling convention of the solver MA27 (order `a`, factor `b`, solve `c`,
// defaults `i`), whose arrays carry all there is: nothing is allocated here and nothing is kept
// between calls, so that several threads may solve at once.
//
// The matrix is given by triplets of one triangle, rows and columns from 1, sums where a place
// occurs twice. Unknowns are grouped into small steps along the program, each with what adds least
// to the front of those that wait (an unknown coupled to almost all, a free final time, comes
// last). One dense window, both triangles, moves over the steps: a step's entries are added to it,
// and what is complete is eliminated by pivots of order 1 and 2 that are large enough in their
// column of the window; what has none yet waits in the window and is tried again later. The
// signs of D give the inertia exactly.
#ifndef OC_NLP_LDL_H
#define OC_NLP_LDL_H
#include "optim/nlp/deadline.h"

// Defaults: integers icntl [30] (not read here) and cntl [5], cntl[0] the least accepted ratio of
// a pivot to its column.
void oc_ldl_default(int *icntl, double *cntl);

// Order the unknowns of an n x n pattern of nz entries.
//   iw     scratch                                   [liw >= 2 nz + 2 n + 3]
//   ikeep  out: the order, for the next call         [3 n]
//   info   out: [0] status 0 or 1 (an index out of range, or too large), [4] and [5] the room
//          recommended for a and iw of the next call [20]
//   ops    out: the sum over all pivots of the square of the rows that stand in the window, where
//          none waits; INFINITY where the matrix is too large
void oc_ldl_order(int *n, int *nz, const int *row, const int *col, int *iw, int *liw, int *ikeep,
                  int *iw1, int *nsteps, int *iflag, int *icntl, double *cntl, int *info,
                  double *ops);

// Factor the matrix whose values are a[0..nz).
//   a      in: values; out: the factors              [la]
//   iw     out: their structure                      [liw]
//   info   out: [0] status: 0, -3 or -4 (iw or a is too small and must have info[1] entries: call
//          again with the values), -5 (singular, or so many unknowns without a pivot that
//          the window would be more than four times the predicted one); [14] the number of negative
//          eigenvalues                              [20]
// Cost: about (window)^2 multiplications per unknown: at most the larger of 2e8 in total and 36 times the
// prediction.
void oc_ldl_factor(int *n, int *nz, const int *row, const int *col, double *a, int *la, int *iw,
                   int *liw, int *ikeep, int *nsteps, int *maxfrt, int *iw1, int *icntl,
                   double *cntl, int *info);

// The same with a deadline (NULL: none): where it is over, status -6.
void oc_ldl_factor_until(oc_deadline *deadline, int *n, int *nz, const int *row, const int *col,
                         double *a, int *la, int *iw, int *liw, int *ikeep, int *nsteps,
                         int *maxfrt, int *iw1, int *icntl, double *cntl, int *info);

// Solve in place: rhs [n] becomes the solution.
void oc_ldl_solve(int *n, double *a, int *la, int *iw, int *liw, double *w, int *maxfrt,
                  double *rhs, int *iw1, int *nsteps, int *icntl, double *cntl);

// The pivots of the last factorization, in order.
//   iw       of oc_ldl_factor
//   order    out: how many unknowns each takes, 1 or 2   [n]
//   unknown  out: these, from 0                          [n]
// Returns how many pivots there are.
int oc_ldl_pivots(const int *iw, int *order, int *unknown);

// Hand these four to IPOPT as its solver `ma27`. False where this IPOPT takes none.
bool oc_ldl_install(void);
#endif
