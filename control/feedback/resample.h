// control/feedback/resample.h: a schedule for a controller that samples at a rate of its own.
//
//   t_j = j / rate    u(t_j) = u_d - K dx, held until t_j+1 (a zero-order hold)
//
// At the fraction s of the step h from knot 0 to knot 1 of the plan, with d = q1 - q0,
//
//   q_d = q0 + s d + s (1-s) ((1-s) (h v0 - d) + s (d - h v1))    the cubic of (q,v) at either side
//   p_d = L_v(q_d, dq_d/dt)
//   u_d = the plan's mean from t_j to t_j+1                       so that its impulse is the plan's
//   K   = K_0, or between: (1-s) K_0 + s K_1
//   P   = (1-s) P_0 + s P_1                                       where an envelope asks for it
//
// A and B are those of a step of 1/rate along that; with them inputs may be one step late
// (control/feedback/delay.h), and a filter goes along (control/feedback/estimator.h).
//
// Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_RESAMPLE_H
#define FB_FEEDBACK_RESAMPLE_H
#include "control/feedback/tvlqr.h"

DM_BEGIN_C

// Samples of one motion, at most: tables of 100 MB and more.
enum { FB_MOST_SAMPLES = 10000000 };

// Sample the schedule f of a motion of the system s.
//   out      as many steps of 1/rate as fit into the motion's time; P is NULL but where the
//            envelope watches a cost; to be freed by fb_tvlqr_free
//   rate     > 0                                                                          Hz
//   between  whether K is interpolated
//   late     steps of 1/rate from an input's decision to its start, 0 or 1; the gain at the end is
//            then that of f's last knot
// Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT, with a sentence in msg, where not one step fits in or
// more than FB_MOST_SAMPLES do,
// where inputs of f are late, where damping is stiff (s->lag), and for constraints or kinematic
// coordinates, whose motion between knots is not known; or why a knot has no velocity, or a step no
// derivatives. On all but DM_OK *out is NULL. Cost: a linearization a step.
dm_status fb_resample_new(fb_tvlqr **out, const fb_tvlqr *f, const dm_system *s, double rate,
                          bool between, int late, dm_message *msg);

// How many steps of 1/rate fit into T [s], but for rounding.
int fb_resample_steps(double T, double rate);

DM_END_C
#endif
