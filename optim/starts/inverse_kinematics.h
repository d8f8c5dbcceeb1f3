// optim/starts/inverse_kinematics.h: configurations that satisfy a task's outputs at a knot: they turn a goal
// in space into a goal in joint coordinates for a guess.
#ifndef OC_STARTS_INVERSE_KINEMATICS_H
#define OC_STARTS_INVERSE_KINEMATICS_H
#include "optim/task/task.h"

#include <stdint.h>

DM_BEGIN_C

// Does the task prescribe outputs at knot k alone: a via point, or the goal? If outputs follow a curve, this
// is true for every knot (optim/starts/curve_timing.h).
bool oc_is_waypoint(const oc_task *t, int k);

// Does any knot have prescribed outputs? Then several postures may satisfy the task.
bool oc_has_waypoints(const oc_task *t);

// Move q [n] to satisfy the limits on outputs at knot k, the system's constraints and the limits of
// positions. Newton's method with least-norm steps starts from q and from random points increasingly far from
// it; the nearest solution found is taken. Angles are within half a revolution of q unless limits require
// more.
// do not ask for more.
//   fixed  [n] coordinates that are kept, or NULL
//   branch 0: near q; along a curve with k > 0, the first solution found. Otherwise starting points are drawn
//   within the limits (within pi of q if there are no limits) from this seed only, so that different seeds
//   lead to different postures
// Returns DM_OK; DM_INFEASIBLE if no solution was found, with q unchanged and a sentence that names the
// violated limit; DM_NO_MEMORY. Allocates; for setup.
dm_status oc_inverse_kinematics(const oc_task *t, int k, const bool *fixed, uint64_t branch,
                                double *q, dm_message *msg);

DM_END_C
#endif
