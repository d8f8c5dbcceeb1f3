// optim/descent/start.h: free entries of the initial state, as the unknowns theta of a stage before
// the first: entries of q_0 and v_0, and the step h if the final time is free.
//
//   q_0 = theta_q,   p_0 = L_v(q_0, v_0),   h = theta_h         within their bounds
//
// The initial velocity of a kinematic coordinate is not an unknown: it is 0 unless given. Source:
// docs/theory.md section 7.
#ifndef OC_DESCENT_START_H
#define OC_DESCENT_START_H
#include "lib/mechanics/continuous.h"
#include "optim/task/task.h"

DM_BEGIN_C

typedef struct oc_start {
  const oc_task *task;
  int n, nt;          // coordinates; number of unknowns
  int *which;         // [nt] ascending: i < n of q, n + i of v, 2n the step
  double *low, *high; // [nt] bounds
  double *step;       // [nt] direction
  double *G;          // [2n x nt] (q_0,p_0) by theta; the step affects neither
  double *H;          // [nt x nt] second derivatives of zeta.(q_0,p_0)
  // scratch
  double *zero, *pull; // [n]
  dm_jet jet;
  dm_continuous *c;
  void *sweep;
} oc_start;

// Allocate for a task (borrowed). Returns DM_OK or DM_NO_MEMORY.
dm_status oc_start_new(oc_start **out, const oc_task *task);
void oc_start_free(oc_start *w); // accepts NULL

// Unknown i of a motion, from its q, v and h.
double oc_start_value(const oc_start *w, const dm_trajectory *x, int i);

// Set q, v and p of y's first knot, and its step: those of x plus a times `step` for the free
// entries, within bounds. y may be x. Returns the status of dm_momentum_of.
dm_status oc_start_move(oc_start *w, const dm_trajectory *x, double a, dm_trajectory *y);

// Set the given entries of q, v and the step from the task; and p. Returns as above.
dm_status oc_start_set(oc_start *w, dm_trajectory *x);

// Compute G at the start of x, and H if zeta [2n] is not NULL. Returns DM_OK, the status of the
// Lagrangian, or DM_UNAVAILABLE for H if the Lagrangian has no third derivatives. None of these
// functions allocates.
dm_status oc_start_derivatives(oc_start *w, const dm_trajectory *x, const double *zeta);

DM_END_C
#endif
