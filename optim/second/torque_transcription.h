// optim/second/torque_transcription.h: a task as a program in the knots X_k = (q_k,v_k) only: the
// sum of a discrete Lagrangian of second order (lib/second/second_order.h) with the forces from
// inverse dynamics (lib/second/torque_cost.h). For order k = 3 a knot is (q_k,v_k,a_k).
//
//   minimize    J = sum_k h sum_s w_s (c(q,v,u) + C(x)) + terminal cost at X_N
//                                                        k = 0..N-1, nodes s
//   subject to  u_min <= u_i <= u_max   at every node, for coordinates with limited inputs
//               u_i = 0                 at every node, for coordinates without input, unless their
//                                       motion is prescribed
//               rows of constraints     optim/second/node_unknowns.h, which also adds the inputs of
//                                       general forces, and forces of constraints
//               q_min <= q_k <= q_max, |v_k| <= v_max,   the given entries of X_0, X_N
//               q - t <= q_max, q + t >= q_min, t >= 0 at every node, for coordinates with a
//                                       penalty: cost slope t instead of the bound
//               low <= q_N - q_0 <= high, v_N = v_0    of a periodic motion
//               |v| <= v_max            also at the middle of every step, for the polynomial
//                                       through its knots: it may be fast between slow knots
//
// with u = tau(q,v,a) + damping v - f(q,v,w) + Dh(q)'lambda, c = 1/2 sum w (x - ref)^2 over q, v, a, u, and a
// user-defined Lagrangian C(x), x = (q, .., q^(k)); without it k = 2 and every input has a cost.
// References of q, v are interpolated linearly between knots, that of u is constant over a step.
// Momenta and inputs are eliminated: the Hessian is block tridiagonal.
//
// Source: paper 003; docs/theory.md sections 13 to 15.
#ifndef OC_SECOND_TORQUE_TRANSCRIPTION_H
#define OC_SECOND_TORQUE_TRANSCRIPTION_H
#include "optim/nlp/scaled.h"
#include "optim/second/torque_layout.h"

DM_BEGIN_C

// Check that a task can be transcribed in this way: oc_task_check, at most one joint force per
// coordinate, inputs with a cost unless there is a user-defined Lagrangian, no free time, no costs on
// momentum; for k = 3, and without set->underactuated, also an input on every coordinate, and no
// constraints, kinematic coordinates and inputs of general forces. Returns DM_OK;
// or DM_BAD_INPUT (DM_SINGULAR for a degenerate rule) with a sentence in msg, and in *key (may be
// NULL) the key of the problem file: "model.constraints".
dm_status oc_torque_transcription_check(const oc_task *task,
                                        const oc_torque_transcription_settings *set,
                                        const char **key, dm_message *msg);

// Returns true if the knots have constraints other than given ends, or the cost is not a Lagrangian
// C(q,v,a). The task is then not a boundary value problem for optim/second/newton_bvp.h, and msg
// (may be NULL) names the reason.
bool oc_torque_transcription_binds(const oc_task *task, const oc_torque_transcription_settings *set,
                                   dm_message *msg);

// Build the program. The arrays of task and set, and m, are borrowed. Returns DM_OK, DM_NO_MEMORY,
// or the status of oc_torque_transcription_check. Memory is linear in N.
dm_status oc_torque_transcription_new(oc_torque_transcription **out, const oc_task *task,
                                      const oc_torque_transcription_settings *set, dm_message *msg);
void oc_torque_transcription_free(oc_torque_transcription *w);

// The program, valid as long as w. Its x [n] starts with the knots X [(N+1) size], size = k n, in
// the order q_0, v_0, (a_0,) q_1, ..; the unknowns z = (w, lambda) of nodes follow, then the slacks t of
// penalties, which make the cost smooth.
const oc_nlp *oc_torque_transcription_nlp(const oc_torque_transcription *w);

// Its discrete Lagrangian, with the running cost's reference at knot 0, for oc_newton_new.
dm_second_order *oc_torque_transcription_second(oc_torque_transcription *w);

// The given entries of the ends, NAN if free [size]: end 0 the start, 1 the goal.
const double *oc_torque_transcription_end(const oc_torque_transcription *w, int end);

// The cubic (for k = 3 the quintic) from the start to the goal: X [(N+1) size]. A free q is that of
// the other end, or 0; a free v the mean velocity; a free a 0.
void oc_torque_transcription_cubic(const oc_torque_transcription *w, double *X);

// The knots of a motion with N steps, from its q and v (and a by differences of v), moved into the
// bounds: X [(N+1) size].
void oc_torque_transcription_pack(const oc_torque_transcription *w, const dm_trajectory *traj,
                                  double *X);

// Move the knots of X into the bounds.
void oc_torque_transcription_clip(const oc_torque_transcription *w, double *X);

// Set the slacks after the knots of X [nlp->n] to the required values. Returns the largest one, the
// violation of a bound of *coord at a node; OC_NONE, 0: none.
double oc_torque_transcription_ease(oc_torque_transcription *w, double *X, int *coord);

// A lower bound of the gradient's rounding error due to rounding of the knots near X, about eps |H|
// |X| with |H| of size h^-3: smaller tolerances cannot be reached. For the gradient of the scaled
// program `of`; NULL: of the program itself. Returns DM_OK, or the status of the program at X.
dm_status oc_torque_transcription_rounding(oc_torque_transcription *w, const double *X,
                                           const oc_scaled *of, double *least);

// Write q, v of the knots, p = L_v(q,v), the mean of each step's inputs over its nodes, and impulses of
// constraints at knots to a trajectory of the task's sizes. Returns DM_OK or the status of the Lagrangian.
dm_status oc_torque_transcription_trajectory(oc_torque_transcription *w, const double *X,
                                             dm_trajectory *traj);

DM_END_C
#endif
