// optim/nlp/optimality.h: how far a point of a program is from an optimum, by its own multipliers.
//
//   dual       max_j |f' + J'lambda - z_l + z_u|_j, of the variables that are not fixed
//   gap        sum of each multiplier times the distance to its bound: what the barrier still holds
//
// A point that a solver ends at without reaching its tolerance is acceptable where
//
//   violation <= 2 max(tol, 1e-9)                      it solves the equations, as `solved` asks
//   dual      <= 1e-6 s,  s = max(100, mean |multiplier|) / 100       IPOPT's acceptable level
//   dual      <= 1e-6 of the largest of |f'|, |J'lambda|, |z|         whatever the objective's unit
//   gap       <= 1e-6 |f|                              six digits of the objective,
//             or <= max(tol, 1e-9) min(1, size) a bound     no more than `solved` leaves
//
// Source: [waechter-biegler-2006], equations 5 and 6, in docs/sources.md.
#ifndef OC_NLP_OPTIMALITY_H
#define OC_NLP_OPTIMALITY_H
#include "optim/nlp/nlp.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct oc_optimality {
  double objective;
  double violation; // largest, of rows and bounds, as the program has them
  double dual;      // as above
  double scale;     // s above, >= 1
  double size;      // the largest entry of |f'|, |J'lambda|, |z_l|, |z_u|
  double gap;       // as above
  int bounds;       // multipliers that are part of it
} oc_optimality;

// Measure a point with its multipliers. Returns DM_OK, DM_NO_MEMORY, DM_NOT_FINITE where a number
// of the program or a multiplier is not, or the program's failure. Cost: one evaluation of f, g and
// their first derivatives; allocates.
dm_status oc_optimality_measure(const oc_nlp *nlp, const oc_point *at, oc_optimality *out);

// Whether such a point is acceptable to the tolerance tol, by the four lines above.
bool oc_optimality_accept(const oc_optimality *o, double tol);

DM_END_C
#endif
