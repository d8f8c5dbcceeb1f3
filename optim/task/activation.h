// optim/task/activation.h: the activation a(e) of a cost, weight * a(y - reference), with its derivatives:
//
//   quadratic         e^2/2
//   linear            e
//   one-sided         max(e, 0)^2/2             its second derivative jumps at 0
//   smooth absolute   sqrt(e^2 + w^2) - w       nearly |e| - w beyond a few widths w > 0
#ifndef OC_TASK_ACTIVATION_H
#define OC_TASK_ACTIVATION_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef enum oc_activation_kind {
  OC_QUADRATIC,
  OC_LINEAR,
  OC_ONE_SIDED,
  OC_SMOOTH_ABSOLUTE,
  OC_ACTIVATIONS
} oc_activation_kind;

typedef struct oc_activation {
  oc_activation_kind kind;
  double width; // w, in the unit of y
} oc_activation;

// a, a', a''
typedef struct oc_activated {
  double value, slope, curve;
} oc_activated;

oc_activated oc_activate(oc_activation a, double e);

DM_END_C
#endif
