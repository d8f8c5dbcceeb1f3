// control/codegen/slew.h: the rate limits of a law (control/feedback/rate_limit.h) in a controller's
// text.
//
//   u in [last - share r h, last + share r h]
//
// share 1 by step; by time that of a step since the output given last, at most 1.
#ifndef FB_CODEGEN_SLEW_H
#define FB_CODEGEN_SLEW_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write the comment, the type and the function that begins a run, for controller.h.
void fb_slew_declare(FILE *f, const fb_codegen *c);

// Write the limits' numbers and the functions, for controller.c; after what tells times.
void fb_slew_write(FILE *f, const fb_codegen *c);

// Write the call that keeps u, decided at the step k or, timed, at the time t, whose plan's input
// is the C expression `planned`.
void fb_slew_call(FILE *f, const char *planned, bool timed);

DM_END_C
#endif
