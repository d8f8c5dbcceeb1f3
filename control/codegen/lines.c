#include "control/codegen/lines.h"

#include <stdbool.h>
#include <string.h>

void fb_lines_write(FILE *f, const char *text, const char *marks, const char *meant) {
  for (const char *line = text, *end; *line; line = end) {
    end = strchr(line, '\n') + 1;
    const bool marked = strchr(marks, *line) != NULL;
    if (!marked || strchr(meant, *line)) fwrite(line + marked, 1, (size_t)(end - line) - marked, f);
  }
}
