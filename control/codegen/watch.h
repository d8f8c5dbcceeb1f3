// control/codegen/watch.h: the envelope of a law (control/feedback/envelope.h) in a controller's text.
#ifndef FB_CODEGEN_WATCH_H
#define FB_CODEGEN_WATCH_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write the comment, the type and the function that begins a run, for controller.h.
void fb_watch_declare(FILE *f, const fb_codegen *c);

// Write the envelope's numbers and the functions, for controller.c.
void fb_watch_write(FILE *f, const fb_codegen *c);

// Write a call of the function on y beside the text y_d, of a way whose row of the tables is k's.
void fb_watch_call(FILE *f, const fb_codegen *c, int form, const char *y_d);

// Whether the fallback of a law's form takes the speeds that are measured.
bool fb_watch_brakes(const fb_codegen *c);

DM_END_C
#endif
