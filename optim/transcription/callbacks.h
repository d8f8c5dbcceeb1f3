// optim/transcription/callbacks.h: the working state of a transcription, and its five callbacks.
#ifndef OC_TRANSCRIPTION_CALLBACKS_H
#define OC_TRANSCRIPTION_CALLBACKS_H
#include "optim/transcription/cost.h"
#include "optim/transcription/transcribe.h"

struct oc_transcription {
  oc_task task;
  oc_nlp nlp;
  int n, nu, nf, nc, N;        // nu inputs, of which nf are forces
  int v[2], h;                 // where the end velocities and the step stand in x
  int nlim, *limited;          // coordinates with a speed limit [nlim]
  int moving;                  // inner knots whose velocities are unknowns: N-1, or none
  int nrate, *rated;           // forces whose rate is limited [nrate]
  bool left, right;            // do inputs act at the left, at the right end of a step?
  bool dense, momentum;        // is there a running, is there any cost on momentum?
  const bool *kinematic;       // [n] NULL: none
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
};

// The functions of oc_nlp, with self an oc_transcription.
dm_status oc_transcription_objective(void *self, const double *x, double *f);
dm_status oc_transcription_gradient(void *self, const double *x, double *grad);
dm_status oc_transcription_rows(void *self, const double *x, double *g);
dm_status oc_transcription_jacobian(void *self, const double *x, oc_triplets *s);
dm_status oc_transcription_hessian(void *self, const double *x, double sigma, const double *lambda,
                                   oc_triplets *s);
#endif
