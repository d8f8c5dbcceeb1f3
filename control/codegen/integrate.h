// control/codegen/integrate.h: the integrals of errors (control/feedback/output_feedback.h) in a
// controller's text, which its caller keeps.
//
//   integral <- integral + h (q - q_d), unless u is cut
#ifndef FB_CODEGEN_INTEGRATE_H
#define FB_CODEGEN_INTEGRATE_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write the comment and the functions' heads, by k and by time, for controller.h.
void fb_integrate_declare(FILE *f, const fb_codegen *c);

// Write the functions, for controller.c; after what tells times and turns.
void fb_integrate_write(FILE *f, const fb_codegen *c);

DM_END_C
#endif
