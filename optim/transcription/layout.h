// optim/transcription/layout.h: the working state of a transcription (transcribe.h), and where its
// unknowns and rows stand. What adds rows or costs to the program stands on this file alone:
// holonomic_rows.h, knot_speeds.h, input_rates.h, path_rows.h, output_rows.h, driven_rows.h,
// curve_rows.h, periodic_rows.h.
#ifndef OC_TRANSCRIPTION_LAYOUT_H
#define OC_TRANSCRIPTION_LAYOUT_H
#include "optim/nlp/nlp.h"
#include "optim/transcription/block_pattern.h"
#include "optim/transcription/cost.h"
#include "optim/transcription/curve_place.h"

DM_BEGIN_C

// Where a limit on an output stands: its first row, its knots, or steps.
typedef struct oc_placed_limit {
  int row, first, last;
} oc_placed_limit;

typedef struct oc_transcription {
  oc_task task;
  oc_nlp nlp;
  int n, nu, nf, nc, N;  // nu inputs, of which nf are forces
  int v[2], h;           // where the end velocities and the step stand in x; h < 0: it is fixed
  int nlim, *limited;    // coordinates with a speed limit [nlim]
  int moving;            // inner knots whose velocities are unknowns: N-1, or none
  int nrate, *rated;     // forces whose rate is limited [nrate]
  double ratio_price;    // of a second, or of a way (ratio.h); it may be changed between solves
  int nchange;           // changes of forces from step to step: N-1, of periodic motions N
  bool changes;          // do changes of forces cost anything?
  bool left, right;      // do inputs act at the left, at the right end of a step?
  bool dense, momentum;  // do all unknowns of a step meet in the Hessian; has momentum a cost?
  const bool *kinematic; // [n] NULL: none
  // which entries the blocks of the equations of motion have, those of the Hessian, and of these the
  // lower triangle
  oc_block_pattern motion, curvature, lower;
  unsigned char *hol_mask; // [nc x n] which coordinates move a constraint
  unsigned char *out_mask; // [outputs.y.ny x n] or an output of a knot
  bool *out_rated;         // [outputs.y.ny] which is then moved by their velocities, too
  double *x_min, *x_max, *g_min, *g_max;

  // L and its derivatives: one interval, as many as the Lagrangian has lanes, and an end
  dm_interval *d, *many;
  double *lane_q0, *lane_q1, *lane_u, *lane_mu0, *lane_mu1; // [n or nu x lanes] of the latter
  dm_jet end;
  void *scratch;
  oc_cost *cost;

  oc_deadline *deadline; // of evaluations; NULL: none
  // the last point at which the rows and their Jacobian were evaluated
  bool fresh;            // it is x_at
  double *x_at;          // [nlp.n]
  double *jac;           // values of the Jacobian [jac_nnz]
  double *D1, *D2;       // [N x n] D1 less Dh' lambda: -p_k
  double *p[2];          // [n] L_v at the ends
  double *knot_momentum; // [N-1 x n] L_v + Dh' kappa at inner knots (knot_speeds.h)
  double *knot_rate;     // [N-1 x nc] Dh v there
  double *hol_value;     // [N+1 x nc] h(q_k)
  double *hol_impulse;   // [N+1 x n] Dh(q_k)' lambda_k
  double *hol_rate;      // [2 x nc] Dh v at both ends

  // of the walk that is under way: what both intervals beside a knot add up to there
  double *knot_block;    // [n x n] by q_k and q_k
  double *knot_block_h;  // [n] by the step and q_k
  double *Dh;            // [nc x n] at the present knot; in the Hessian D2h mu
  double *hol_curvature; // [n x n] D2h lambda there
  double *hol_rate_q;    // [nc x n] (Dh v) by q there
  void *hol_scratch;

  // outputs (output_rows.h)
  int noutput;                // rows
  oc_placed_limit *out_limit; // [outputs.nlimits] of driven outputs by steps
  bool *out_asked;            // [N+1] has a knot rows or costs?
  double *out_value;          // [N+1 x y.ny] y(q_k,v_k) at those, of driven ones that of step k
  double *out_here;           // [y.ny] y at an end that is given, or of the present step
  double *out_slope[2];       // [N+1 x y.ny x n] y_q, y_v at the knots of out_value
  double *out_lambda;         // [y.ny] what counts of its second derivatives there
  double *out_qv, *out_vv;    // [n x n] what outputs add there by (q,v), (v,v)
  double *out_vh;             // [n] and by the velocity and the step
  void *out_scratch;
  char *out_kept; // [N+1 x y.kept] what the last walk left of it at each knot

  // and driven ones (driven_rows.h), by z = (q_k, q_{k+1}, u_k, h), nz = 2n + nf + 1
  bool driven;                // are there any?
  bool *driven_asked;         // [N] has a step rows or costs?
  unsigned char *driven_pair; // [nz x nz] the entries of a step's Hessian, its lower triangle
  double *driven_z;           // [y.ny x nz] y_z of the present step
  double *driven_H;           // [nz x nz] its Hessian
  void *driven_scratch;

  // a curve that outputs follow (curve_rows.h)
  int s;                       // where s_0 stands in x, the others behind it; < 0: there is none
  double *curve_s, *curve_r;   // [N+1] s_k, [N+1 x m] r(s_k) of the last evaluation
  double *curve_slope;         // [m] r', or r'', at the present knot
  double *curve_y;             // [N+1 x m] the rows of a motion
  oc_curve_place *curve_place; // which finds its places

  // multipliers of the equations of motion
  double *mu;            // [N+1 x n] by which D1 counts
  double *mu1;           // [N+1 x n] with those of the knots' velocities, by which D2 counts
  double *mu0, *mu_next; // [n] those of a step's knots, with what its momenta cost
  double *zero;          // [n] zeros
  double *rate_uu, *rate_pair, *rate_uh; // [nf] Hessian of the cost on rates at a knot
  double *tie;                           // [nf] weights of the tie-break among inputs
  double *g_q, *g_v, *g_p;               // [n] gradient of the terminal cost
} oc_transcription;

