// control/feedback/resample.h: resamples a schedule at the rate of a controller.
//
//   t_j = j / rate    u(t_j) = u_d - K dx, held until t_j+1 (a zero-order hold)
//
// At the fraction s of the step h from knot 0 to knot 1 of the plan, of any length, with d = q1 - q0,
//
//   q_d = q0 + s d + s (1-s) ((1-s) (h v0 - d) + s (d - h v1))    the cubic of (q,v) at both ends
//   p_d = L_v(q_d, dq_d/dt)
//   u_d = the plan's mean from t_j to t_j+1                       its impulse equals the plan's
//   K   = K_0, or interpolated: (1-s) K_0 + s K_1
//   P   = (1-s) P_0 + s P_1                                       if an envelope needs it
//
// A and B are those of steps of 1/rate along this motion; with them inputs may be one step late
// (control/feedback/delay.h), and a filter can be used (control/feedback/estimator.h).
//
// Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_RESAMPLE_H
#define FB_FEEDBACK_RESAMPLE_H
#include "control/feedback/tvlqr.h"

DM_BEGIN_C

// Maximum number of samples of one motion: tables of 100 MB and more.
enum { FB_MOST_SAMPLES = 10000000 };

// Sample the schedule f of a motion of the system s.
//   out      as many steps of 1/rate as fit into the duration of the motion; P is NULL unless the
//            envelope monitors a cost; free it with fb_tvlqr_free
//   rate     > 0 [Hz]
//   between  whether K is interpolated
//   late     steps of 1/rate from an input's decision to its start, 0 or 1; the final gain is then
//            that of f's last knot
// Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT, with a sentence in msg, if no step or more than
// FB_MOST_SAMPLES fit, if f has late inputs, if damping is stiff (s->lag), and for constraints or
// kinematic coordinates, whose motion between knots is not known; or the reason why a knot has no
// velocity or a step no derivatives. On all but DM_OK *out is NULL. Cost: a linearization per step.
dm_status fb_resample_new(fb_tvlqr **out, const fb_tvlqr *f, const dm_system *s, double rate,
                          bool between, int late, dm_message *msg);

// The number of steps of 1/rate that fit into T [s], up to rounding.
int fb_resample_steps(double T, double rate);

DM_END_C
#endif
