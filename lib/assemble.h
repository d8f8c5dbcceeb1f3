// lib/assemble.h: can the constraints be met, and where?
#ifndef DM_LIB_ASSEMBLE_H
#define DM_LIB_ASSEMBLE_H
#include "lib/system.h"

// Are the constraints independent at q [n]? A pivoted QR factorization of their Jacobian by the
// dynamic coordinates.
// Returns DM_OK; DM_SINGULAR with a sentence that names the first constraint that depends on others
// there, and whether it repeats or contradicts them; DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_assemble_check(const dm_system *s, const double *q, dm_message *msg);

// Move the dynamic coordinates of q [n] by the least change (Newton's method with least-norm steps)
// until the constraints hold to rounding; kinematic coordinates stay.
// Returns DM_OK; DM_INFEASIBLE with a sentence that names the constraint that is farthest from
// being met, and its residual, q untouched; DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_assemble_project(const dm_system *s, double *q, dm_message *msg);

// Change the dynamic velocities of v [n] by the least until they keep the constraints at q,
// Dh(q) v = 0; kinematic ones stay. Returns as above, but for DM_INFEASIBLE.
dm_status dm_assemble_velocity(const dm_system *s, const double *q, double *v, dm_message *msg);
#endif
