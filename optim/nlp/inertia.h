// optim/nlp/inertia.h: whether a stationary point of a program is a minimum: the inertia of the
// reduced Hessian, f'' + lambda.g'' on the null space of the equations and the active limits.
#ifndef OC_NLP_INERTIA_H
#define OC_NLP_INERTIA_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef enum oc_inertia_kind {
  OC_INERTIA_UNKNOWN, // not measured
  OC_INERTIA_MINIMUM, // positive curvature in all directions: a strict local minimum
  OC_INERTIA_FLAT,    // degenerate: no negative curvature beyond rounding, some zero
  OC_INERTIA_SADDLE   // some negative curvature: a saddle, or a maximum
} oc_inertia_kind;

typedef struct oc_inertia {
  oc_inertia_kind kind;
  // Numbers of directions, for independent rows. A direction with zero curvature may show the
  // curvature of inexact multipliers: `zero` may then be too small, unless it is the last one.
  int positive, zero, negative;
  int active; // limits treated as equations
} oc_inertia;

DM_END_C
#endif
