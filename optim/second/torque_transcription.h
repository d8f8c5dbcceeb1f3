// optim/second/torque_transcription.h: a task as a program in the knots X_k = (q_k,v_k) alone: the
// sum of a discrete Lagrangian of second order (lib/second/second_order.h), the forces being those
// that the motion needs (lib/second/torque_cost.h). Of order k = 3 a knot is (q_k,v_k,a_k).
//
//   minimize    J = sum_k h sum_s w_s (c(q,v,u) + C(x)) + terminal cost at X_N
//                                                        k = 0..N-1, nodes s
//   subject to  u_min <= u_i <= u_max   at every node, of a coordinate whose input has a limit
//               u_i = 0                 at every node, of a coordinate without input
//               q_min <= q_k <= q_max, |v_k| <= v_max,   the given entries of X_0, X_N
//               q - t <= q_max, q + t >= q_min, t >= 0 at every node, of a coordinate with a
//                                       penalty, which costs slope t in place of the bound
//               |v| <= v_max            in the middle of every step, too, on the polynomial through
//                                       its knots: else a motion may go fast between slow knots
//
// with u = tau(q,v,a) + damping v - f(q,v), c = 1/2 sum w (x - ref)^2 over q, v, u, and C(x) a
// Lagrangian of one's own, x = (q, .., q^(k)), without which k = 2 and every input costs. References of
// q, v run straight from knot to knot, that of u is held over a step. The momenta are eliminated,
// and so are the inputs: the Hessian is block tridiagonal.
//
// Source: paper 003; docs/theory.md sections 13 to 15.
#ifndef OC_SECOND_TORQUE_TRANSCRIPTION_H
#define OC_SECOND_TORQUE_TRANSCRIPTION_H
#include "optim/nlp/scaled.h"
#include "optim/second/torque_layout.h"

DM_BEGIN_C

// Hold a task against what such a program can be made of: oc_task_check, and joint forces as
// inputs, one a coordinate (or none, where underactuated), each with a cost unless there is a
// Lagrangian of one's own; no constraints, kinematic coordinates, free time, costs on momentum. Returns DM_OK; or DM_BAD_INPUT (DM_SINGULAR
// where the rule is degenerate) with a sentence in msg, and in *key (may be NULL) which key of a
// problem it is about: "model.constraints".
dm_status oc_torque_transcription_check(const oc_task *task,
                                        const oc_torque_transcription_settings *set,
                                        const char **key, dm_message *msg);

// Does anything but given ends bind the knots, or is the cost other than a Lagrangian C(q,v,a)?
// Then it is no boundary value problem for optim/second/newton_bvp.h, and msg (may be NULL) says
// what is found.
bool oc_torque_transcription_binds(const oc_task *task, const oc_torque_transcription_settings *set,
                                   dm_message *msg);

// Build the program. The arrays of task and set, and m, are borrowed. Returns DM_OK, DM_NO_MEMORY,
// or what oc_torque_transcription_check returns. Memory is linear in N.
dm_status oc_torque_transcription_new(oc_torque_transcription **out, const oc_task *task,
                                      const oc_torque_transcription_settings *set, dm_message *msg);
void oc_torque_transcription_free(oc_torque_transcription *w);

// The program; valid as long as w. Its x [n] begins with q_0, v_0, (a_0,) q_1, .. in this order, the
// knots X [(N+1) size], size = k n; slacks t of penalties follow, so that what x costs has no kink.
const oc_nlp *oc_torque_transcription_nlp(const oc_torque_transcription *w);

// Its discrete Lagrangian, with the running cost's reference that of knot 0, for oc_newton_new.
dm_second_order *oc_torque_transcription_second(oc_torque_transcription *w);

// The given entries of the ends, NAN where free [size]: end 0 the start, 1 the goal.
const double *oc_torque_transcription_end(const oc_torque_transcription *w, int end);

// The cubic (of k = 3 the quintic) from the start to the goal: X [(N+1) size]. A free q takes the
// other end's value, or 0, a free v the mean velocity, a free a 0.
void oc_torque_transcription_cubic(const oc_torque_transcription *w, double *X);

// The knots of a motion of the task's N, its q and v (and a by differences of v), moved into the
// bounds: X [(N+1) size].
void oc_torque_transcription_pack(const oc_torque_transcription *w, const dm_trajectory *traj,
                                  double *X);

// Move the knots of X into the bounds.
void oc_torque_transcription_clip(const oc_torque_transcription *w, double *X);

// Put the slacks behind the knots of X [nlp->n] to what these need. Returns the largest, by which
// *coord passes its bound at a node; OC_NONE, 0: none does.
double oc_torque_transcription_ease(oc_torque_transcription *w, double *X, int *coord);

// What rounding of the knots near X leaves in the gradient at least, some eps |H| |X| with |H| of
// size h^-3: to ask for less than this is to ask in vain. It is the gradient of the scaled program `of`; NULL:
// of the program itself. Returns DM_OK, or what the program does
// at X.
dm_status oc_torque_transcription_rounding(oc_torque_transcription *w, const double *X,
                                           const oc_scaled *of, double *least);

// q, v of the knots, p = L_v(q,v), and the mean of each step's inputs over its nodes, into a
// trajectory of the task's N and sizes. Returns DM_OK or what the Lagrangian returns.
dm_status oc_torque_transcription_trajectory(oc_torque_transcription *w, const double *X,
                                             dm_trajectory *traj);

DM_END_C
#endif
