// control/codegen/operations.h: the maximum number of arithmetic operations in a call of a
// controller's text: sums over its loops, whose bounds are constants, with the most expensive
// branch each time.
#ifndef FB_CODEGEN_OPERATIONS_H
#define FB_CODEGEN_OPERATIONS_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// On controller_real: a * b; a + b, a - b and -a; a < b and the like; a / b.
typedef struct fb_operations {
  long products, sums, comparisons, divisions;
} fb_operations;

// For a function that the form has.
fb_operations fb_operations_count(const fb_codegen *c, int way, fb_head head);

// Write the counts of all functions as a comment, for controller.h.
void fb_operations_tell(FILE *f, const fb_codegen *c);

DM_END_C
#endif
