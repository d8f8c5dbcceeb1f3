// optim/rows/layout.h: the working state of a transcription (transcribe.h), the layout of its unknowns, and
// the list of its rows. Files that add rows or costs to the program include only this header; rows.h has the
// table of row kinds.
#ifndef OC_ROWS_LAYOUT_H
#define OC_ROWS_LAYOUT_H
#include "lib/discrete/middle_rows.h"
#include "optim/nlp/nlp.h"
#include "optim/rows/block_pattern.h"
#include "optim/rows/cost.h"
#include "optim/rows/series.h"
#include "optim/task/curve_place.h"

#include <math.h>

DM_BEGIN_C

typedef enum oc_unknown_kind {
  OC_POSITIONS,
  OC_INPUTS,
  OC_IMPULSES, // lambda of constraints at knots 0..N-1
  OC_LAST_IMPULSE,
  OC_START_VELOCITY,
  OC_GOAL_VELOCITY,
  OC_VELOCITIES, // at inner knots, with their impulses
  OC_STEP,
  OC_TIMES, // of knots, if steps are free
  OC_CURVE_PLACES,
  OC_CONTACTS,
  OC_LEVEL_VALUES,
  OC_UNKNOWN_KINDS
} oc_unknown_kind;

typedef struct oc_contacts oc_contacts;

typedef struct oc_transcription {
  oc_task task;
  oc_nlp nlp;
  oc_rows *rows; // [nrows] the list of rows
  int nrows;
  oc_series unknowns[OC_UNKNOWN_KINDS];
  int n, nu, nf, nc, N; // nu inputs, of which nf are forces
  int v[2], h;          // indices of the end velocities and the mean step in x; h < 0: fixed
  int times;          // index of the time of knot 0 in x, followed by the others; < 0: fixed steps
  int nlim, *limited; // coordinates with a speed limit [nlim]
  int nbent[2], *bent[2]; // coordinates with a limit of their acceleration, of their jerk [nbent]
  int moving;             // inner knots whose velocities are unknowns: N-1, or 0
  int nrate, *rated;      // forces whose rate is limited [nrate]
  int nlag, *lagged;      // forces of motors with a lag [nlag]
  double ratio_price;     // per second or per travel (ratio.h); may be changed between solves
  int nchange;            // changes of forces from step to step: N-1, periodic: N
  bool left, right;       // do inputs act at the left, at the right end of a step?
  dm_momenta *momenta;    // of a motion, after the first oc_transcription_unpack; or NULL
  bool dense, momentum;   // do all unknowns of a step couple in the Hessian; has momentum a cost?
  const bool *kinematic;  // [n] NULL: none
  // nonzero entries of the blocks of the equations of motion, of the Hessian, and of the Hessian's lower
  // triangle
  oc_block_pattern motion, curvature, lower;
  unsigned char *hol_mask; // [nc x n] which coordinates move a constraint
  unsigned char *out_mask; // [outputs.y.ny x n] which coordinates move an output
  bool *out_rated;         // [outputs.y.ny] does it also depend on their velocities?
  double *x_min, *x_max, *g_min, *g_max;

  // L and its derivatives: of one interval, of as many intervals as the Lagrangian has lanes, and of an end
  dm_interval *d, *many;
  double *lane_q0, *lane_q1, *lane_u, *lane_mu0, *lane_mu1; // [n or nu x lanes] inputs of `many`
  dm_jet end;
  void *scratch;
  oc_cost *cost;

  oc_deadline *deadline; // of evaluations; NULL: no deadline
  // the last point at which the rows and their Jacobian were evaluated
  bool fresh;            // is x_at valid?
  double *x_at;          // [nlp.n]
  double *jac;           // values of the Jacobian [jac_nnz]
  double *D1, *D2;       // [N x n] D1 minus Dh' lambda: -p_k
  double *p[2];          // [n] L_v at the ends
  double *knot_momentum; // [N-1 x n] L_v + Dh' kappa at inner knots (knot_speeds.h)
  double *knot_rate;     // [N-1 x nc] Dh v there
  double *hol_value;     // [N+1 x nc] h(q_k)
  double *hol_impulse;   // [N+1 x n] Dh(q_k)' lambda_k
  double *hol_rate;      // [2 x nc] Dh v at both ends

  // of the current walk: the sum over both intervals adjacent to a knot
  double *knot_block;    // [n x n] by q_k and q_k
  double *knot_block_h;  // [n] by the step and q_k
  double *Dh;            // [nc x n] at the current knot; in the Hessian D2h mu
  double *hol_curvature; // [n x n] D2h lambda there
  double *hol_rate_q;    // [nc x n] (Dh v) by q there
  void *hol_scratch;
  dm_middle_rows *middle; // nonholonomic rows of the current step; NULL: none

  // functions at knots and in steps (function_rows.h); NULL: none
  oc_function_rows *functions;
  double *out_here; // [y.ny] outputs y at a given state (output_rows.h)
  void *out_scratch;

  // contacts and dry friction (contact_rows.h): the first of their unknowns in x, and their number at each
  // knot; 0: none
  int z, nz;
  oc_contacts *contact;

  int level; // index in x of the unknowns of level_rows.h: [N+2 x outputs.nlevels]

  // a curve that outputs follow (curve_rows.h)
  int s;                       // index of s_0 in x, followed by the others; < 0: no curve
  double *curve_s, *curve_r;   // [N+1] s_k, [N+1 x m] r(s_k) of the last evaluation
  double *curve_slope;         // [m] r', or r'', at the current knot
  double *curve_y;             // [N+1 x m] the followed outputs of a motion
  oc_curve_place *curve_place; // finds the curve parameters of a motion

  // multipliers of the equations of motion
  double *mu;              // [N+1 x n] applied to D1
  double *mu1;             // [N+1 x n] applied to D2: including those of the knots' velocities
  double *mu0, *mu_next;   // [n] of a step's knots, including the cost on momenta
  double *zero;            // [n] zeros
  double *tie;             // [nf] weights of the tie-break among inputs
  double *g_q, *g_v, *g_p; // [n] gradient of the terminal cost
} oc_transcription;

