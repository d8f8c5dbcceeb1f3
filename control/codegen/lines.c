#include "control/codegen/lines.h"

#include <stdbool.h>
#include <string.h>

// printable ASCII that neither ends a comment, nor goes on after its line, nor is of a trigraph
static bool is_calm(char c) {
  return c >= ' ' && c <= '~' && !strchr("\\?*", c);
}

void fb_lines_word(FILE *f, const char *name) {
  for (; *name; name++) fputc(is_calm(*name) && *name != '/' ? *name : '_', f);
}

void fb_lines_unit(FILE *f, const char *unit) {
  // a slash before a sign that stays no slash begins no comment
  for (; *unit; unit++) fputc(is_calm(*unit) && strncmp(unit, "//", 2) != 0 ? *unit : '_', f);
}