// Where unknowns stand in x: the first entry of q_k, of u_k (k < N), of the constraint impulses
// lambda_k, of the velocity at an inner knot where it is an unknown. Inline, as are those of rows
// below: walks ask for them at every entry.
static inline int oc_transcription_q(const oc_transcription *t, int k) {
  return k * (t->n + t->nu + t->nc);
}
static inline int oc_transcription_u(const oc_transcription *t, int k) {
  return oc_transcription_q(t, k) + t->n;
}
static inline int oc_transcription_lambda(const oc_transcription *t, int k) {
  return oc_transcription_q(t, k) + t->n + (k < t->N ? t->nu : 0);
}
static inline int oc_transcription_velocity(const oc_transcription *t, int k) {
  return t->v[1] + t->n + (k - 1) * (t->n + t->nc);
}

// Where rows stand behind those of motion, n a knot: the first one of h(q_k) = 0, of Dh v = 0 at an
// end, of the speed limits, of the limits on rates, of the velocity at an inner knot, of the path
// constraints of step k (k = N: behind all), of the outputs, of the curve at knot k (k = N + 1: behind
// all), of the order of places on it, and of the ends of a periodic motion.
static inline int oc_transcription_constraint(const oc_transcription *t, int k) {
  return (t->N + 1) * t->n + k * t->nc;
}
static inline int oc_transcription_constraint_rate(const oc_transcription *t, int end) {
  return oc_transcription_constraint(t, t->N + 1) + end * t->nc;
}
static inline int oc_transcription_limits(const oc_transcription *t) {
  return oc_transcription_constraint_rate(t, 2);
}
static inline int oc_transcription_rates(const oc_transcription *t) {
  return oc_transcription_limits(t) + t->N * t->nlim * (t->h < 0 ? 1 : 2);
}
static inline int oc_transcription_velocity_row(const oc_transcription *t, int k) {
  int rates = t->nchange * t->nrate * (t->h < 0 ? 1 : 2);
  return oc_transcription_rates(t) + rates + (k - 1) * (t->n + t->nc);
}
static inline int oc_transcription_path_row(const oc_transcription *t, int k) {
  return oc_transcription_velocity_row(t, t->moving + 1) + k * t->task.npaths;
}
static inline int oc_transcription_output_row(const oc_transcription *t) {
  return oc_transcription_path_row(t, t->N);
}
static inline int oc_transcription_curve_row(const oc_transcription *t, int k) {
  const int m = t->s < 0 ? 0 : t->task.outputs.follow.curve->m;
  return oc_transcription_output_row(t) + t->noutput + k * m;
}
static inline int oc_transcription_order_row(const oc_transcription *t) {
  return oc_transcription_curve_row(t, t->N + 1);
}
static inline int oc_transcription_periodic_row(const oc_transcription *t) {
  return oc_transcription_order_row(t) + (t->s < 0 ? 0 : t->N);
}

// Where the velocity at an end (0: start, 1: goal) stands in x, and the step h, -1 where it is fixed;
// whether velocities at inner knots are unknowns.
static inline int oc_transcription_v(const oc_transcription *t, int end) {
  return t->v[end];
}
static inline int oc_transcription_h(const oc_transcription *t) {
  return t->h;
}
static inline bool oc_transcription_has_speeds(const oc_transcription *t) {
  return t->moving > 0;
}

DM_END_C
#endif
