// control/codegen/filter.h: the filter of an estimator as C: controller_begin, controller_encoders.
//
//   z <- z + L (encoder - q_d - z)     u = u_d - G z     z <- A z + B (u - u_d)
//
// and with disturbances d beside inputs, which follow in z, u_d - d in the place of u_d.
//
// Source: docs/theory.md sections 19 and 21.
#ifndef FB_CODEGEN_FILTER_H
#define FB_CODEGEN_FILTER_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write its functions, and the gate's, of a law with an estimator; after the tables, the law and
// what is unwound.
void fb_filter_write(FILE *f, const fb_codegen *c);

DM_END_C
#endif
