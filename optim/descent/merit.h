// optim/descent/merit.h: the merit function of a descent: the cost of a motion as a function of its
// states and inputs, plus multipliers and penalties for a goal or limits.
//
//   sum_k s phi_k + m(x_N)     phi of optim/rows/cost.h with its factor s, h or 1; m of
//   optim/descent/terminal.h
//   + sum_k c_k(q,v)           costs of outputs at single knots
//   (optim/task/output_costs.h); costs over time are part of phi
//   + sum_k,i psi_i(g_i)       rows of optim/descent/ranges.h
//
// All of these are functions of the quantities of a step
//
//   q, p, u;  v = (q' - q)/h;  q' - q;  u - r;  lambda;  the knot's velocity;  h
//
// with q' the next q. A and B of the step, the derivatives of its impulses and those of the knot's
// velocity transform the derivatives by these quantities to derivatives by (x,u). For second order,
// the slopes by q' and lambda are contracted with the step's second derivatives.
#ifndef OC_DESCENT_MERIT_H
#define OC_DESCENT_MERIT_H
#include "optim/descent/knot_costs.h"
#include "optim/descent/projection_operator.h"
#include "optim/descent/ranges.h"
#include "optim/descent/terminal.h"
#include "optim/rows/cost.h"

DM_BEGIN_C

// Derivatives of a function by the quantities of a step.
typedef struct oc_slopes {
  double *q, *p, *v, *move, *speed; // [n] speed: by the knot's velocity
  double *u;                        // [nu]
  double *change;                   // [system.nu] by u - r; r is the previous input
  double *lambda;                   // [nc]
  double h;
} oc_slopes;

// Destination of second derivatives: Q [ns x ns] with row length ld, R [nu x nu], S [ns x nu]. The
// last knot has no inputs: R and S are NULL.
typedef struct oc_blocks {
  int ld;
  double *Q, *R, *S;
} oc_blocks;

typedef struct oc_merit {
  const oc_task *task; // the task of `outputs`
  oc_output_costs *outputs;
  const oc_projection_operator *p; // borrowed
  int n, nx, ns, nu, nw, nc, nrows, N;
  oc_terminal *end;
  oc_ranges *ranges;
  double *l_x, *l_u; // [N+1][ns], [N][nu] gradient
  double *rows;      // [N+1][ranges->n][nw] derivatives of the limits by (x,u)
  double *by_next;   // [n] slope by q' of the last step passed to oc_merit_bend
  double *by_lambda; // [nc] and by its impulses
  // scratch
  oc_cost *cost;
  oc_term_work term;
  oc_knot_velocity *knot; // of the last evaluated knot
  bool ask_speed;
  oc_slopes e;
  double *part;   // [n]
  double *a, *b;  // [nw] rows
  double *J, *CJ; // [ny x nw] d(q,v,u)/d(x,u) for user-defined terms, C J; empty without
  double *W, *CW; // [2n x 2n] d(q,v)/d(q,p) of a knot for outputs at single knots, C W; empty
                  // without
} oc_merit;

// Allocate for the task of a projection operator (borrowed). Returns DM_OK or DM_NO_MEMORY.
dm_status oc_merit_new(oc_merit **out, const oc_projection_operator *p);
void oc_merit_free(oc_merit *w); // accepts NULL

// Evaluate a motion y of the task's N steps from its h, q, p, u, lambda.
//   cost   out: cost of the task
//   merit  out: with multipliers and penalties; equal to the cost without goal and limits, except
//          for the tie-break of a minimum-time task (optim/rows/differences.h)
// Returns DM_OK, DM_NOT_FINITE, or the status of oc_terminal_value, oc_knot_velocity_find or
// outputs.
dm_status oc_merit_value(oc_merit *w, const dm_trajectory *y, double *cost, double *merit);

// Compute l_x, l_u and the limits at p->x (with its derivatives), and the Hessian of the last
// state, `exact` or Gauss-Newton. Returns DM_OK, or the status of oc_terminal_derivatives,
// oc_knot_velocity_differentiate or outputs.
dm_status oc_merit_gradient(oc_merit *w, bool exact);

// After oc_merit_gradient: the gradient of knot k by (x,u) for the contraction of second
// derivatives, in which limits enter with their multipliers, into g [ns + nu].
void oc_merit_pull(const oc_merit *w, int k, double *g);

// Add the squares of the derivatives of the limits at knot k, weighted by the curvature of their
// barriers.
void oc_merit_curve_limits(const oc_merit *w, int k, const oc_blocks *out);

// Add the second derivatives of step k's cost at p->x that do not involve those of the step:
// squares of slopes, user-defined terms, and outputs by a knot's (q,v). Returns DM_OK or the status
// of outputs.
dm_status oc_merit_curve(oc_merit *w, int k, const oc_blocks *out);

// Add the other second derivatives except those of q' and lambda, whose slopes are left in by_next,
// by_lambda: of limits, of the knot's velocity, and of the step h as a factor or divisor. Returns
// DM_OK, or the status of oc_knot_velocity_contract.
dm_status oc_merit_bend(oc_merit *w, int k, const oc_blocks *out);

// Initialize the multipliers of limits from the barrier along y; or update them for a step a of the
// direction from p->x, where oc_merit_gradient was called, to y. Returns DM_OK or the status of
// oc_knot_velocity_find. None of these functions allocates.
dm_status oc_merit_begin(oc_merit *w, const dm_trajectory *y);
dm_status oc_merit_multiply(oc_merit *w, const dm_trajectory *y, double a);

DM_END_C
#endif
