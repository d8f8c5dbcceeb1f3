// control/codegen/tape_source.h: a formula (lib/base/tape.h) as C99: its value, and its gradient by one sweep back.
//
//   double NAME(const double x[]);
//   double NAME_gradient(const double x[], double by_x[]);
//
// Without loops but over tables, without allocation or memory; of the standard library only functions of math.h. Both
// give the bits of dm_tape_eval, as long as products are not fused with sums and math.h is the same.
#ifndef FB_CODEGEN_TAPE_SOURCE_H
#define FB_CODEGEN_TAPE_SOURCE_H
#include "lib/base/tape.h"

#include <stdio.h>

DM_BEGIN_C

typedef struct fb_tape_text {
  const char *name;            // of functions and files, an identifier
  const char *text;            // the expression, for a comment
  const dm_tape *f;            // with a variable
  const char *const *variable; // [f->nx] names, for comments
} fb_tape_text;

// Write NAME.h and NAME.c.
void fb_tape_header(FILE *f, const fb_tape_text *t);
void fb_tape_source(FILE *f, const fb_tape_text *t);

DM_END_C
#endif
