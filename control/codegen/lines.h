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

// Write text of the generator for the controller with this prefix (NULL: "controller"), an
// identifier of at most FB_PREFIX characters: controller_, CONTROLLER_, controller.c and
// controller.h there, at the start of a word, become PREFIX_ and so on. `print` formats what
// follows: only its format, of at most 2,000 characters, is text of the generator.
enum { FB_PREFIX = 96 };
void fb_lines_put(FILE *f, const char *prefix, const char *text);
__attribute__((format(printf, 3, 4))) void fb_lines_print(FILE *f, const char *prefix,
                                                          const char *format, ...);

DM_END_C
#endif
