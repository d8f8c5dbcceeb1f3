// control/codegen/operations.h: how many operations on its numbers a call of a controller's text takes at
// most: sums over its loops, whose bounds are constants, each branch at its dearest.
#ifndef FB_CODEGEN_OPERATIONS_H
#define FB_CODEGEN_OPERATIONS_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Of controller_real: a * b; a + b, a - b and -a; a < b and the like; sin and cos.
typedef struct fb_operations {
  long products, sums, comparisons, turns;
} fb_operations;

// Of a way's function, asked by the step or, timed, by a time; by the path there is no timed one.
fb_operations fb_operations_count(const fb_codegen *c, int way, bool timed);

// Write those of all functions as a comment, for controller.h.
void fb_operations_tell(FILE *f, const fb_codegen *c);

DM_END_C
#endif
