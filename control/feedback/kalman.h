// control/feedback/kalman.h: the Kalman filter of a time-varying linear system, on plain arrays. No
// mechanics.
//
//   x_{k+1} = A_k x_k + w_k,   y_k = C x_k + v_k     w ~ (0,W), v ~ (0,V), x_0 ~ (0,P_0)
//
//   S = C P C' + V,   L = P C' S^-1                  the measurement of knot k
//   P <- (1 - LC) P (1 - LC)' + L V L'               ..which is symmetric and >= 0 for every L
//   P <- A P A' + W                                  to the next knot
//
// It is the Riccati recursion of (A', C') with weights W, V from P_0, run forward: if K is the gain
// of that regulator (control/feedback/riccati.h), K' = A L; its steady solution
// (control/feedback/dare.h) is P.
//
// Source: docs/theory.md section 21; [kalman-1960] in docs/sources.md.
#ifndef FB_FEEDBACK_KALMAN_H
#define FB_FEEDBACK_KALMAN_H
#include "lib/base/status.h"

#include <stddef.h>

DM_BEGIN_C

// All matrices row-major.
typedef struct fb_kalman {
  int N, nx, ny;
  const double *A; // [nx x nx] of each step, A_stride doubles apart; 0: constant
  size_t A_stride;
  const double *C;  // [ny x nx]
  const double *W;  // [nx x nx] symmetric, >= 0
  const double *V;  // [ny x ny] symmetric, > 0
  const double *P0; // [nx x nx] symmetric, >= 0
} fb_kalman;

// Run the recursion forwards over N knots.
//   L       out: gains                                                       [N x nx x ny]
//   P       out: covariances before each knot's measurement; NULL: not kept  [(N+1) x nx x nx]
//   failed  out: the knot at which S was not positive definite, or -1
// Returns DM_OK; DM_NOT_DEFINITE or DM_NOT_FINITE (the gains of knots before the failed one are
// valid); DM_NO_MEMORY; DM_BAD_INPUT for a size below 1. Allocates its scratch once. Cost: about 4
// nx^3 + 4 nx^2 ny multiplications per knot.
dm_status fb_kalman_sweep(const fb_kalman *m, double *L, double *P, int *failed);

DM_END_C
#endif
