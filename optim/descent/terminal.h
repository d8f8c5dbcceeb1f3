// optim/descent/terminal.h: the terminal cost as a function of the last state x = (q,p), with its
// exact derivatives, and the goal as a cost: multipliers and a penalty.
//
//   1/2 sum w (y - ref)^2,  y = (q, v, p)
//
// with v and p those of the last knot (optim/descent/knot_velocity.h): without constraints p is the
// state's, under them what they leave of it. With Y = y_x and e = w (y - ref) its gradient is Y'e,
// its Hessian Y'wY and the second derivatives of e_v.v + e_p.p.
#ifndef OC_DESCENT_TERMINAL_H
#define OC_DESCENT_TERMINAL_H
#include "lib/mechanics/continuous.h"
#include "optim/descent/knot_velocity.h"
#include "optim/transcription/task.h"

DM_BEGIN_C

typedef struct oc_terminal {
  const oc_task *task;
  int n;
  int ng;             // entries of the goal
  int *which;         // [ng] of (q,v), ascending
  double *multiplier; // [ng]
  double *size;       // [ng] of its coordinates and velocities (optim/descent/sizes.h)
  double penalty;     // of the goal's errors over their sizes
  double residual;    // largest error of the goal over its size, at the last evaluation
  double *off, *E;    // [ng], [ng x 2n] error of the goal, at the last evaluation; its derivative
  double *g, *H;      // [2n], [2n x 2n]
  oc_knot_velocity *knot; // the velocity there, and what it depends on
  bool moving;            // something is asked of it
  // scratch
  dm_continuous *c;
  double *W, *e; // [3n] weights and slopes of y
} oc_terminal;

// Allocate for a task (borrowed); multipliers and penalty are zero. Returns DM_OK, DM_NO_MEMORY or
// what dm_continuous_new returns.
dm_status oc_terminal_new(oc_terminal **out, const oc_task *task);
void oc_terminal_free(oc_terminal *t);

// The penalty of entry g of the goal, in its own units.
static inline double oc_terminal_penalty(const oc_terminal *t, int g) {
  return t->penalty / (t->size[g] * t->size[g]);
}

// The value at the last state.
//   q, p   [n]
//   cost   out: the terminal cost alone
//   merit  out: with the goal's multipliers and penalty on it
// v(q,p) is solved for from the velocity of the last call; the goal's errors are left in t->off and
// t->residual. Returns DM_OK, DM_NOT_FINITE, or what oc_knot_velocity_find returns. No allocation.
dm_status oc_terminal_value(oc_terminal *t, const double *q, const double *p, double *cost,
                            double *merit);

// Gradient and Hessian of merit by (q,p) into t->g [2n], t->H [2n x 2n], the derivative of the
// goal's entries into t->E [ng x 2n]; `exact` adds second derivatives of v, without it H is that of
// Gauss-Newton. Returns DM_OK, what oc_terminal_value returns, DM_SINGULAR, or with `exact`
// DM_UNAVAILABLE for a Lagrangian without third derivatives. No allocation. Cost: some (2n)^3.
dm_status oc_terminal_derivatives(oc_terminal *t, bool exact, const double *q, const double *p);

DM_END_C
#endif
