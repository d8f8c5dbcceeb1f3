// control/codegen/lines.h: text of which some lines are meant: those that begin with a mark; and words in
// comments.
#ifndef FB_CODEGEN_LINES_H
#define FB_CODEGEN_LINES_H
#include "lib/base/linkage.h"

#include <stdio.h>

DM_BEGIN_C

// Write the lines of a text, each ended by \n; of those whose first character is one of `marks` those
// alone where it is one of `meant` as well, without it.
void fb_lines_write(FILE *f, const char *text, const char *marks, const char *meant);

// Write a name, or a unit, into a comment: what would end it, or go on after it, or is not ASCII, becomes
// _; of a unit a slash stays.
void fb_lines_word(FILE *f, const char *name);
void fb_lines_unit(FILE *f, const char *unit);

DM_END_C
#endif
