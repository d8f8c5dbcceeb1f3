// control/codegen/lines.h: names and units in comments.
#ifndef FB_CODEGEN_LINES_H
#define FB_CODEGEN_LINES_H
#include "lib/base/linkage.h"

#include <stdio.h>

DM_BEGIN_C

// Write a name, or a unit, into a comment: characters that would end or continue it, or are not
// ASCII, become _; in a unit a slash stays.
void fb_lines_word(FILE *f, const char *name);
void fb_lines_unit(FILE *f, const char *unit);

DM_END_C
#endif
