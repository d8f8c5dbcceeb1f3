// optim/nlp/inertia.h: whether a stationary point of a program is a minimum: the inertia of the reduced
// Hessian, that is of f'' + lambda.g'' on the directions along which neither the equations nor the
// active limits change.
#ifndef OC_NLP_INERTIA_H
#define OC_NLP_INERTIA_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef enum oc_inertia_kind {
  OC_INERTIA_UNKNOWN, // not measured
  OC_INERTIA_MINIMUM, // all directions curve upward: a strict local minimum
  OC_INERTIA_FLAT,    // degenerate: none curves downward beyond rounding, and some not at all
  OC_INERTIA_SADDLE   // some curve downward: a saddle, or a maximum where none curves upward
} oc_inertia_kind;

typedef struct oc_inertia {
  oc_inertia_kind kind;
  // How many directions, of rows that are independent. What is zero by the task may curve by what the
  // tolerance leaves of multipliers: `zero` may be too small then, but for a last one.
  int positive, zero, negative;
  int active; // limits that count as equations
} oc_inertia;

DM_END_C
#endif
