// control/feedback/output_feedback.h: the law in what a robot measures. No velocity is estimated.
//
//   state      y = (q, p)
//   velocity   y = (q, v)                      p = L_v(q,v) + Dh(q)'c
//   positions  y = (q_k, q_k-1, u_k-1)         p = D2(q_k-1, q_k, u_k-1): what the step left
//
// Two laws follow from u = u_d - K (x - x_d). The exact one finds p by the robot's mechanics. The
// linear one has it to first order, and needs a table alone:
//
//   u = u_d - G (y - y_d)      velocity   G = [K_q + K_p (L_vq + c D2h), K_p L_vv]
//                              positions  G = [K_q + K_p D22, K_p D21, K_p D2u]
//
// Where a state's q lags (lib/discrete/stiff_damping.h), what is measured stands at Q = q + lag v,
// and G takes that into account: q = Q - lag v, and from positions, of what is stiff, v = (Q_k -
// Q_k-1) / h. A measured state is the map's own.
//
// No velocity has what a momentum has along constraints: c [nc] is that of the plan, and K does not
// see more of it (control/feedback/tvlqr.h). u_k-1 are the forces as applied, limits included. The
// momentum at the first knot, which has no step before it, is taken as planned. Where inputs are a
// step late (control/feedback/delay.h) the input under way follows in y.
//
// Of a schedule with integrals of errors (control/feedback/tvlqr.h) these follow in y, desired 0, with
// the gains Ki in G: z_k+1 = z_k + h (q - q_d)_k of what is measured, but where a limit has cut an
// input of step k: then z stays.
//
// With an envelope (control/feedback/envelope.h) the places measured are held against it before each
// input, those of angles less whole turns as the law takes them; and dx'P dx, which is dy'(J'PJ) dy of
// what is measured, J of the same derivatives as G = K J.
//
// By the path, of states and velocities, the knot whose row of the tables acts is the nearest to y:
//
//   j = the knot before + 1, or that + 0, 2, 3 where it is nearer:   min |y - y_d,j|^2 by weights
//
// the weights those of (q,p), of velocities the mean diagonal of what these come to in (q,v). Time
// plays no part: a robot that is held back is waited for, one that is ahead is not.
//
// With a rate limit the input goes from the one before as far as that lets it, the fallback's as
// well; integrals stay where that, or a limit, has cut an input.
//
// Asked off its knots, at the time t of what is some time old, the law is that of the text's functions
// of time (control/codegen/controller.h), operation by operation:
//
//   u = u_d(t) - G (y - y_d(t - age))
//
// y_d of then, between knots (control/feedback/plan.h), as for the envelope and the integrals; u_d(t)
// the mean over h from t on, on the line; G and J'PJ of the last knot before t; of a rate limit what
// the time since the last call may use, at most a step's. By positions q_k-1 is that of a step h before
// q_k, and u_k-1 the mean of the forces that were applied between. By the path it is asked as on time.
//
// Source: docs/theory.md section 19; paper 001, section III.
#ifndef FB_FEEDBACK_OUTPUT_FEEDBACK_H
#define FB_FEEDBACK_OUTPUT_FEEDBACK_H
#include "control/feedback/measured_law.h"

DM_BEGIN_C

// Make the law of a schedule (which must outlive it, and keep its K) in what is measured.
// Returns DM_OK, DM_NO_MEMORY, or what failed at a knot, with a sentence in msg.
dm_status fb_output_feedback_new(fb_output_feedback **out, const fb_tvlqr *f, const dm_system *s,
                                 fb_form form, bool exact, dm_message *msg);
void fb_output_feedback_free(fb_output_feedback *w);

// Find what is measured at knot k, into w->y: from x = (q,p) [nx], the configuration before [n], as
// it was measured (the first n of w->y; of an exact law that of its state), and the forces applied
// since [>= nf], which are not read at k = 0. Returns DM_OK or why there is no velocity. No
// allocation.
dm_status fb_output_feedback_measure(fb_output_feedback *w, int k, const double *x,
                                     const double *q_before, const double *u_before);

// Say that what is measured next is age [s] old when the law is asked of it, at t [s]; otherwise it is of
// its knot. By the path it is taken so in any case.
void fb_output_feedback_date(fb_output_feedback *w, double t, double age);

// Say what would have been measured a step before what is measured next, by positions: (q,p) [nx];
// otherwise that is what was measured last.
void fb_output_feedback_look_back(fb_output_feedback *w, const double *x);

// Let runs end at knot N, of N <= w->N, where the desired states are x [(N+1) x nx], borrowed; the tables
// go on, for times between the last two knots.
void fb_output_feedback_stop_at(fb_output_feedback *w, int N, double *x);

// Whether entry j of y is an angle of which a turn more is no error.
bool fb_output_feedback_turns(const fb_output_feedback *w, int j);

// Find the input u [nu] of what was measured last, w->y with speeds w->v, by the on-board code: of knot k, or
// of the times that were told; w->at is the knot that acted. Without limits of inputs, within those of
// rates; the fallback's once the envelope was left. k = 0 begins a run, whose knots come in turn.
//   acting  [nu] what acts beside the inputs, which is taken off; NULL: nothing
void fb_output_feedback_decide(fb_output_feedback *w, int k, const double *acting, double *u);

DM_END_C
#endif
