// lib/mechanics/differenced.h: a Lagrangian without third derivatives, completed by differences of its Hessian H along a
// direction a,
//
//   T(a) = (8 (H(x + e a) - H(x - e a)) - (H(x + 2 e a) - H(x - 2 e a))) / 12 e + O(e^4)      x = (q, v)
//
// with the step e = eps^(1/5) over the largest component of a in its unit, where truncation and rounding are of one size:
// an error of about eps^(4/5) = 3e-13 of the Hessian's size in these units. Programs with it converge as with exact third
// derivatives, and `check` measures the error. lib/mechanics/hyperdual.h has exact ones.
//
//   static dm_differenced whole;
//   whole.L = L;                                   // eval alone
//   s.L = dm_differenced_lagrangian(&whole);
#ifndef DM_MECHANICS_DIFFERENCED_H
#define DM_MECHANICS_DIFFERENCED_H
#include "lib/mechanics/lagrangian.h"

DM_BEGIN_C

typedef struct dm_differenced {
  dm_lagrangian L;    // without contract
  const double *size; // [2 nq] > 0, units of q and v over which L changes; NULL: 1 each
} dm_differenced;

// Its interface with third derivatives; c must outlive it. Cost of these: four Hessians. No allocation.
dm_lagrangian dm_differenced_lagrangian(const dm_differenced *c);

// Whether a Lagrangian is one of these.
bool dm_lagrangian_is_differenced(const dm_lagrangian *L);

// The error of T(a), as the largest change of an entry if e is doubled, relative to the largest entry of T; and
// the order by which it grows from steps of 16 e to 32 e, 4, or NAN if this is rounding.
//   room  scratch of `L`, and 6 nq^2 doubles behind it
// Returns DM_OK or the status of L.
dm_status dm_differenced_error(const dm_lagrangian *L, void *room, const double *q, const double *v,
                               const double *a_q, const double *a_v, double *error, double *order);

DM_END_C
#endif
