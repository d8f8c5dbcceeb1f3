// optim/second/newton_bvp.h: Newton's method for the boundary value problem of a discrete
// Lagrangian of order k (lib/second/second_order.h):
//
//   minimize  J = sum_k Ld(X_k,X_k+1),   k = 0..N-1,   over the entries of X_0..X_N not given
//
// An iteration eliminates the knots from the last to the first (optim/second/block_elimination.h)
// and steps along p = -H^-1 g with Armijo's rule. The unknowns are the knots, but H is expressed by
// each knot and the departure of the next one from its Taylor expansion, so that it is accurate on
// arbitrarily fine grids. If H has negative eigenvalues, a norm of the step's k-th derivatives is
// added,
//
//   H + s B,   y'By = sum_i m_i integral (y_i^(k))^2 + lower derivatives in units of T,
//
// where m_i is the harmonic mean along the motion of C's second derivative by q_i^(k), and s is the
// smallest power of four, from 4^-18, that makes it positive definite: s has the same meaning on
// fine and coarse grids.
//
// Newton's decrement -g.p/2 is the predicted gain of a full step; near a minimum it converges
// quadratically. It is the termination criterion.
//
// From a poor guess, coarse grids of N/4, N/16, ... steps are solved first. The result of each is
// the guess of the next, interpolated by the polynomials between its knots.
//
// Source: paper 003; docs/theory.md section 14.
#ifndef OC_SECOND_NEWTON_BVP_H
#define OC_SECOND_NEWTON_BVP_H
#include "lib/second/second_order.h"
#include "optim/nlp/inertia.h"
#include "optim/nlp/options.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct oc_newton oc_newton;

typedef struct oc_newton_row { // one iteration
  int iteration;
  int steps;        // of the grid
  double action;    // J before the step
  double decrement; // of a full step
  double length;    // largest h^r p^(r) of a full step, relative to the largest h^r X^(r)
  double step;      // step length t along p; 0: no step
  double shift;     // s
  int negative;     // number of negative eigenvalues of H
  int tried;        // number of trial steps
  double time_s;    // from the start to the end of the iteration
} oc_newton_row;

// The row as an iterate of oc_hooks.
oc_iterate oc_newton_iterate(const oc_newton_row *row);

typedef struct oc_newton_info {
  dm_status status;
  int iterations;           // number of steps, on all grids
  int rows;                 // number of recorded rows, <= room
  double action, decrement; // at the end; decrement before the last step
  int shifted;              // iterations with a shift
  double max_shift;         // largest s
  int negative;             // number of negative eigenvalues of the last H
  oc_inertia inertia;       // of H at a stationary point of the full grid
  double time_s;
} oc_newton_info;

// Allocate for N steps of second (borrowed).
//   start, goal  [second->size] X_0 and X_N; NAN entries are free, NULL: all are
// Returns DM_OK; DM_BAD_INPUT with a sentence in msg; DM_NO_MEMORY. Memory: linear in N, about 4
// size^2 numbers per step.
dm_status oc_newton_new(oc_newton **out, dm_second_order *second, int N, const double *start,
                        const double *goal, dm_message *msg);
void oc_newton_free(oc_newton *w);

// Solve with step h > 0 from the guess X, with the options `newton`, max_iter (on each grid) and
// max_time; may be called repeatedly.
//   hooks   or NULL
//   X       [(N+1) size] in: the guess, whose given entries are ignored; out: the knots
//   record  out: [room] rows, or NULL
// Returns
//   DM_OK           the decrement is below newton.decrement |J| plus the rounding of the knots, and a last step
//                   was taken; or the step is shorter than newton.length; and H >= 0 to rounding
//   DM_MAX_ITER     max_iter iterations, or max_time
//   DM_INTERRUPTED  a hook requested it
//   DM_STALLED      no step along the direction decreases J
//   DM_SADDLE       stationary, but H has negative eigenvalues: not a minimum; msg explains
// with the last knots in X; and with X untouched and a sentence in msg
//   DM_BAD_INPUT    h, or a value of the guess that is not finite
//   DM_SINGULAR     from dm_second_order_check of the first step
//   DM_NOT_FINITE   J at the guess, or a direction, is not finite
//   DM_NOT_DEFINITE no shift makes H definite
//   or the status of C at the guess.
// No allocation. Cost per iteration: N intervals of order 2, and of order 0 for each further trial
// step; about 7/3 size^3 multiplications per step for each factorization.
dm_status oc_newton_solve(oc_newton *w, const oc_options *options, const oc_hooks *hooks, double h,
                          double *X, oc_newton_row *record, int room, oc_newton_info *info,
                          dm_message *msg);

DM_END_C
#endif
