// optim/second/newton_bvp.h: the boundary value problem of a discrete Lagrangian of order k
// (lib/second/second_order.h) by Newton's method:
//
//   minimize  J = sum_k Ld(X_k,X_k+1),   k = 0..N-1,   over the entries of X_0..X_N not given
//
// An iteration eliminates the knots from the last to the first (optim/second/block_elimination.h)
// and steps along p = -H^-1 g as far as J falls by Armijo's rule. The unknowns are the knots, but H
// is taken by each knot and how the next departs from its Taylor expansion, so that no grid is too
// fine for it. Where H has negative eigenvalues, a norm of the step's k-th derivatives is added,
//
//   H + s B,   y'By = sum_i m_i integral (y_i^(k))^2 + lower derivatives in units of T,
//
// m_i the harmonic mean along the motion of C's second derivative by q_i^(k), with s the least power
// of four, from 4^-18, that makes it definite: s counts alike on fine and on coarse grids.
//
// Newton's decrement -g.p/2 is what a whole step gains; near a minimum it falls with the square. It
// ends the search.
//
// From a poor guess the way is found on coarse grids: of N/4, N/16, ... steps. What each leaves is
// the guess of the next, by the polynomials between its knots.
//
// Source: paper 003; docs/theory.md section 14.
#ifndef OC_SECOND_NEWTON_BVP_H
#define OC_SECOND_NEWTON_BVP_H
#include "lib/second/second_order.h"
#include "optim/nlp/inertia.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct oc_newton oc_newton;

typedef struct oc_newton_row { // one iteration
  int iteration;
  int steps;        // of the grid
  double action;    // J before the step
  double decrement; // of a whole step
  double length;    // largest h^r p^(r) of a whole step, over the largest h^r X^(r)
  double step;      // t, of t p; 0: none was taken
  double shift;     // s
  int negative;     // negative eigenvalues of H
  int tried;        // steps tried
  double time_s;    // since the start, at the end of the iteration
} oc_newton_row;

typedef struct oc_newton_settings {
  double tol;    // on the decrement, over |J|: default 1e-12
  double length; // or on the length: default 1e-12
  int max_iter;  // on each grid: default 500
  int coarse;    // steps that the coarsest grid has at least: default 20; 0: no grid but the given
  // called once an iteration; returning false stops with DM_INTERRUPTED; NULL: not called
  bool (*watch)(void *user, const oc_newton_row *row);
  void *user;
} oc_newton_settings;

typedef struct oc_newton_info {
  dm_status status;
  int iterations;           // steps taken, on all grids
  int rows;                 // of the record, <= its room
  double action, decrement; // at the end; the decrement before the last step
  int shifted;              // iterations with a shift
  double max_shift;         // the largest s
  int negative;             // negative eigenvalues of the last H
  oc_inertia inertia;       // of H where a search ended at a stationary point of the whole grid
  double time_s;
} oc_newton_info;

// Every field at its default: change those you mean.
oc_newton_settings oc_newton_default(void);

// Allocate for N steps of second (borrowed).
//   start, goal  [second->size] X_0 and X_N; an entry that is NAN is free, NULL: all are
// Returns DM_OK; DM_BAD_INPUT with a sentence in msg; DM_NO_MEMORY. Memory is linear in N: of
// size^2 numbers a step some four.
dm_status oc_newton_new(oc_newton **out, dm_second_order *second, int N, const double *start,
                        const double *goal, dm_message *msg);
void oc_newton_free(oc_newton *w);

// Solve for steps h, > 0, from the guess X; any number of times.
//   X       [(N+1) size] in: the guess, its given entries not read; out: the knots
//   record  out: [room] rows, or NULL
// Returns
//   DM_OK           the decrement is below tol |J| and what rounding of the knots costs, and a last
//                   step was taken; or the step is shorter than `length`; and H >= 0 to rounding
//   DM_MAX_ITER, DM_INTERRUPTED
//   DM_STALLED      no step along the direction lowers J
//   DM_SADDLE       stationary, but H has negative eigenvalues: no minimum, as msg says
// with the last knots in X; and with X untouched and a sentence in msg
//   DM_BAD_INPUT    h, or a number of the guess that is not finite
//   DM_SINGULAR     what dm_second_order_check says of the first step
//   DM_NOT_FINITE   a number of J at the guess, or of a direction
//   DM_NOT_DEFINITE no shift makes H definite
//   or what C returns at the guess.
// No allocation. Cost of an iteration: N intervals of order 2 and of order 0 for each further step
// tried; some 7/3 size^3 multiplications a step for each factorization.
dm_status oc_newton_solve(oc_newton *w, const oc_newton_settings *set, double h, double *X,
                          oc_newton_row *record, int room, oc_newton_info *info, dm_message *msg);

DM_END_C
#endif
