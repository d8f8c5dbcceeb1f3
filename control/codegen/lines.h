// control/codegen/lines.h: text of which some lines are meant: those that begin with a mark.
#ifndef FB_CODEGEN_LINES_H
#define FB_CODEGEN_LINES_H
#include "lib/base/linkage.h"

#include <stdio.h>

DM_BEGIN_C

// Write the lines of a text, each ended by \n; of those whose first character is one of `marks` those
// alone where it is one of `meant` as well, without it.
void fb_lines_write(FILE *f, const char *text, const char *marks, const char *meant);

DM_END_C
#endif
