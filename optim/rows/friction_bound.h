// optim/rows/friction_bound.h: the bound B(v) h of a joint's dry friction in a step of a program, with its
// derivatives (lib/mechanics/contact_laws.h).
//
//   v = Dr (q' - q)/h        after the last knot  v = Dr v_N
//
// with the Jacobian Dr of a coordinate, which is constant.
#ifndef OC_ROWS_FRICTION_BOUND_H
#define OC_ROWS_FRICTION_BOUND_H
#include "optim/rows/layout.h"

typedef struct oc_friction_bound {
  const oc_transcription *t;
  const double *x;  // the unknowns; NULL: for patterns
  int k, law;       // knot, and a law without a gap
  const double *Dr; // [n] of its row
} oc_friction_bound;

double oc_friction_bound_value(oc_friction_bound b);

// Put its first derivatives into a row, and its second ones, times a multiplier, into the Hessian.
void oc_friction_bound_put(oc_friction_bound b, oc_triplets *s, int row);
void oc_friction_bound_put_hessian(oc_friction_bound b, oc_triplets *s, double multiplier);
#endif
