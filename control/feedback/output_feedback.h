// control/feedback/output_feedback.h: the law in terms of a robot's measurements.
//
//   state      y = (q, p)
//   velocity   y = (q, v)                      p = L_v(q,v) + Dh(q)'c
//   positions  y = (q_k, q_k-1, u_k-1)         p = D2(q_k-1, q_k, u_k-1), of the last step
//   difference as velocity, with v = (q - q of the last call) / the time between both measurements,
//              which the on-board code finds (control/onboard/difference.c); at first v_d
//
// Two laws follow from u = u_d - K (x - x_d). The exact one computes p by the robot's mechanics.
// The linear one approximates p to first order, and needs only a table:
//
//   u = u_d - G (y - y_d)      velocity   G = [K_q + K_p (L_vq + c D2h), K_p L_vv]
//                              positions  G = [K_q + K_p D22, K_p D21, K_p D2u]
//
// If a state's q lags (lib/discrete/stiff_damping.h), the measured position is Q = q + lag v, and G
// accounts for it: q = Q - lag v, and from positions, for stiff coordinates, v = (Q_k - Q_k-1) / h.
// A measured state is the map's own.
//
// A velocity does not determine the component of a momentum along constraints: c [nc] is the
// plan's, and K ignores the rest (control/feedback/tvlqr.h). u_k-1 are the applied forces, limits
// included. At the first knot, which has no step before it, the momentum is the planned one. If
// inputs are a step late (control/feedback/delay.h), the input under way follows in y.
//
// For a schedule with integrals of errors (control/feedback/tvlqr.h), these follow in y, with
// desired value 0 and the gains Ki in G: z_k+1 = z_k + h (q - q_d)_k from measurements. If a limit
// has cut an input of step k, z stays.
//
// With an envelope (control/feedback/envelope.h), the measured positions are checked before each
// input, angles modulo 2 pi as in the law; and dx'P dx is dy'(J'PJ) dy in terms of measurements,
// where J has the same derivatives as G = K J.
//
// By the path, for states and velocities, the active row of the tables is the knot nearest to y:
//
//   j = the previous knot + 1, or + 0, 2, 3 if that is nearer:   min |y - y_d,j|^2 with weights
//
// The weights are those of (q,p); for velocities, the mean diagonal of their transform to (q,v).
// Time plays no role: the plan waits for a robot that is held back, and skips ahead for one that is
// early.
//
// With a rate limit the input moves from the previous one as far as the limit allows, also in the
// fallback; integrals stay if this limit, or an input limit, has cut an input.
//
// Evaluated off its knots, at time t with a measurement of some age, the law equals the text's
// functions of time (control/codegen/controller.h), operation by operation:
//
//   u = u_d(t) - G (y - y_d(t - age))
//
// y_d(t - age) is interpolated between knots (control/feedback/plan.h), also for the envelope and
// the integrals. u_d(t) is the mean over h from t on, linear in between. G and J'PJ belong to the
// last knot before t. A rate limit applies to the time since the last call, at most one step. By
// positions, q_k-1 is from a step h before q_k, and u_k-1 the mean of the forces applied in
// between. By the path, calls are treated as on time.
//
// Source: docs/theory.md section 19; paper 001, section III.
#ifndef FB_FEEDBACK_OUTPUT_FEEDBACK_H
#define FB_FEEDBACK_OUTPUT_FEEDBACK_H
#include "control/feedback/measured_law.h"

DM_BEGIN_C

// Make the law of a schedule (which must outlive it, and keep its K) in terms of measurements.
// Returns DM_OK, DM_NO_MEMORY, or the status of the knot that failed, with a sentence in msg.
dm_status fb_output_feedback_new(fb_output_feedback **out, const fb_tvlqr *f, const dm_system *s,
                                 fb_form form, bool exact, dm_message *msg);
void fb_output_feedback_free(fb_output_feedback *w);

// Compute the measurement at knot k, into w->y: from x = (q,p) [nx], the previous configuration [n]
// as measured (the first n of w->y; for an exact law the state's), and the forces applied since [>=
// nf], which are not read at k = 0. Returns DM_OK, or the reason why there is no velocity. No
// allocation.
dm_status fb_output_feedback_measure(fb_output_feedback *w, int k, const double *x,
                                     const double *q_before, const double *u_before);

// Set the age [s] of the next measurement when the law is evaluated at t [s]; without this call it
// belongs to its knot. By the path, it is always taken so.
void fb_output_feedback_date(fb_output_feedback *w, double t, double age);

// Set the measurement one step before the next one, for positions: (q,p) [nx]; without this call it
// is the last measurement.
void fb_output_feedback_look_back(fb_output_feedback *w, const double *x);

// End runs at knot N <= w->N, with the desired states x [(N+1) x nx], borrowed; the tables
// continue, for times between the last two knots.
void fb_output_feedback_stop_at(fb_output_feedback *w, int N, double *x);

// Whether entry j of y is an angle whose errors are taken modulo 2 pi.
bool fb_output_feedback_turns(const fb_output_feedback *w, int j);

// Run from now on without the envelope, without the rate limits, or again with all that the law was
// made with. Returns DM_OK (always, if nothing is left out), or DM_NO_MEMORY with the law as it was made.
dm_status fb_output_feedback_leave_out(fb_output_feedback *w, bool envelope, bool rate_limits);

// Find the input u [nu] for the last measurement, w->y with speeds w->v, by the on-board code: at
// knot k, or at the times that were set; w->at is the knot whose gains acted. Applies rate limits
// but not input limits; returns the fallback once the envelope was left. k = 0 begins a run; knots
// must follow in sequence.
//   acting  [nu] input disturbances, which are subtracted; NULL: none
void fb_output_feedback_decide(fb_output_feedback *w, int k, const double *acting, double *u);

DM_END_C
#endif
