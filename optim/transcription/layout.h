// optim/transcription/layout.h: the working state of a transcription (transcribe.h), and where its
// unknowns and rows stand. What adds rows or costs to the program stands on this file alone:
// holonomic_rows.h, knot_speeds.h, input_rates.h.
#ifndef OC_TRANSCRIPTION_LAYOUT_H
#define OC_TRANSCRIPTION_LAYOUT_H
#include "optim/nlp/nlp.h"
#include "optim/transcription/cost.h"

DM_BEGIN_C

typedef struct oc_transcription {
  oc_task task;
  oc_nlp nlp;
  int n, nu, nf, nc, N;  // nu inputs, of which nf are forces
  int v[2], h;           // where the end velocities and the step stand in x
  int nlim, *limited;    // coordinates with a speed limit [nlim]
  int moving;            // inner knots whose velocities are unknowns: N-1, or none
  int nrate, *rated;     // forces whose rate is limited [nrate]
  bool left, right;      // do inputs act at the left, at the right end of a step?
  bool dense, momentum;  // do all unknowns of a step meet in the Hessian; has momentum a cost?
  const bool *kinematic; // [n] NULL: none
  unsigned char *mask, *cmask; // [n x n] which entries the motion's blocks, and the Hessian's have
  unsigned char *reach;        // [nc x n] which coordinates move a constraint
  double *x_min, *x_max, *g_min, *g_max;
  dm_interval *d, *many; // an interval, and as many as the Lagrangian has lanes
  double *lane_q0, *lane_q1, *lane_u, *lane_mu0, *lane_mu1; // [n or nu x lanes] of theirs
  oc_cost *cost;
  dm_jet end; // L at an end
  void *scratch;
  // the last point at which the rows and their Jacobian were evaluated
  bool fresh;
  double *x_at;
  double *jac;             // its values [jac_nnz]
  double *D1, *D2;         // [N x n] D1 less Dh' lambda: -p_k
  double *p[2];            // [n] L_v at the ends
  double *carry, *carry_h; // [n x n], [n]
  double *mu0, *zero;      // [n]
  double *mu;              // [N+1 x n] multipliers of the equations of motion, by which D1 counts
  double *mu1;             // [N+1 x n] the same with those of the knots' velocities, as D2 counts
  double *rate_uu, *rate_pair, *rate_uh; // [nf] Hessian of the cost on rates at a knot
  double *tie;                           // [nf] weights of the tie-break among inputs
  // velocities at inner knots: L_v with Dh'kappa, Dh v
  double *speed, *glide; // [N-1 x n], [N-1 x nc]
  // constraints: h and Dh' lambda at every knot, Dh (or D2h mu) and D2h lambda at the present one
  double *hold, *pull, *Dh, *curve; // [N+1 x nc], [N+1 x n], [nc x n], [n x n]
  double *slip, *slide;             // Dh v at both ends [2 x nc], its derivative by q [nc x n]
  void *hol_scratch;
  double *g_q, *g_v, *g_p; // [n] gradient of the terminal cost
} oc_transcription;

// Where things stand in x: first index of q_k, of u_k (k < N), of the constraint impulses lambda_k,
// of the end velocities, of h (-1: fixed), of the velocity at an inner knot, where there are any;
// and the first row of the constraints at knot k, of their rates at an end, of the speed limits, of
// the limits on rates, of the velocity at an inner knot.
int oc_transcription_q(const oc_transcription *t, int k);
int oc_transcription_u(const oc_transcription *t, int k);
int oc_transcription_lambda(const oc_transcription *t, int k);
int oc_transcription_hold(const oc_transcription *t, int k);
int oc_transcription_slip(const oc_transcription *t, int end);
int oc_transcription_limits(const oc_transcription *t);
int oc_transcription_rates(const oc_transcription *t);
bool oc_transcription_has_speeds(const oc_transcription *t);
int oc_transcription_speed(const oc_transcription *t, int k);
int oc_transcription_moving(const oc_transcription *t, int k);
int oc_transcription_v(const oc_transcription *t, int end); // 0: start, 1: goal
int oc_transcription_h(const oc_transcription *t);

DM_END_C
#endif
