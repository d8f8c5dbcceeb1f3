// control/feedback/resample.h: a schedule for a controller that samples at a rate of its own.
//
//   t_j = j / rate    u(t_j) = u_d - K dx, held until t_j+1
//
// Between knots q_d is the cubic of (q,v) at either side, p_d = L_v of it and of its rate. u_d is
// the plan's mean from t_j to t_j+1, so that its impulse is the plan's. K is that of the knot
// before, or between two knots on the straight line. A and B are those of a step of 1/rate along
// that; with them inputs may be one step late (control/feedback/delay.h), and a filter goes along.
//
// Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_RESAMPLE_H
#define FB_FEEDBACK_RESAMPLE_H
#include "control/feedback/tvlqr.h"

DM_BEGIN_C

// The schedule f of a motion of s at a rate [Hz] > 0: as many steps of 1/rate as fit into its time;
// to be freed by fb_tvlqr_free, without P. between: K is interpolated. late: steps
// of 1/rate from an input's decision to its start, 0 or 1; what f does after its end it goes on
// with.
// Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT, with a sentence in msg, where not one step fits in,
// where inputs of f are late, and for constraints or kinematic coordinates, whose motion between
// knots is not known; or why a knot has no velocity,
// or a step no derivatives. Cost: a linearization a step.
dm_status fb_resample_new(fb_tvlqr **out, const fb_tvlqr *f, const dm_system *s, double rate,
                          bool between, int late, dm_message *msg);

// How many steps of 1/rate fit into T [s], but for rounding.
int fb_resample_steps(double T, double rate);

DM_END_C
#endif