// Indices in x: the first entry of q_k, of u_k (k < N), of the constraint impulses lambda_k, and of the
// velocity at an inner knot if it is an unknown. Inline, like the row functions below, because walks call
// them for every entry.
static inline int oc_transcription_q(const oc_transcription *t, int k) {
  return k * (t->n + t->nu + t->nc);
}
static inline int oc_transcription_u(const oc_transcription *t, int k) {
  return oc_transcription_q(t, k) + t->n;
}
static inline int oc_transcription_lambda(const oc_transcription *t, int k) {
  return oc_transcription_q(t, k) + t->n + (k < t->N ? t->nu : 0);
}
static inline int oc_transcription_contact(const oc_transcription *t, int k) {
  return t->z + k * t->nz;
}
static inline int oc_transcription_velocity(const oc_transcription *t, int k) {
  return t->v[1] + t->n + (k - 1) * (t->n + t->nc);
}

// The first entry of a kind in the list of rows; the entry of limit i on an output.
static inline const oc_rows *oc_rows_of(const oc_transcription *t, oc_rows_kind kind) {
  return t->rows + kind + (kind > OC_OUTPUT_ROWS ? t->task.outputs.nlimits - 1 : 0);
}
static inline const oc_rows *oc_rows_limit(const oc_transcription *t, int i) {
  return t->rows + OC_OUTPUT_ROWS + i;
}

// The first row of a kind at place k (k = number of places: the row after all of them).
static inline int oc_rows_at(const oc_transcription *t, oc_rows_kind kind, int k) {
  const oc_series *s = &oc_rows_of(t, kind)->at;
  return s->at + k * s->stride;
}

// Is unknown x given? Then its bounds are equal.
static inline bool oc_is_given(const oc_transcription *t, int x) {
  return !(t->x_min[x] < t->x_max[x]);
}

// Free a row: it has no bounds.
static inline void oc_row_free(oc_transcription *t, int row) {
  t->g_min[row] = -INFINITY;
  t->g_max[row] = INFINITY;
}

// Indices in x of the velocity at an end (0: start, 1: goal), and of the mean step h, -1 if it is fixed; are
// velocities at inner knots unknowns?
static inline int oc_transcription_v(const oc_transcription *t, int end) {
  return t->v[end];
}
static inline int oc_transcription_h(const oc_transcription *t) {
  return t->h;
}
static inline bool oc_transcription_has_speeds(const oc_transcription *t) {
  return t->moving > 0;
}

// Are step lengths unknown?
static inline bool oc_transcription_steps_vary(const oc_transcription *t) {
  return t->h >= 0 || t->times >= 0;
}

// The mean step length at x, and the length of step k [s].
static inline double oc_transcription_mean(const oc_transcription *t, const double *x) {
  if (t->times >= 0) return x[t->times + t->N] / t->N;
  return t->h < 0 ? oc_task_step(&t->task) : x[t->h];
}
static inline double oc_transcription_step(const oc_transcription *t, const double *x, int k) {
  if (t->times >= 0) return x[t->times + k + 1] - x[t->times + k];
  return oc_transcription_mean(t, x) * oc_task_part(&t->task, k);
}

DM_END_C
#endif
