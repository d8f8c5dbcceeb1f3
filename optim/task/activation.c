#include "optim/task/activation.h"

#include <math.h>

oc_activated oc_activate(oc_activation a, double e) {
  const double up = fmax(e, 0), r = sqrt(e * e + a.width * a.width);
  switch (a.kind) {
  case OC_LINEAR:
    return (oc_activated){e, 1, 0};
  case OC_ONE_SIDED:
    return (oc_activated){0.5 * up * up, up, e > 0};
  case OC_SMOOTH_ABSOLUTE:
    return (oc_activated){r - a.width, e / r, a.width * a.width / (r * r * r)};
  case OC_QUADRATIC:
  case OC_ACTIVATIONS:
    break;
  }
  return (oc_activated){0.5 * e * e, e, 1};
}
