// control/feedback/output_weight.h: a weight on the errors of a robot's outputs y(q,v)
// (lib/multibody/output.h), for example of the position of its tool, or its speed.
//
//   sum_i w_i (y_i(x) - y_i(x_k))^2  =  dx'(sum_i w_i y_i,x' y_i,x) dx + O(dx^3)      at knot k
//
//   x = (q,p)      y_i,x = (y_i,q + y_i,v v_q, y_i,v v_p)
//
// The second derivative has no term in y_i,xx, which is multiplied by the error, and the error is
// zero on the plan. For outputs independent of velocities, y_i,x = (y_i,q, 0).
//
// Source: docs/theory.md section 8.
#ifndef FB_FEEDBACK_OUTPUT_WEIGHT_H
#define FB_FEEDBACK_OUTPUT_WEIGHT_H
#include "control/feedback/knot_weight.h"
#include "lib/mechanics/output_map.h"

DM_BEGIN_C

typedef struct fb_output_weight {
  dm_output_map y;      // rows y_i(q,v)
  int rows;             // the first rows of y; each has a weight
  const double *weight; // [rows] >= 0, per unit of the row, squared
} fb_output_weight;

// The row for fb_weights; w is borrowed. If an output with a weight has no value or no derivative,
// `add` returns DM_NOT_FINITE and names it. Cost: y and its first derivatives, and n^2/2 per row, 4
// n^2 if it depends on velocities.
fb_knot_weight fb_output_weight_at_knots(const fb_output_weight *w);

DM_END_C
#endif
