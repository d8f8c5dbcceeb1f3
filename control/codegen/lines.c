#include "control/codegen/lines.h"

#include <assert.h>
#include <stdarg.h>
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

// -- the controller's own name

static bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// whether the word at `at` begins with the controller's name: 1 controller, 2 CONTROLLER, 0 another
static int find_name(const char *at) {
  enum { LENGTH = sizeof "controller" - 1 };
  if (!strncmp(at, "CONTROLLER_", LENGTH + 1)) return 2;
  if (strncmp(at, "controller", LENGTH) != 0) return 0;
  const char *end = at + LENGTH;
  const bool file = end[0] == '.' && (end[1] == 'c' || end[1] == 'h') && !is_of_word(end[2]);
  return *end == '_' || file ? 1 : 0;
}

// the next piece of the text: a character, or the name with the prefix; returns its length
static size_t take_piece(const char *text, const char **at, const char *prefix,
                         char piece[FB_PREFIX]) {
  const bool begins = *at == text || !is_of_word((*at)[-1]);
  const int kind = begins && prefix ? find_name(*at) : 0;
  if (!kind) {
    piece[0] = *(*at)++;
    return 1;
  }
  const size_t n = strlen(prefix);
  assert(n <= FB_PREFIX);
  for (size_t i = 0; i < n; i++) {
    const char c = prefix[i];
    piece[i] = kind == 2 && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
  }
  *at += sizeof "controller" - 1;
  return n;
}

void fb_lines_put(FILE *f, const char *prefix, const char *text) {
  char piece[FB_PREFIX];
  for (const char *at = text; *at;) {
    const size_t n = take_piece(text, &at, prefix, piece);
    fwrite(piece, 1, n, f);
  }
}

void fb_lines_print(FILE *f, const char *prefix, const char *format, ...) {
  char piece[FB_PREFIX], own[8192];
  size_t used = 0;
  for (const char *at = format; *at;) {
    const size_t n = take_piece(format, &at, prefix, piece);
    assert(used + n < sizeof own);
    memcpy(own + used, piece, n);
    used += n;
  }
  own[used] = 0;
  va_list list;
  va_start(list, format);
  vfprintf(f, own, list);
  va_end(list);
}
