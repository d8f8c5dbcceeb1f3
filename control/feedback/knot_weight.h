// control/feedback/knot_weight.h: a weight on deviations that varies along the knots.
//
//   dx_k'(Q + Q(x_k)) dx_k         Q: the diagonal common to all knots (fb_weights)
//
// For a cost c(x) that is minimal on the plan, c_x(x_k) = 0, Q(x) is half its second derivative.
// Outputs of a robot are one example (control/feedback/output_weight.h).
//
// Source: docs/theory.md section 8.
#ifndef FB_FEEDBACK_KNOT_WEIGHT_H
#define FB_FEEDBACK_KNOT_WEIGHT_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

// A knot of the plan.
typedef struct fb_knot {
  int n;               // coordinates
  const double *q, *p; // [n] its state
  const double *v;     // [n] its velocity, on the constraints, if the weight is rated; otherwise
                       // NULL, like the next two
  const double *v_q, *v_p; // [n x n] its derivatives by the state (dm_velocity_slope)
} fb_knot;

typedef struct fb_knot_weight {
  const void *self; // passed to `add`; threads may share it
  size_t scratch;   // bytes of scratch from the caller, aligned to 64
  bool rated;       // the weight needs velocities
  // Add Q(x), symmetric and semidefinite, to Q [2n x ld], ld >= 2n, for deviations in (q,p).
  // Returns DM_OK, or a failure with a sentence in msg; does not allocate.
  dm_status (*add)(const void *self, void *scratch, const fb_knot *at, double *Q, int ld,
                   dm_message *msg);
} fb_knot_weight;

DM_END_C
#endif
