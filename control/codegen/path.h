// control/codegen/path.h: a law by the path (control/feedback/output_feedback.h) in a controller's text:
// which knot acts.
#ifndef FB_CODEGEN_PATH_H
#define FB_CODEGEN_PATH_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write the comment, the type and the function that begins a run, for controller.h.
void fb_path_declare(FILE *f);

// Write the search for the nearest knot, for controller.c; after the tables and whole turns.
void fb_path_write(FILE *f, const fb_codegen *c);

DM_END_C
#endif
