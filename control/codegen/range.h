// control/codegen/range.h: the range of a controller's inputs where what is measured is near the plan, by
// interval arithmetic over the tables.
//
//   |y - y_d| <= r    =>    u_i in cut(hull_k (c_k,i -+ (sum_j |G_k,ij| r_j + rounding)))
//
// c_k and c_k+1 both count for k, since u_d(t) lies between them. r is the settings' off_q and off_v:
// of p what off_v comes to at most, J = dp/dv of a knot; of integrals off_q over the whole motion; of
// forces and of what acts beside inputs the room between their limits, or else the plan's largest input.
#ifndef FB_CODEGEN_RANGE_H
#define FB_CODEGEN_RANGE_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// The half-width r_j of entry j of a form's y, in the entry's unit. The settings have off_q and off_v.
double fb_range_half_width(const fb_codegen *c, int form, int j);

typedef struct fb_range {
  double low, high; // within limits
  bool cut;         // the law alone may ask for more than a limit
} fb_range;

// The range of input i by a way's function, asked by the step or by a time, what an envelope's fallback
// and a rate limit make of it included.
fb_range fb_range_of_input(const fb_codegen *c, int way, int i);

// Write the box and the ranges as a comment, for controller.h; nothing where the settings have no box.
void fb_range_tell(FILE *f, const fb_codegen *c);

DM_END_C
#endif
