// control/feedback/riccati.h: the discrete Riccati recursion on plain arrays. No mechanics.
//
//   P_N = Qf;  H = R + B'PB;  K = H^-1 (B'PA + S');  P <- Q + A'PA - K'HK
//   u = u_d - K (x - x_d)
//
// Linear terms enter through one additional, last state that is always 1: the last column of K is
// then the negative step of the inputs. Parameters of linear terms enter likewise, as constant
// states before it: P then contains the value's second derivatives by them. With a constant state,
// a stage's inputs may have bounds (control/feedback/box_qp.h), and each stage may take the largest
// admissible share of second-order parts that may not be convex.
//
// Source: docs/theory.md section 8; paper 001, eq. 36 (with the gain's misprint corrected).
#ifndef FB_FEEDBACK_RICCATI_H
#define FB_FEEDBACK_RICCATI_H
#include "lib/base/status.h"

#include <stddef.h>

DM_BEGIN_C

// A linear-quadratic problem over N stages; all matrices row-major. A stride is the distance in
// doubles between the matrices of consecutive stages: 0 for a constant one.
typedef struct fb_lq {
  int N, nx, nu;
  const double *A, *B;     // [nx x nx], [nx x nu] of each stage
  const double *Q, *R, *S; // [nx x nx], [nu x nu] symmetric, [nx x nu] or NULL for zero
  const double *Qf;        // [nx x nx] symmetric
  size_t A_stride, B_stride, Q_stride, R_stride, S_stride;
  // Bounds [N x nu] on the inputs at the state (0,..,0,1), whose last entry is then the constant;
  // NULL: none. Inputs at an active bound have K = 0 except for their step. Only with bounds:
  const double *lo, *hi;
  int constants; // the number of constant states, which are the last ones: >= 1
  // additional parts of Q, R, S (with their strides) that may not be convex; dQ NULL: none
  const double *dQ, *dR, *dS;
  // > 0: each stage takes the largest share of them, of 1, 3/4, 1/2, 1/4, 0, for which H > floor
  // and P >= 0 except for the rows of constant states; 0: all of them
  double floor;
  // sizes of states [nx] and inputs [nu]: the floor applies to H of inputs divided by their sizes,
  // and P >= 0 holds up to rounding of its largest entry for states divided by theirs; NULL: all 1
  const double *state, *input;
  double *share; // [N] out: the share per stage; NULL: not kept
} fb_lq;

typedef struct fb_riccati fb_riccati; // workspace for given sizes

// Make a workspace for nx states and nu inputs. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT
// without states. Without inputs P_k = Q_k + A_k'P_k+1 A_k.
dm_status fb_riccati_new(fb_riccati **out, int nx, int nu);
void fb_riccati_free(fb_riccati *w);

// Run the recursion backwards over N stages.
//   K       out: gains                                     [N x nu x nx]
//   P       out: value matrices, symmetric; NULL: not kept [(N+1) x nx x nx]
//   failed  out: the stage where H was not positive definite, or -1
// Returns DM_OK; DM_NOT_DEFINITE if a pivot of H is not above nu eps times its diagonal (with a
// floor: if even without the second-order parts H is not above it, or P not semidefinite), or
// DM_NOT_FINITE: the gains of stages after the failed one are then valid.
// Does not allocate. Cost per stage: about 3/2 nx^3 + 2 nx^2 nu + nx nu^2 multiplications; with a
// floor up to five times that, and nx^3/6 each time.
dm_status fb_riccati_sweep(fb_riccati *w, const fb_lq *lq, double *K, double *P, int *failed);

// Entry (i,j) of the first stage's value matrix, after a sweep that returned DM_OK.
double fb_riccati_value(const fb_riccati *w, int i, int j);

DM_END_C
#endif
