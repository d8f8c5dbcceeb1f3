#include "control/codegen/lines.h"

#include <stdbool.h>
#include <string.h>

// printable ASCII that does not end a comment, continue its line, or form a trigraph
static bool is_calm(char c) {
  return c >= ' ' && c <= '~' && !strchr("\\?*", c);
}

void fb_lines_word(FILE *f, const char *name) {
  for (; *name; name++) fputc(is_calm(*name) && *name != '/' ? *name : '_', f);
}

void fb_lines_unit(FILE *f, const char *unit) {
  // a slash stays unless the next character is a slash
  for (; *unit; unit++) fputc(is_calm(*unit) && strncmp(unit, "//", 2) != 0 ? *unit : '_', f);
}
