// control/feedback/rest.h: rest at the end of a motion, for as long as the
// task asks.
//
//   x_0 .. x_N, then x* .. x*     0 = D1(q*,q*,u*) + D2(q*,q*,u*) - Dh(q*)' lambda*
//
// D1 and D2 are the momenta that a step from q* to q* begins and ends with, forces included
// (lib/discrete/interval.h); u* and lambda* are the inputs and impulses that keep it there. The
// place of rest is the motion's last configuration, or else the nearest one there is, by Newton's
// method (lib/discrete/equilibrium.h). Along the longer motion a schedule whose last steps are rest
// (fb_weights.rest) has the steady gain there: one law for all later times.
//
// Source: docs/theory.md section 20.
#ifndef FB_FEEDBACK_REST_H
#define FB_FEEDBACK_REST_H
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

typedef struct fb_rest_settings {
  double time;      // to keep the end for, > 0: so many whole steps as cover it            s
  double max_steps; // a time that takes more is refused
  double near; // how far from the motion's end rest may be: of a radian, or of the robot's extent
  const double *u_min, *u_max;             // [nu] limits of inputs at rest; NULL: none
  const char *const *coord, *const *input; // names [n], [nu], for messages; NULL: numbered
} fb_rest_settings;

// One second, a million steps, 0.1, no limits, no names.
fb_rest_settings fb_rest_default(void);

// Append rest to the motion x of the system s.
//   out    the longer motion, to be freed by dm_trajectory_free
//   steps  out: how many of its last steps are rest
//   off    out: how far rest is from the motion's end, max |q* - q_N|           rad or m
// Returns DM_OK; DM_BAD_INPUT for too many steps; DM_INFEASIBLE where there is no rest near the
// end, or none within limits; DM_NO_MEMORY or what failed. On all but DM_OK *out is NULL, and a
// sentence in msg names the coordinate or input. Cost: Newton's method for one place of rest, and
// the motion's copy.
dm_status fb_rest_append(dm_trajectory **out, const dm_trajectory *x, const dm_system *s,
                         const fb_rest_settings *set, int *steps, double *off, dm_message *msg);

DM_END_C
#endif
