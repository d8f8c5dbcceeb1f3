// optim/nlp/optimality.h: the optimality error of a point of a program, with its multipliers.
//
//   dual       max_j |f' + J'lambda - z_l + z_u|_j over the free variables
//   gap        sum of each multiplier times the distance to its bound
//
// A point at which a solver ends without reaching its tolerance is acceptable if
//
//   violation <= 2 max(tol, 1e-9)                      the requirement of `solved`
//   dual      <= 1e-6 s,  s = max(100, mean |multiplier|) / 100       IPOPT's acceptable level
//   dual      <= 1e-6 of the largest of |f'|, |J'lambda|, |z|         for any unit of the objective
//   gap       <= 1e-6 |f|                              six digits of the objective,
//             or <= max(tol, 1e-9) min(1, size) per bound     the requirement of `solved`
//
// Source: [waechter-biegler-2006], equations 5 and 6, in docs/sources.md.
#ifndef OC_NLP_OPTIMALITY_H
#define OC_NLP_OPTIMALITY_H
#include "optim/nlp/nlp.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct oc_optimality {
  double objective;
  double violation; // largest, of rows and bounds, unscaled
  double dual;      // as above
  double scale;     // s above, >= 1
  double size;      // largest entry of |f'|, |J'lambda|, |z_l|, |z_u|
  double gap;       // as above
  int bounds;       // number of multipliers in the gap
} oc_optimality;

// Measure a point with its multipliers. Returns DM_OK, DM_NO_MEMORY, DM_NOT_FINITE if a value of
// the program or a multiplier is not finite, or the failure of the program. Cost: one evaluation of
// f, g and their first derivatives; allocates.
dm_status oc_optimality_measure(const oc_nlp *nlp, const oc_point *at, oc_optimality *out);

// Returns true if the point is acceptable for the tolerance tol by the four conditions above.
bool oc_optimality_accept(const oc_optimality *o, double tol);

DM_END_C
#endif
