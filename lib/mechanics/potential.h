// lib/mechanics/potential.h: potential energies V(q), taken off a Lagrangian: L(q,v) - V(q).
//
// The rest of the library sees the difference as one dm_lagrangian: steps, linearizations,
// programs and energies hold for it as they are. A dm_potential is V with its derivatives: the
// springs of a tree (lib/multibody/spring.h) are one implementation, a user's C functions another.
// A well k/4 |q|^4 of two coordinates, `self` pointing at k, L the tree's Lagrangian or a user's
// own:
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
  const unsigned char *mask; // [nq x nq] symmetric: 0 where V_qq vanishes always, and on the
                             // diagonal of a coordinate that V does not depend on; NULL: nowhere
  const void *self;          // handed to the functions below; may be shared by threads
  size_t scratch;            // bytes each caller lends to them, aligned to 64
  // V and V_q [nq] (order 1), and V_qq [nq x nq] (order 2; else not to be touched), into arrays
  // that are zero, of V_qq where the mask is not. Returns DM_OK or a negative status.
  dm_status (*eval)(const void *self, void *scratch, int order, const double *q, double *V,
                    double *V_q, double *V_qq);
  // the derivative of V_qq along a [nq], into such an array. NULL where there is none to offer:
  // then the Lagrangian has none either.
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *a,
                        double *V_qqa);
} dm_potential;

typedef struct dm_conservative dm_conservative;

// The Lagrangian L - V. L and V are copied; what they point at must outlive it.
// Returns DM_OK or DM_NO_MEMORY. An evaluation costs L's and V's.
dm_status dm_conservative_new(dm_conservative **out, const dm_lagrangian *L, const dm_potential *V);
void dm_conservative_free(dm_conservative *c);
dm_lagrangian dm_conservative_lagrangian(const dm_conservative *c);

DM_END_C
#endif
