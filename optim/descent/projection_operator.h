// optim/descent/projection_operator.h: the projection operator: feedback turns a curve (x + a z, u
// + a v) into a motion of the system near it.
//
//   u_k = clamp(u + a v + K (x + a z - x_k)),   x_{k+1} = f(x_k,u_k,h)
//
// K are gains that stabilize the current motion (control/feedback/riccati.h). A curve that is a
// motion is its own projection; for a direction that satisfies the linearized dynamics, the
// projection changes the curve to second order only. Free entries of the initial state move with
// the direction (optim/descent/start.h).
//
// The states of a direction are those of the motion plus additional ones: the step h if the final
// time is free, and the previous input of forces with rate terms,
//
//   (q, p, h, r),   h_{k+1} = h_k,   r_{k+1} = u_k
//
// Instead of a motion, a curve may have gaps (multiple shooting): its steps are exact between its
// positions, p_k = -D1(k), and its momenta differ by
//
//   gap_k = (0, D2(k) - p_{k+1})
//
// which directions close to first order, z_{k+1} = A z + B v + gap_k. Knots move by a z without feedback.
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

// Work along whole motions: how often, and processor time in s.
typedef enum oc_work_kind {
  OC_WORK_ROLLOUT,   // a rollout with the cost of its motion
  OC_WORK_GRADIENT,  // A and B of all steps, the gradient, and its adjoint
  OC_WORK_CURVATURE, // second derivatives of all steps
  OC_WORK_SWEEP,     // a solution of the direction's problem, or gains
  OC_WORK_PRODUCT,   // a product with the Hessian
  OC_WORK_KINDS
} oc_work_kind;

typedef struct oc_work {
  long count[OC_WORK_KINDS];
  double cpu[OC_WORK_KINDS];
} oc_work;

extern const char *const oc_work_names[]; // [OC_WORK_KINDS], terminated by NULL

// The processor time of this thread, s; and the end of work that began at `since`.
double oc_work_clock(void);
void oc_work_add(oc_work *w, oc_work_kind kind, double since);

typedef struct oc_projection_operator {
  const oc_task *task;
  int n, nx, nu, N;        // coordinates, length of (q,p), inputs, steps
  int nh, nr, ns, nw;      // 1 if the step is free; length of r; states nx + nh + nr, ns + nu
  bool impulses;           // an impulse is bounded
  int *rated;              // [nr] forces whose changes have a limit or a cost
  double *tie;             // [system.nu] weights of the tie-break among inputs; zero: none
  oc_start *start;         // free entries of the initial state, and their direction
  double *low, *high;      // [nu] bounds of inputs; for the next value of a kinematic coordinate
                           // also that of the coordinate
  dm_trajectory *x;        // current motion
  dm_trajectory *trial;    // last rollout
  dm_trajectory *best;     // best of several rollouts
  double *A, *B, *K;       // [N][nx x nx], [nx x nu], [nu x nx] along x
  double *own;             // [N][nu x nx] the direction's own gains, exchanged with K
  double *f_h;             // [N][nx] derivative by the step; empty if nh = 0
  double *lambda_y;        // [N][nc x nw] impulses by states and inputs; empty if unbounded
  double *z, *v;           // [N+1][ns], [N][nu] the direction
  bool curve;              // x and trial are curves with gaps
  double *gap, *trial_gap; // [N][nx] of x, of trial; that of the start is in stage 0
  double gaps, trial_gaps; // sums of |gap| over the sizes of momenta
  bool keeps;              // oc_projection_operator_gains keeps K and only linearizes
  oc_work work;            // done along motions
  int failed;              // knot of the last failure, or -1
  dm_message msg;          // its reason
  dm_del *del;             // scratch from here
  dm_linearize *linearize; // at the last linearized step
  fb_riccati *riccati;
  double *state, *speed,
      *input;          // [nx], [n], [nu] scales of (q,p), v and u (optim/descent/sizes.h)
  double *Q, *R;       // [nx x nx], [nu x nu] weights
  double *given;       // [n] the start's momentum
  double *deviation;   // [nx] of the curve from the rolled-out motion
  double *wide;        // [nx x (nu + nh)] B with the column of the step
  double *by_x, *by_u; // [nc x nx], [nc x (nu + nh)] impulses
  double *B_free;      // [N][nx x nu] B without the inputs at a bound
} oc_projection_operator;

// Allocate for a task (borrowed), with zero x, trial, best, z, v and the step of the task. Returns
// DM_OK or DM_NO_MEMORY.
dm_status oc_projection_operator_new(oc_projection_operator **out, const oc_task *task);
void oc_projection_operator_free(oc_projection_operator *w);

// Compute A, B of x and the gains K, for scaled weights 1 of states and R > 0 of inputs; they do
// not use inputs at a bound. If the value function grows beyond double precision, the gains are
// those of a shorter horizon. With `keeps`, only A and B. Returns DM_OK; DM_SINGULAR, DM_NOT_FINITE, DM_NOT_DEFINITE with the
// knot in `failed` and a sentence in msg.
dm_status oc_projection_operator_gains(oc_projection_operator *w, double R);

// Exchange K and own.
void oc_projection_operator_swap(oc_projection_operator *w);

// Roll out the curve of x plus a times the direction into trial: q, p, u and lambda of every knot.
// Returns DM_OK; or the status of dm_del_step (DM_NOT_FINITE if it did not converge) with the knot
// in `failed` and a sentence in msg. With `curve`: move the knots, and compute the gaps. This
// function and the previous one do not allocate.
dm_status oc_projection_operator_rollout(oc_projection_operator *w, double a);

// Project the curve x, which need not be a motion, to the motion `trial` near it. Candidates are
// the motions under gains for input weights R from soft to stiff; the nearest is chosen by the sum
// of squares of the scaled errors of q. With `shocks` there are further candidates: about the
// curve, the momentum defects of its steps, d_{k+1} = D2(k) + D1(k+1), excite a linear motion
//
//   z_{k+1} = A z_k + B v_k + d_{k+1},   minimize  sum z'z + R v'v   (over sizes)
//
// whose solution is added to the curve, which is then rolled out with gains. The first knot of x is
// that of the motion. A, B, K are those of the last candidate. Returns DM_OK, or if all rollouts
// failed the status of the last one, with the knot in `failed` and a sentence in msg. With
// `shocks`, it allocates and frees memory for the linear motion.
dm_status oc_projection_operator_follow(oc_projection_operator *w, bool shocks);

// Recompute f_x, f_u of step k of x, and f_h and the derivatives of impulses if needed, so that
// second derivatives can be computed with w->linearize.
dm_status oc_projection_operator_linearize(oc_projection_operator *w, int k);

// Add t times the derivative of state i < nx of knot k + 1 by the states and inputs of step k to
// row [nw].
void oc_projection_operator_pull(const oc_projection_operator *w, int k, int i, double t,
                                 double *row);

// Make trial the current motion.
void oc_projection_operator_accept(oc_projection_operator *w);

DM_END_C
#endif
