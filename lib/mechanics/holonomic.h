// lib/mechanics/holonomic.h: what the rest of the library sees of holonomic constraints h(q) = 0:
// values, Jacobian, and what second-order work needs of the second and third derivatives. The
// constraints of a tree (lib/multibody/constraint.h) are one implementation; a user's C functions
// are another.
#ifndef DM_MECHANICS_HOLONOMIC_H
#define DM_MECHANICS_HOLONOMIC_H
#include "lib/base/status.h"

#include <stddef.h>

DM_BEGIN_C

typedef struct dm_holonomic {
  int nc; // rows
  const void *self;
  size_t scratch; // bytes each caller lends, aligned to 64
  // h [nc] and, where Dh is not NULL, its Jacobian [nc x nq]
  dm_status (*eval)(const void *self, void *scratch, const double *q, double *h, double *Dh);
  // add sum_i lambda_i D2h_i to H [nq x nq]
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *lambda,
                        double *H);
  // along a [nq]: rows D2h_i a into J [nc x nq], and, where T is not NULL, add the derivative of
  // sum_i lambda_i D2h_i along a to T [nq x nq]
  dm_status (*along)(const void *self, void *scratch, const double *q, const double *a,
                     const double *lambda, double *J, double *T);
  const char *(*row_name)(const void *self, int row); // for messages; may be NULL
} dm_holonomic;

DM_END_C
#endif
