// control/feedback/output_weight.h: a weight on what outputs y(q) of a robot are off by
// (lib/multibody/output.h), such as the place of its tool.
//
//   sum_i w_i (y_i(q) - y_i(q_k))^2  =  dq'(sum_i w_i y_i,q' y_i,q) dq + O(dq^3)      at knot k
//
// Its second derivative has no term of y_i,qq beside, since that is multiplied by the error, which
// is zero on the plan.
//
// Source: docs/theory.md section 8.
#ifndef FB_FEEDBACK_OUTPUT_WEIGHT_H
#define FB_FEEDBACK_OUTPUT_WEIGHT_H
#include "control/feedback/knot_weight.h"
#include "lib/mechanics/holonomic.h"

DM_BEGIN_C

typedef struct fb_output_weight {
  dm_holonomic y;       // rows y_i(q); neither its contract nor its directional is called
  int n;                // coordinates
  int rows;             // the first ones of y, which have a weight each
  const double *weight; // [rows] >= 0                                   per m2, rad2 or 1
} fb_output_weight;

// The row for fb_weights; w is borrowed. Where an output that has a weight has no value or no
// derivative, `add` returns DM_NOT_FINITE and names it. Cost: y and y_q, and n^2/2 a row.
fb_knot_weight fb_output_weight_at_knots(const fb_output_weight *w);

DM_END_C
#endif
