// optim/descent/merit.h: what a descent makes less: the cost of a motion, as a function of its
// states and inputs, with multipliers and penalties where there is a goal or a limit.
//
//   sum_k s phi_k + m(x_N)     phi of optim/transcription/cost.h with s its factor, h or 1; m of
//                              optim/descent/terminal.h
//   + sum_k c_k(q,v)           costs on outputs at one time (optim/transcription/output_costs.h); those
//                              over time are a term of phi
//   + sum_k,i psi_i(g_i)       rows of optim/descent/ranges.h
//
// All of these are functions of what a step shows, its quantities
//
//   q, p, u;  v = (q' - q)/h;  q' - q;  u - r;  lambda;  the knot's velocity;  h
//
// with q' the next q. Their slopes by these are brought to (x,u) by A and B of the step, by the
// derivatives of its impulses and by those of the knot's velocity; with second order q' and lambda
// have slopes left over, which are contracted with the step's second derivatives.
#ifndef OC_DESCENT_MERIT_H
#define OC_DESCENT_MERIT_H
#include "optim/descent/knot_costs.h"
#include "optim/descent/projection_operator.h"
#include "optim/descent/ranges.h"
#include "optim/descent/terminal.h"
#include "optim/transcription/cost.h"

DM_BEGIN_C

// Slopes of a function by the quantities of a step.
typedef struct oc_slopes {
  double *q, *p, *v, *move, *speed; // [n] speed: of the knot
  double *u;                        // [nu]
  double *change;                   // [system.nu] of u - r; r is the u before
  double *lambda;                   // [nc]
  double h;
} oc_slopes;

// Where second derivatives go: Q [ns x ns, rows ld apart], R [nu x nu], S [ns x nu]. The last knot
// has no inputs: R and S are NULL.
typedef struct oc_blocks {
  int ld;
  double *Q, *R, *S;
} oc_blocks;

typedef struct oc_merit {
  const oc_task *task; // that of `outputs`
  oc_output_costs *outputs;
  const oc_projection_operator *p; // borrowed
  int n, nx, ns, nu, nw, nc, nrows, N;
  oc_terminal *end;
  oc_ranges *ranges;
  double *l_x, *l_u; // [N+1][ns], [N][nu] gradient
  double *rows;      // [N+1][ranges->n][nw] derivatives of the limits' rows by (x,u)
  double *by_next;   // [n] what q' of the last step bent has for a slope
  double *by_lambda; // [nc] and its impulses
  // scratch
  oc_cost *cost;
  oc_knot_velocity *knot; // of the last knot asked for
  bool ask_speed;
  oc_slopes e;
  double *part;   // [n]
  double *a, *b;  // [nw] rows
  double *J, *CJ; // [ny x nw] d(q,v,u)/d(x,u) for terms of one's own, C J; none: empty
  double *W, *CW; // [2n x 2n] d(q,v)/d(q,p) of a knot for outputs at one time, C W; none: empty
} oc_merit;

// Allocate for the task of a projection operator (borrowed). Returns DM_OK or DM_NO_MEMORY.
dm_status oc_merit_new(oc_merit **out, const oc_projection_operator *p);
void oc_merit_free(oc_merit *w); // accepts NULL

// The value of a motion y of the task's N: its h, q, p, u, lambda are read.
//   cost   out: the task's own
//   merit  out: with multipliers and penalties; the same where there is no goal and no limit, but
//          for the tie-break of a task of least time (optim/transcription/differences.h)
// Returns DM_OK, DM_NOT_FINITE, or what oc_terminal_value, oc_knot_velocity_find and outputs return.
dm_status oc_merit_value(oc_merit *w, const dm_trajectory *y, double *cost, double *merit);

// l_x, l_u and the limits' rows at p->x (with its derivatives), and the last state's Hessian,
// `exact` or that of Gauss-Newton. Returns DM_OK, or what oc_terminal_derivatives,
// oc_knot_velocity_differentiate and outputs return.
dm_status oc_merit_gradient(oc_merit *w, bool exact);

// After oc_merit_gradient: the gradient of knot k by (x,u) that second derivatives are taken with, of
// limits by their multipliers, into g [ns + nu].
void oc_merit_pull(const oc_merit *w, int k, double *g);

// Add the squares of the limits' rows at knot k, weighed by the curvature of their barriers.
void oc_merit_curve_limits(const oc_merit *w, int k, const oc_blocks *out);

// Add the second derivatives of step k's cost at p->x that are no functions of the step's: squares
// of slopes, and those of terms of one's own and of outputs by a knot's (q,v). Returns DM_OK or what
// outputs return.
dm_status oc_merit_curve(oc_merit *w, int k, const oc_blocks *out);

// Add the others but for those of q' and lambda, whose slopes are left in by_next, by_lambda: of
// limits, of the knot's velocity, and of what the step h divides or multiplies. Returns DM_OK, or
// what oc_knot_velocity_contract returns.
dm_status oc_merit_bend(oc_merit *w, int k, const oc_blocks *out);

// The multipliers of limits begin with what the barrier asks for along y; or follow a step a of the
// direction from p->x, at which oc_merit_gradient was, to y. Returns DM_OK or what
// oc_knot_velocity_find returns. No allocation in any of these.
dm_status oc_merit_begin(oc_merit *w, const dm_trajectory *y);
dm_status oc_merit_multiply(oc_merit *w, const dm_trajectory *y, double a);

DM_END_C
#endif
