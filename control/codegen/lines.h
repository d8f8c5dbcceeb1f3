// control/codegen/lines.h: words in comments.
#ifndef FB_CODEGEN_LINES_H
#define FB_CODEGEN_LINES_H
#include "lib/base/linkage.h"

#include <stdio.h>

DM_BEGIN_C

// Write a name, or a unit, into a comment: what would end it, or go on after it, or is not ASCII, becomes
// _; of a unit a slash stays.
void fb_lines_word(FILE *f, const char *name);
void fb_lines_unit(FILE *f, const char *unit);

DM_END_C
#endif
