// optim/descent/terminal.h: the terminal cost as a function of the last state x = (q,p) with exact
// derivatives, and the goal as a cost with multipliers and a penalty.
//
//   1/2 sum w (y - ref)^2,  y = (q, v, p)
//
// with v and p of the last knot (optim/descent/knot_velocity.h): without constraints p is that of
// the state, with constraints its projection. With Y = y_x and e = w (y - ref), the gradient is
// Y'e, and the Hessian is Y'wY plus the second derivatives of e_v.v + e_p.p.
#ifndef OC_DESCENT_TERMINAL_H
#define OC_DESCENT_TERMINAL_H
#include "lib/mechanics/continuous.h"
#include "optim/descent/knot_velocity.h"
#include "optim/task/task.h"

DM_BEGIN_C

typedef struct oc_terminal {
  const oc_task *task;
  int n;
  int ng;             // number of entries of the goal
  int *which;         // [ng] indices in (q,v), ascending
  double *multiplier; // [ng]
  double *kept;       // [ng] those that oc_descend may return to
  double *size;       // [ng] scales of these entries (optim/descent/sizes.h)
  double penalty;     // of the scaled errors of the goal
  double residual;    // largest scaled error of the goal, at the last evaluation
  double *off, *E;    // [ng], [ng x 2n] error of the goal at the last evaluation; its derivative
  double *g, *H;      // [2n], [2n x 2n]
  oc_knot_velocity *knot; // velocity and momentum at the end
  bool moving;            // they are needed
  // scratch
  dm_continuous *c;
  double *W, *e; // [3n] weights and derivatives of y
} oc_terminal;

// Allocate for a task (borrowed); multipliers and penalty are zero. Returns DM_OK, DM_NO_MEMORY or
// the status of dm_continuous_new.
dm_status oc_terminal_new(oc_terminal **out, const oc_task *task);
void oc_terminal_free(oc_terminal *t);

// The penalty of entry g of the goal, in its units.
static inline double oc_terminal_penalty(const oc_terminal *t, int g) {
  return t->penalty / (t->size[g] * t->size[g]);
}

// Evaluate the last state.
//   q, p   [n]
//   cost   out: terminal cost only
//   merit  out: plus the goal's multipliers and penalty
// Solves for v(q,p) from the velocity of the last call; sets t->off and t->residual. Returns DM_OK,
// DM_NOT_FINITE, or the status of oc_knot_velocity_find. No allocation.
dm_status oc_terminal_value(oc_terminal *t, const double *q, const double *p, double *cost,
                            double *merit);

// Gradient and Hessian of merit by (q,p) into t->g [2n], t->H [2n x 2n], the derivative of the goal
// into t->E [ng x 2n]; with `exact` H includes second derivatives of v, otherwise it is that of
// Gauss-Newton. Returns DM_OK, the status of oc_terminal_value, DM_SINGULAR, or with `exact`
// DM_UNAVAILABLE for a Lagrangian without third derivatives. No allocation. Cost: about (2n)^3.
dm_status oc_terminal_derivatives(oc_terminal *t, bool exact, const double *q, const double *p);

DM_END_C
#endif
