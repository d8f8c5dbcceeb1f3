// optim/descent/projection_operator.h: the projection operator: a curve (x + a z, u + a v) becomes
// a motion of the system that is held to the curve by feedback.
//
//   u_k = clamp(u + a v + K (x + a z - x_k)),   x_{k+1} = f(x_k,u_k)
//
// K are the gains that hold the motion at hand (control/feedback/riccati.h). A curve that is a
// motion is its own projection, and of a direction that is one to first order no more than second
// order is lost.
//
// Source: [hauser-2002] in docs/sources.md; docs/theory.md section 7.
#ifndef OC_DESCENT_PROJECTION_OPERATOR_H
#define OC_DESCENT_PROJECTION_OPERATOR_H
#include "control/feedback/riccati.h"
#include "lib/discrete/linearize.h"
#include "optim/transcription/task.h"

DM_BEGIN_C

typedef struct oc_projection_operator {
  const oc_task *task;
  int n, nx, nu, N;        // coordinates, states 2n, inputs, steps
  double h;                // step, s
  dm_trajectory *x;        // the motion at hand
  dm_trajectory *trial;    // the last that was rolled
  dm_trajectory *best;     // of several trials, for whoever compares them
  double *A, *B, *K;       // [N][nx x nx], [nx x nu], [nu x nx] along x
  double *z, *v;           // [N+1][nx], [N][nu] the direction, z_0 = 0
  int failed;              // knot of the last failure, or -1
  dm_message msg;          // what it was
  dm_del *del;             // scratch from here on
  dm_linearize *linearize; // at the last step it was asked for
  fb_riccati *riccati;
  double *Q, *R;     // [nx x nx], [nu x nu] weights
  double *deviation; // [nx] of the curve from the motion that is rolled
  double *B_free;    // [N][nx x nu] B without the inputs that are at a bound
} oc_projection_operator;

// Allocate for a task (borrowed), with x, trial, best, z, v zero. Returns DM_OK, DM_NO_MEMORY or
// what dm_linearize_new returns.
dm_status oc_projection_operator_new(oc_projection_operator **out, const oc_task *task);
void oc_projection_operator_free(oc_projection_operator *w);

// A, B of x and the gains K, for weights 1 of states and R > 0 of inputs; they do not count on
// inputs that are at a bound. Where what is to come weighs too much to be told from rounding, they
// are those of a shorter horizon. Returns DM_OK; DM_SINGULAR, DM_NOT_FINITE, DM_NOT_DEFINITE with
// the knot in `failed` and a sentence in msg.
dm_status oc_projection_operator_gains(oc_projection_operator *w, double R);

// Roll out the curve of x and a times the direction into trial: q, p, u and lambda of every knot.
// Returns DM_OK; or what dm_del_step returned (DM_NOT_FINITE where that did not converge) with the
// knot in `failed` and a sentence in msg. No allocation in this and in the above.
dm_status oc_projection_operator_rollout(oc_projection_operator *w, double a);

// Roll x by gains for inputs of several weights, from gentle to stiff, and leave in trial the
// motion nearest to it, by the sum of squares of what its q is off. A, B, K are those of the last.
// Returns DM_OK, or what the last that could not be rolled came to where none could, with the knot
// in `failed` and a sentence in msg.
dm_status oc_projection_operator_follow(oc_projection_operator *w);

// f_x, f_u of step k of x anew, so that w->linearize can be asked for their derivatives.
dm_status oc_projection_operator_linearize(oc_projection_operator *w, int k);

// trial becomes the motion at hand.
void oc_projection_operator_accept(oc_projection_operator *w);

DM_END_C
#endif
