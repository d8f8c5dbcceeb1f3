// control/feedback/rest.h: holds the robot at rest at the end of a motion, as long as the task
// requests.
//
//   x_0 .. x_N, then x* .. x*     0 = D1(q*,q*,u*) + D2(q*,q*,u*) - Dh(q*)' lambda*
//
// D1 and D2 are the momenta at the start and the end of a step from q* to q*, forces included
// (lib/discrete/interval.h); u* and lambda* are the inputs and impulses that hold it there. The
// equilibrium is the motion's last configuration, or else the nearest one, found by Newton's method
// (lib/discrete/equilibrium.h). On the extended motion, a schedule whose last steps are at rest
// (fb_weights.rest) has the steady gain there: one law for all later times.
//
// Source: docs/theory.md section 20.
#ifndef FB_FEEDBACK_REST_H
#define FB_FEEDBACK_REST_H
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

typedef struct fb_rest_settings {
  double time;      // duration of rest at the end, > 0: rounded up to whole steps [s]
  double max_steps; // a longer duration is rejected
  double near;      // maximum distance between the motion's end and the equilibrium: in radians, or
                    // relative to the robot's extent
  const double *u_min, *u_max;             // [nu] input limits at rest; NULL: none
  const char *const *coord, *const *input; // names [n], [nu], for messages; NULL: numbered
} fb_rest_settings;

// One second, a million steps, 0.1, no limits, no names.
fb_rest_settings fb_rest_default(void);

// Append rest to the motion x of the system s.
//   out    the longer motion, to be freed by dm_trajectory_free
//   steps  out: number of its last steps at rest
//   off    out: distance between the equilibrium and the motion's end, max |q* - q_N| [rad or m]
// Returns DM_OK; DM_BAD_INPUT for too many steps; DM_INFEASIBLE if there is no equilibrium near the
// end, or none within the limits; DM_NO_MEMORY or another failure. On all but DM_OK, *out is NULL,
// and a sentence in msg names the coordinate or input. Cost: Newton's method for one equilibrium,
// and a copy of the motion.
dm_status fb_rest_append(dm_trajectory **out, const dm_trajectory *x, const dm_system *s,
                         const fb_rest_settings *set, int *steps, double *off, dm_message *msg);

DM_END_C
#endif
