// tests/support/command_rows.h: tables of commands with their exit status, output and files.
#ifndef TESTS_SUPPORT_COMMAND_ROWS_H
#define TESTS_SUPPORT_COMMAND_ROWS_H
#include "tests/support/known_keys.h"

// copy a worked problem to another name, with some text replaced
static inline void take_problem(const char *name, const char *path, const char *from,
                                const char *to) {
  char place[PROGRAM_LINE];
  snprintf(place, sizeof place, "%s/problems/%s", source_folder(), path);
  char *text = get_file(place), *at = text && from ? strstr(text, from) : NULL;
  if (!text || (from && !at)) fail_msg("%s has no '%s'", place, from ? from : "text");
  FILE *f = fopen(name, "w");
  assert_non_null(f);
  fwrite(text, 1, at ? (size_t)(at - text) : strlen(text), f);
  if (at) fprintf(f, "%s%s", to, at + strlen(from));
  fclose(f);
  free(text);
}

// a command, its exit status and its output; optionally a file and a text that it then contains
typedef struct row {
  int status;
  const char *line, *says, *file, *holds;
} row;

// whether a file is missing, or does not contain the text
static inline bool lacks_words(const char *line, const char *path, const char *words) {
  char *text = get_file(path);
  const bool lacks = !text || !strstr(text, words);
  free(text);
  if (lacks) print_error("dmoc %s: %s has no '%s'\n", line, path, words);
  return lacks;
}

// known: also check that every result has only known keys
static inline void run_rows(const row *rows, size_t n, bool known) {
  int wrong = 0;
  for (const row *r = rows; r < rows + n; r++) {
    wrong += program_errs(r->status, r->line, r->says) ||
             (r->file && lacks_words(r->line, r->file, r->holds));
    if (known) wrong += count_unknown_keys(r->line);
  }
  assert_int_equal(wrong, 0);
}
#define DOES(line)                                                                                 \
  { 0, line, NULL, NULL, NULL }
#define SAYS(status, line, says)                                                                   \
  { status, line, says, NULL, NULL }
#define WRITES(line, file, holds)                                                                  \
  { 0, line, NULL, file, holds }
#define RUN(rows)       run_rows(rows, sizeof(rows) / sizeof *(rows), false)
#define RUN_KNOWN(rows) run_rows(rows, sizeof(rows) / sizeof *(rows), true)
#endif
