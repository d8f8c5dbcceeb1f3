// control/codegen/head.h: function declarations in a controller's text.
#ifndef FB_CODEGEN_HEAD_H
#define FB_CODEGEN_HEAD_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write the head of a form's function, without a terminator: by step k or, timed, by a time and an
// age.
void fb_head_write(FILE *f, const fb_codegen *c, int way, bool timed);

// Write the head of the step of integrals, by step or by time.
void fb_head_integrate(FILE *f, const fb_codegen *c, bool timed);

DM_END_C
#endif
