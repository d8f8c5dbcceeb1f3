// lib/multibody/impulse_shares.h: impulses of all rows of constraints, of which some repeat others and
// were removed (dm_constraints_drop).
//
// A rigid model determines Dh'lambda, but not how rows that repeat one another share it. Among all lambda
// with the same force the function takes the one of least norm:
//
//   min sum_i (f_i lambda_i)^2    subject to    sum_i Dh_i' lambda_i = sum_(i kept) Dh_i' kappa_i
//
// with kappa the impulses of the rows that stayed, and f_i of dm_constraints_force, so that all terms are
// force impulses in N s and the result does not depend on units. It is the same for any choice of
// the rows that stay, and symmetric for a symmetric mechanism. A row with a zero gradient gets zero.
//
// Source: docs/theory.md section 9.
#ifndef DM_MULTIBODY_IMPULSE_SHARES_H
#define DM_MULTIBODY_IMPULSE_SHARES_H
#include "lib/multibody/constraint.h"

DM_BEGIN_C

typedef struct dm_impulse_shares dm_impulse_shares;

// A workspace for constraints of m, both of which must outlive it. The arm of moments is the robot's own
// length: the largest distance from a joint to the joint before it, or from a body to a point that is
// constrained; 1 m if all are zero. Returns NULL if there is no memory.
dm_impulse_shares *dm_impulse_shares_new(const dm_model *m, const dm_constraints *c);
void dm_impulse_shares_free(dm_impulse_shares *w); // accepts NULL

// Distribute the impulses of a step among all rows.
//   q        [nq] where they act
//   lambda   [dm_constraints_count(c)] impulses of the rows that stayed
//   shares   out [dm_constraints_all(c)] impulses by dm_constraints_number
// Returns DM_OK; DM_NOT_FINITE or DM_NO_MEMORY with shares untouched. Cost: a singular value decomposition of an
// nq x all matrix, for which LAPACKE allocates.
dm_status dm_impulse_shares_find(dm_impulse_shares *w, const double *q, const double *lambda,
                                 double *shares);

DM_END_C
#endif
