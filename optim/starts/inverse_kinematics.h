// optim/starts/inverse_kinematics.h: configurations at which a task's outputs are what it asks
// for at a knot: a goal in space becomes a goal in joints, for a guess to lead to.
#ifndef OC_STARTS_INVERSE_KINEMATICS_H
#define OC_STARTS_INVERSE_KINEMATICS_H
#include "optim/task/task.h"

#include <stdint.h>

DM_BEGIN_C

// Are there outputs that the task gives a value at knot k alone: a via point, or the goal? Where
// outputs follow a curve, every knot is one (optim/starts/curve_timing.h).
bool oc_is_waypoint(const oc_task *t, int k);

// Are there any such knots? Then several postures may have what the task gives.
bool oc_has_waypoints(const oc_task *t);

// Move q [n] to where the limits on outputs of knot k hold, with the system's constraints and within
// the limits of positions. Newton's method with least-norm steps from q and from places drawn about
// it, ever further; the nearest that is found is taken. An angle is within half a turn of q where limits
// do not ask for more.
//   fixed  [n] coordinates that stay, or NULL
//   branch 0: near q, and along a curve, k > 0, the first that is found; else from places drawn within the limits (pi to either side where there are
//          none) by this seed alone, so that different ones come to different postures
// Returns DM_OK; DM_INFEASIBLE where none was found, q untouched, with a sentence that names what was
// missed; DM_NO_MEMORY. Allocates; for setup.
dm_status oc_inverse_kinematics(const oc_task *t, int k, const bool *fixed, uint64_t branch,
                                double *q, dm_message *msg);

DM_END_C
#endif
