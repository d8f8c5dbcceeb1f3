// optim/descent/projection_operator.h: the projection operator: a curve (x + a z, u + a v) becomes
// a motion of the system that is held to the curve by feedback.
//
//   u_k = clamp(u + a v + K (x + a z - x_k)),   x_{k+1} = f(x_k,u_k,h)
//
// K are the gains that hold the motion at hand (control/feedback/riccati.h). A curve that is a
// motion is its own projection, and of a direction that is one to first order no more than second
// order is lost. What is free of the start moves with the direction (optim/descent/start.h).
//
// A direction's states are those of the motion and what it carries along: the step h where the
// final time is free, and the last input of forces whose changes count,
//
//   (q, p, h, r),   h_{k+1} = h_k,   r_{k+1} = u_k
//
// Source: [hauser-2002] in docs/sources.md; docs/theory.md section 7.
#ifndef OC_DESCENT_PROJECTION_OPERATOR_H
#define OC_DESCENT_PROJECTION_OPERATOR_H
#include "control/feedback/riccati.h"
#include "lib/discrete/linearize.h"
#include "optim/descent/ranges.h"
#include "optim/descent/sizes.h"
#include "optim/descent/start.h"

DM_BEGIN_C

typedef struct oc_projection_operator {
  const oc_task *task;
  int n, nx, nu, N;        // coordinates, (q,p), inputs, steps
  int nh, nr, ns, nw;      // 1 where the step is free; entries of r; states nx + nh + nr, ns + nu
  bool impulses;           // some impulse is bounded
  int *rated;              // [nr] forces whose changes have a limit or a cost
  double *tie;             // [system.nu] weights of the tie-break among inputs; zero: none
  oc_start *start;         // what is free of it, and its direction
  double *low, *high;      // [nu] of inputs; of a kinematic coordinate's next value its own
  dm_trajectory *x;        // the motion at hand
  dm_trajectory *trial;    // the last that was rolled
  dm_trajectory *best;     // of several trials, for whoever compares them
  double *A, *B, *K;       // [N][nx x nx], [nx x nu], [nu x nx] along x
  double *f_h;             // [N][nx] by the step; nh = 0: empty
  double *lambda_y;        // [N][nc x nw] impulses by states and inputs; unbounded: empty
  double *z, *v;           // [N+1][ns], [N][nu] the direction
  int failed;              // knot of the last failure, or -1
  dm_message msg;          // what it was
  dm_del *del;             // scratch from here on
  dm_linearize *linearize; // at the last step it was asked for
  fb_riccati *riccati;
  double *state, *speed,
      *input;          // [nx], [n], [nu] the sizes of (q,p), v and u (optim/descent/sizes.h)
  double *Q, *R;       // [nx x nx], [nu x nu] weights
  double *deviation;   // [nx] of the curve from the motion that is rolled
  double *wide;        // [nx x (nu + nh)] B with the column by the step
  double *by_x, *by_u; // [nc x nx], [nc x (nu + nh)] impulses
  double *B_free;      // [N][nx x nu] B without the inputs that are at a bound
} oc_projection_operator;

// Allocate for a task (borrowed), with x, trial, best, z, v zero; the step is the task's. Returns
// DM_OK or DM_NO_MEMORY.
dm_status oc_projection_operator_new(oc_projection_operator **out, const oc_task *task);
void oc_projection_operator_free(oc_projection_operator *w);

// A, B of x and the gains K, for weights 1 of states and R > 0 of inputs, each over its size; they do
// not count on inputs that are at a bound. If the value of the rest of the motion is too large for double
// precision, they are those of a shorter horizon. Returns DM_OK; DM_SINGULAR, DM_NOT_FINITE, DM_NOT_DEFINITE with
// the knot in `failed` and a sentence in msg.
dm_status oc_projection_operator_gains(oc_projection_operator *w, double R);

// Roll out the curve of x and a times the direction into trial: q, p, u and lambda of every knot.
// Returns DM_OK; or what dm_del_step returned (DM_NOT_FINITE where that did not converge) with the
// knot in `failed` and a sentence in msg. No allocation in this and in the above.
dm_status oc_projection_operator_rollout(oc_projection_operator *w, double a);

// The curve x, which need not be a motion, becomes the motion `trial` near it: of those that gains
// hold to it, for weights R of inputs from gentle to stiff, the nearest by the sum of squares of the
// errors of q over their sizes. With `shocks` also of these: about the curve, what its steps leave of momenta,
// d_{k+1} = D2(k) + D1(k+1), is the shock of a linear motion
//
//   z_{k+1} = A z_k + B v_k + d_{k+1},   minimize  sum z'z + R v'v   (over sizes)
//
// whose solution, added to the curve, is rolled with gains. The first knot of x is the motion's.
// A, B, K are those of the last.
// Returns DM_OK, or what the last that could not be rolled came to where none could, with the knot
// in `failed` and a sentence in msg. With `shocks` allocates, and frees, room for the linear motion.
dm_status oc_projection_operator_follow(oc_projection_operator *w, bool shocks);

// f_x, f_u of step k of x anew, and f_h and the impulses' derivatives where they count, so that
// w->linearize can be asked for the second ones.
dm_status oc_projection_operator_linearize(oc_projection_operator *w, int k);

// Add t times the derivative of state i < nx of knot k + 1 by the states and the input of step k to
// row [nw].
void oc_projection_operator_pull(const oc_projection_operator *w, int k, int i, double t,
                                 double *row);

// trial becomes the motion at hand.
void oc_projection_operator_accept(oc_projection_operator *w);

DM_END_C
#endif
