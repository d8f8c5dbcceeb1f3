// control/codegen/head.h: function declarations in a controller's text.
#ifndef FB_CODEGEN_HEAD_H
#define FB_CODEGEN_HEAD_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// How a law by the path chooses its knot: a comment for the controller's header, of FB_MOST_KNOTS.
#define FB_PATH_RULE                                                                               \
  "// The knot k that acts is the one after the knot of the last call, or one of the next %d if "  \
  "it is closer to\n"                                                                              \
  "// the measurement. Time has no effect. "

// Whether forms have this function; the end of its name.
bool fb_head_exists(const fb_codegen *c, fb_head head);
const char *fb_head_end(fb_head head);

// Write the head of a form's function, without a terminator.
void fb_head_write(FILE *f, const fb_codegen *c, int way, fb_head head);

// Write the head of the step of integrals, by step or by time.
void fb_head_integrate(FILE *f, const fb_codegen *c, bool timed);

DM_END_C
#endif
