// optim/descent/start.h: what is free of a motion's start, as the unknowns theta of a stage before
// the first: entries of q_0 and v_0, and the step h where the final time is free.
//
//   q_0 = theta_q,   p_0 = L_v(q_0, v_0),   h = theta_h         within their bounds
//
// A kinematic coordinate's start velocity is no unknown: where it is not given it is 0.
// Source: docs/theory.md section 7.
#ifndef OC_DESCENT_START_H
#define OC_DESCENT_START_H
#include "lib/mechanics/continuous.h"
#include "optim/transcription/task.h"

DM_BEGIN_C

typedef struct oc_start {
  const oc_task *task;
  int n, nt;          // coordinates; unknowns
  int *which;         // [nt] ascending: of q, n + of v, 2n: the step
  double *low, *high; // [nt] bounds
  double *step;       // [nt] a direction
  double *G;          // [2n x nt] (q_0,p_0) by theta; the step moves neither
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

// Unknown i of a motion: its q, v and h are read.
double oc_start_value(const oc_start *w, const dm_trajectory *x, int i);

// q, v and p of y's first knot, and its step: those of x with `step` times a added to what is free,
// within bounds. y may be x. Returns what dm_momentum_of returns.
dm_status oc_start_move(oc_start *w, const dm_trajectory *x, double a, dm_trajectory *y);

// What the task gives of q, v and the step, in place of x's own; and p. Returns as above.
dm_status oc_start_set(oc_start *w, dm_trajectory *x);

// G at the start of x, and where zeta [2n] is not NULL H. Returns DM_OK, what the Lagrangian
// returns, or for H DM_UNAVAILABLE for a Lagrangian without third derivatives. No allocation in
// these.
dm_status oc_start_derivatives(oc_start *w, const dm_trajectory *x, const double *zeta);

DM_END_C
#endif
