// optim/rows/layout.h: the working state of a transcription (transcribe.h), where its unknowns stand,
// and the list of its rows. Whatever adds rows or costs to the program includes this file alone; rows.h has
// the table of their kinds.
#ifndef OC_ROWS_LAYOUT_H
#define OC_ROWS_LAYOUT_H
#include "optim/nlp/nlp.h"
#include "optim/rows/block_pattern.h"
#include "optim/rows/cost.h"
#include "optim/rows/series.h"
#include "optim/task/curve_place.h"

#include <math.h>

DM_BEGIN_C

// The kinds of rows, in the order in which they stand in a program.
typedef enum oc_rows_kind {
  OC_MOTION_ROWS,
  OC_CONSTRAINT_ROWS,
  OC_CONSTRAINT_RATE_ROWS,
  OC_SPEED_ROWS,
  OC_RATE_ROWS,
  OC_VELOCITY_ROWS,
  OC_PATH_ROWS,
  OC_OUTPUT_ROWS,
  OC_CURVE_ROWS,
  OC_ORDER_ROWS,
  OC_TRAVEL_ROWS,
  OC_END_VELOCITY_ROWS,
  OC_END_IMPULSE_ROWS,
  OC_ROW_KINDS
} oc_rows_kind;

// An entry of the list of rows: all rows of a kind, or of one limit on an output.
typedef struct oc_rows {
  oc_rows_kind kind;
  oc_series at;
  int knot;  // knot, or step, of the first place
  int limit; // of outputs: which
} oc_rows;

typedef enum oc_unknown_kind {
  OC_POSITIONS,
  OC_INPUTS,
  OC_IMPULSES, // lambda of constraints at knots 0..N-1
  OC_LAST_IMPULSE,
  OC_START_VELOCITY,
  OC_GOAL_VELOCITY,
  OC_VELOCITIES, // of inner knots, with their impulses
  OC_STEP,
  OC_CURVE_PLACES,
  OC_UNKNOWN_KINDS
} oc_unknown_kind;

typedef struct oc_transcription {
  oc_task task;
  oc_nlp nlp;
  oc_rows *rows; // [nrows] the list of rows
  int nrows;
  oc_series unknowns[OC_UNKNOWN_KINDS];
  int n, nu, nf, nc, N;  // nu inputs, of which nf are forces
  int v[2], h;           // where the end velocities and the step stand in x; h < 0: it is fixed
  int nlim, *limited;    // coordinates with a speed limit [nlim]
  int moving;            // inner knots whose velocities are unknowns: N-1, or none
  int nrate, *rated;     // forces whose rate is limited [nrate]
  double ratio_price;    // of a second, or of a way (ratio.h); it may be changed between solves
  int nchange;           // changes of forces from step to step: N-1, of periodic motions N
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
  bool *out_asked;         // [N+1] has a knot rows or costs?
  double *out_value;       // [N+1 x y.ny] y(q_k,v_k) at those, of driven ones that of step k
  double *out_here;        // [y.ny] y at an end that is given, or of the present step
  double *out_slope[2];    // [N+1 x y.ny x n] y_q, y_v at the knots of out_value
  double *out_lambda;      // [y.ny] what counts of its second derivatives there
  double *out_qv, *out_vv; // [n x n] what outputs add there by (q,v), (v,v)
  double *out_vh;          // [n] and by the velocity and the step
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
  double *mu;              // [N+1 x n] by which D1 counts
  double *mu1;             // [N+1 x n] with those of the knots' velocities, by which D2 counts
  double *mu0, *mu_next;   // [n] those of a step's knots, with what its momenta cost
  double *zero;            // [n] zeros
  double *tie;             // [nf] weights of the tie-break among inputs
  double *g_q, *g_v, *g_p; // [n] gradient of the terminal cost
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

// The first entry of a kind in the list of rows; the one of limit i on an output.
static inline const oc_rows *oc_rows_of(const oc_transcription *t, oc_rows_kind kind) {
  return t->rows + kind + (kind > OC_OUTPUT_ROWS ? t->task.outputs.nlimits - 1 : 0);
}
static inline const oc_rows *oc_rows_limit(const oc_transcription *t, int i) {
  return t->rows + OC_OUTPUT_ROWS + i;
}

// The first row of a kind at place k (with k the number of places: behind all of them).
static inline int oc_rows_at(const oc_transcription *t, oc_rows_kind kind, int k) {
  const oc_series *s = &oc_rows_of(t, kind)->at;
  return s->at + k * s->stride;
}

// Does an entry have rows at knot or step k, and where is the first of these?
static inline bool oc_rows_has(const oc_rows *r, int k) {
  return k >= r->knot && k < r->knot + r->at.count;
}
static inline int oc_rows_row(const oc_rows *r, int k) {
  return r->at.at + (k - r->knot) * r->at.stride;
}

// Remove a row from the program: it has no bounds.
static inline void oc_row_free(oc_transcription *t, int row) {
  t->g_min[row] = -INFINITY;
  t->g_max[row] = INFINITY;
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
