// Changes of texts that keep them texts of their kind: numbers, keys and lines of YAML, CSV, XML and
// JSON, so that what is wrong is met behind the reader of the format.
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 16 };

// a text in the making, and the random numbers that make it
typedef struct draft {
  char text[ROOM + 1];
  size_t size, most;
  uint64_t random;
} draft;

typedef struct part {
  size_t from, to;
} part;

static size_t draw_number(draft *d, size_t below) {
  // xorshift, of 64 bits
  d->random ^= d->random << 13;
  d->random ^= d->random >> 7;
  d->random ^= d->random << 17;
  return below ? d->random % below : 0;
}

// put a text in the place of a part, as far as there is room
static void replace_part(draft *d, part p, const char *text, size_t n) {
  if (d->size - (p.to - p.from) + n > d->most) return;
  memmove(d->text + p.from + n, d->text + p.to, d->size - p.to);
  memmove(d->text + p.from, text, n);
  d->size += n - (p.to - p.from);
}

static part pick_line(draft *d) {
  size_t at = draw_number(d, d->size), from = at, to = at;
  while (from > 0 && d->text[from - 1] != '\n') from--;
  while (to < d->size && d->text[to++] != '\n') {
  }
  return (part){from, to};
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '.' || c == '-' || c == '_' || c == '+';
}

// the first word behind a random place: a key, a value, a name of XML
static part pick_word(draft *d) {
  size_t from = draw_number(d, d->size), to;
  while (from < d->size && !is_word(d->text[from])) from++;
  while (from > 0 && from < d->size && is_word(d->text[from - 1])) from--;
  for (to = from; to < d->size && is_word(d->text[to]);) to++;
  return (part){from, to};
}

// a copy of a part, in the place of another one
static void copy_part(draft *d, part from, part to) {
  static char kept[ROOM];
  size_t n = from.to - from.from;
  memcpy(kept, d->text + from.from, n);
  replace_part(d, to, kept, n);
}

static void change_value(draft *d) {
  static const char *const values[] = {"0",         "-1",
                                       "1",         "nan",
                                       "1e308",     "-1e308",
                                       "1e-308",    "2147483648",
                                       "1.5",       "[]",
                                       "{}",        "\"\"",
                                       "none",      "pi",
                                       "true",      "auto",
                                       "free",      "[1, 2]",
                                       "-0.0",      "3",
                                       "[none, 1]", "{free: [0.1, 2]}",
                                       "1e-9",      "100 %",
                                       "knot 3",    "~",
                                       "world",     "inf",
                                       "'",         "\xc3\xa9"};
  const char *v = values[draw_number(d, sizeof values / sizeof *values)];
  replace_part(d, pick_word(d), v, strlen(v));
}

static void copy_word(draft *d) {
  part from = pick_word(d);
  copy_part(d, from, pick_word(d));
}

static void double_line(draft *d) {
  part line = pick_line(d);
  copy_part(d, line, (part){line.to, line.to});
}

static void move_line(draft *d) {
  part line = pick_line(d), to = pick_line(d);
  copy_part(d, line, (part){to.from, to.from});
}

static void delete_line(draft *d) {
  replace_part(d, pick_line(d), "", 0);
}

static void delete_word(draft *d) {
  replace_part(d, pick_word(d), "", 0);
}

// a line deeper, or less deep, than the one above it
static void nest_line(draft *d) {
  part line = pick_line(d), at = {line.from, line.from};
  if (line.from + 2 < line.to && d->text[line.from] == ' ' && draw_number(d, 2)) at.to += 2;
  replace_part(d, at, "    ", at.to > at.from ? 0 : 2 + draw_number(d, 3));
}

// what only writers meet: a name with signs that another language reads
static void spoil_name(draft *d) {
  static const char *const names[] = {"\"'\"",  "\"a,b\"", "\"<b>\"",   "\"&\"",
                                      "\"$x\"", "\"`\"",   "\"\\\\n\"", "\"%s\"",
                                      "\"*/\"", "\"a b\"", "\"{\"",     "\"@\""};
  const char *v = names[draw_number(d, sizeof names / sizeof *names)];
  replace_part(d, pick_word(d), v, strlen(v));
}

// the same within a name, of what begins or ends something there
static void spoil_place(draft *d) {
  static const char *const signs[] = {
      "'",        "''",        "\"",        "\\",        "\\\\",
      "\\n",      "\\n!ls\\n", "\\nEOD\\n", "\\n#",      "\\x00",
      "\\x1b",    "\\x7f",     "\\xff",     "\\xc3",     "\\xe2\\x80\\xa8",
      "\xc3\xa9", "/*",        "*/",        "//",        "?\?/",
      "?\?'",     "@x",        "{/=9 a}",   "^_",        "`ls`",
      "$(ls)",    "; ls",      "%s%n",      "</script>", "<!--",
      "]]>",      "&#10;",     "&amp;",     "<?x?>",     "\xe2\x80\xae",
      ",",        "#",         "\t",        " ",         "\\xed\\xa0\\x80"};
  const char *v = signs[draw_number(d, sizeof signs / sizeof *signs)];
  const size_t at = draw_number(d, d->size + 1);
  replace_part(d, (part){at, at}, v, strlen(v));
}

// a word many times as long
static void stretch_word(draft *d) {
  part word = pick_word(d);
  for (size_t n = draw_number(d, 7); n > 0 && word.to - word.from < 512; n--) {
    copy_part(d, word, (part){word.to, word.to});
    if (2 * word.to - word.from > d->size) return;
    word.to += word.to - word.from;
  }
}

static void change_bytes(draft *d) {
  d->size = LLVMFuzzerMutate((uint8_t *)d->text, d->size, d->most);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
  static void (*const changes[])(draft * d) = {
      change_value, change_value, copy_word,  double_line, move_line,    delete_line,
      delete_word,  nest_line,    spoil_name, spoil_place, stretch_word, change_bytes};
  static draft d;
  d.most = most < ROOM ? most : ROOM;
  if (size > d.most) return size;
  memcpy(d.text, bytes, size);
  d.size = size;
  d.random = seed * 0x9e3779b97f4a7c15u + 1;

  // one change, or a few
  for (size_t i = 0, n = 1 + draw_number(&d, 4); i < n; i++)
    changes[draw_number(&d, sizeof changes / sizeof *changes)](&d);
  memcpy(bytes, d.text, d.size);
  return d.size;
}
