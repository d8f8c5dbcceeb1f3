// control/codegen/source.h: the parts of a controller's source.
#ifndef FB_CODEGEN_SOURCE_H
#define FB_CODEGEN_SOURCE_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write the first lines: the origin, the header, how products are rounded, the number type.
void fb_source_begin(FILE *f, const fb_codegen *c);

// Write an on-board file by its name.
//   parts  names HAS_.., terminated by NULL: of the conditions in the file, only the lines that hold are written
void fb_source_put(FILE *f, const char *name, const char *const *parts);

// Write the on-board files (control/onboard/onboard.h) of the parts that some of n laws have. The
// laws have the same forms. task: they are the phases of a task.
void fb_source_code(FILE *f, const fb_codegen *const *law, int n, bool task);

// Write the tables and arrays of a law, and a struct law_FORM for each form; names end with
// set.end.
void fb_source_numbers(FILE *f, const fb_codegen *c);

DM_END_C
#endif
