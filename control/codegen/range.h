// control/codegen/range.h: the range of a controller's inputs for measurements near the plan, by
// interval arithmetic over the tables.
//
//   |y - y_d| <= r    =>    u_i in cut(hull_k (c_k,i -+ (sum_j |G_k,ij| r_j + rounding)))
//
// c_k and c_k+1 both count for k, since u_d(t) lies between them. r comes from the settings' off_q
// and off_v: for p, the largest |dp/dv| off_v over the knots; for integrals, off_q over the whole
// motion; for forces and disturbances, the room between the input limits, or else the plan's
// largest input.
#ifndef FB_CODEGEN_RANGE_H
#define FB_CODEGEN_RANGE_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// The half-width r_j of entry j of a form's y, in the entry's unit. The settings must have off_q
// and off_v.
double fb_range_half_width(const fb_codegen *c, int form, int j);

typedef struct fb_range {
  double low, high; // within limits
  bool cut;         // without limits, the law could exceed a limit
} fb_range;

// The range of input i for a form's function, by step or by time, including an envelope's fallback
// and a rate limit.
fb_range fb_range_of_input(const fb_codegen *c, int way, int i);

// Write the box and the ranges as a comment, for controller.h; nothing if the settings have no box.
void fb_range_tell(FILE *f, const fb_codegen *c);

DM_END_C
#endif
