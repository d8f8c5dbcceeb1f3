// lib/mechanics/potential.h: potential energies V(q), subtracted from a Lagrangian: L(q,v) - V(q).
//
// The difference is a dm_lagrangian, so that steps, linearizations, programs and energies work
// without change. A dm_potential is V with its derivatives: the springs of a tree
// (lib/multibody/spring.h) implement it; user-defined C functions may as well. For example, a well
// k/4 |q|^4 of two coordinates, with `self` pointing to k:
//
//   static dm_status well(const void *self, void *scratch, int order, const double *q, double *V,
//                         double *V_q, double *V_qq) {
//     double k = *(const double *)self, rr = q[0] * q[0] + q[1] * q[1];
//     *V = k * rr * rr / 4;
//     for (int i = 0; i < 2; i++) {
//       V_q[i] = k * rr * q[i];
//       for (int j = 0; order > 1 && j < 2; j++)
//         V_qq[2 * i + j] = k * (2 * q[i] * q[j] + (i == j ? rr : 0));
//     }
//     return DM_OK;
//   }
//   ... well_along, the derivative of V_qq along a ...
//   dm_potential V = {.nq = 2, .self = &k, .eval = well, .contract = well_along};
//   DM_TRY(dm_conservative_new(&c, &L, &V));
//   system.L = dm_conservative_lagrangian(c);
#ifndef DM_MECHANICS_POTENTIAL_H
#define DM_MECHANICS_POTENTIAL_H
#include "lib/mechanics/lagrangian.h"

DM_BEGIN_C

typedef struct dm_potential {
  int nq;
  const unsigned char *mask; // [nq x nq] symmetric: 0 if V_qq is always zero; 0 on the diagonal if
                             // V does not depend on the coordinate; NULL: no zeros
  const void *self;          // passed to the functions below; may be shared by threads
  size_t scratch;            // bytes of scratch, aligned to 64, that the caller provides
  // V and V_q [nq] (order 1), and V_qq [nq x nq] (order 2; otherwise not to be written). The arrays
  // are zero on entry, V_qq at least at the entries of the mask. Returns DM_OK or a negative
  // status.
  dm_status (*eval)(const void *self, void *scratch, int order, const double *q, double *V,
                    double *V_q, double *V_qq);
  // The derivative of V_qq along a [nq], into an array that is zero on entry. NULL if not
  // available: then the Lagrangian has no third derivatives either.
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *a,
                        double *V_qqa);
} dm_potential;

typedef struct dm_conservative dm_conservative;

// Create the Lagrangian L - V. L and V are copied; their data must outlive it. Returns DM_OK or
// DM_NO_MEMORY. An evaluation costs one evaluation of L and one of V.
dm_status dm_conservative_new(dm_conservative **out, const dm_lagrangian *L, const dm_potential *V);
void dm_conservative_free(dm_conservative *c);
dm_lagrangian dm_conservative_lagrangian(const dm_conservative *c);

DM_END_C
#endif
