// lib/multibody/impulse_shares.h: impulses of all constraint rows, including the redundant rows
// that were removed (dm_constraints_drop).
//
// A rigid model determines Dh'lambda, but not how redundant rows share it. Among all lambda with
// the same generalized force, the function returns the one of least norm:
//
//   min sum_i (f_i lambda_i)^2    subject to    sum_i Dh_i' lambda_i = sum_(i kept) Dh_i' kappa_i
//
// where kappa are the impulses of the kept rows and f_i is dm_constraints_force, so that all terms
// are force impulses in N s and the result does not depend on units. The result does not depend on
// which rows were kept, and it is symmetric for a symmetric mechanism. A row with a zero gradient
// gets zero.
//
// Source: docs/theory.md section 9.
#ifndef DM_MULTIBODY_IMPULSE_SHARES_H
#define DM_MULTIBODY_IMPULSE_SHARES_H
#include "lib/multibody/constraint.h"

DM_BEGIN_C

typedef struct dm_impulse_shares dm_impulse_shares;

// A workspace for constraints of m, both of which must outlive it. The lever arm of moments is the
// robot's own length: the largest distance from a joint to its parent joint, or from a body to a
// constrained point; 1 m if all are zero. Returns NULL if out of memory.
dm_impulse_shares *dm_impulse_shares_new(const dm_model *m, const dm_constraints *c);
void dm_impulse_shares_free(dm_impulse_shares *w); // accepts NULL

// Distribute the impulses of a step among all rows.
//   q        [nq] configuration
//   lambda   [dm_constraints_count(c)] impulses of the kept rows
//   shares   out [dm_constraints_all(c)] impulses, indexed by dm_constraints_number
// Returns DM_OK; DM_NOT_FINITE or DM_NO_MEMORY with shares untouched. Cost: a singular value
// decomposition of
// an nq x all matrix, for which LAPACKE allocates.
dm_status dm_impulse_shares_find(dm_impulse_shares *w, const double *q, const double *lambda,
                                 double *shares);

DM_END_C
#endif
