// control/feedback/knot_weight.h: a weight on deviations that is another one at each knot.
//
//   dx_k'(Q + Q(x_k)) dx_k         Q: the diagonal that all knots share (fb_weights)
//
// Of a cost c(x) whose least value the plan is at, c_x(x_k) = 0, Q(x) is half its second derivative.
// Outputs of a robot are one such weight (control/feedback/output_weight.h).
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
  const double *v;     // [n] its velocity, on the constraints, of a weight that asks for it; else
                       // NULL, as what follows
  const double *v_q, *v_p; // [n x n] how that changes with the state (dm_velocity_slope)
} fb_knot;

typedef struct fb_knot_weight {
  const void *self; // handed to `add`; may be shared by threads
  size_t scratch;   // bytes that the caller lends to it, aligned to 64
  bool rated;       // it asks for velocities
  // Add Q(x), symmetric and semidefinite, to Q [2n x ld], ld >= 2n, of deviations in (q,p). Returns
  // DM_OK, or what failed with a sentence in msg; does not allocate.
  dm_status (*add)(const void *self, void *scratch, const fb_knot *at, double *Q, int ld,
                   dm_message *msg);
} fb_knot_weight;

DM_END_C
#endif
