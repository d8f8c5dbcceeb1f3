// control/codegen/filter.h: the filter of an estimator as C: controller_begin, controller_encoders,
// controller_encoders_at.
//
//   z <- z + L (encoder - q_d - z)     u = u_d - G z     z <- A z + B (u - u_d)
//
// and with disturbances d beside inputs, which follow in z, u_d - d in the place of u_d;
// by time, of a reading some time old: z is of when that was read, s; it goes from s to s, and for the
// law from s to now, by steps of A and B on the line between those of knots, and of a part of a step
// that part of what it changes, under the inputs that acted meanwhile, of which two are kept. So it
// does where a step by k is the model's own (control/codegen/prediction.h).
//
// Source: docs/theory.md sections 19 and 21.
#ifndef FB_CODEGEN_FILTER_H
#define FB_CODEGEN_FILTER_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write its type and controller_begin, for the header of a law with an estimator.
void fb_filter_declare(FILE *f, const fb_codegen *c);

// Write its sizes, what has encoders, and what acts beside inputs; after the tables.
void fb_filter_write_sizes(FILE *f, const fb_codegen *c);

// Write its functions, and the gate's, of a law with an estimator; after the tables, the law and
// what is unwound.
void fb_filter_write(FILE *f, const fb_codegen *c);

DM_END_C
#endif
