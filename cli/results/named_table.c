#include "cli/results/named_table.h"

#include "lib/base/decimal.h"
#include "lib/base/names.h"
#include "lib/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

// read the rest of a file, terminated by a zero, into a doubling buffer; NULL if out of memory
static char *read_rest(FILE *f, size_t *size) {
  size_t room = 1 << 16;
  char *all = malloc(room);
  *size = 0;
  for (size_t n = 1; all && n;) {
    n = fread(all + *size, 1, room - *size - 1, f);
    *size += n;
    if (*size + 1 < room) continue;
    char *more = realloc(all, room *= 2);
    if (!more) free(all);
    all = more;
  }
  if (all) all[*size] = 0;
  return all;
}

// read the first line that is not a comment
static char *read_first(FILE *f, size_t *size) {
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  while ((n = getline(&line, &room, f)) > 0 && strchr("#\r\n", line[0])) continue;
  *size = n > 0 ? (size_t)n : 0;
  if (line && n <= 0) line[0] = 0;
  return line;
}

// read a file, or with `head` its first line; to be freed
static dm_status read_table_text(char **text, const pb_file *file, bool head, dm_message *msg) {
  dm_message why;
  size_t size;
  FILE *f = pb_file_open(file, PB_LARGEST_TABLE, &why);
  if (!f) return dm_fail(msg, DM_IO, "%s cannot be read: %s", file->path, why.text);
  *text = head ? read_first(f, &size) : read_rest(f, &size);
  const bool torn = ferror(f) != 0;
  fclose(f);

  // a zero byte would truncate the text
  if (!*text) return dm_fail(msg, DM_NO_MEMORY, "%s: out of memory", file->path);
  if (torn) return dm_fail(msg, DM_IO, "%s cannot be read", file->path);
  if (strlen(*text) != size)
    return dm_fail(msg, DM_BAD_INPUT, "%s: found a zero byte, expected a table of text",
                   file->path);
  return DM_OK;
}

static int count_cells(const char *line) {
  int n = 1;
  for (; *line; line++) n += *line == ',';
  return n;
}

// split a line at its commas into cells; their number is known
static void cut_line(char *line, const char **cell) {
  *cell++ = line;
  for (; *line; line++)
    if (*line == ',') {
      *line = 0;
      *cell++ = line + 1;
    }
}

// the line at *at, terminated by a zero; *at moves to the next line; NULL: end of text
static char *take_line(char **at) {
  char *line = *at;
  if (!*line) return NULL;
  size_t length = strcspn(line, "\n");
  *at = line + length + (line[length] != 0);
  line[length] = 0;
  if (length && line[length - 1] == '\r') line[length - 1] = 0;
  return line;
}

static bool is_row(const char *line) {
  return line[0] && line[0] != '#';
}

// the names of columns, and memory for rows of this many lines
static dm_status name_columns(cli_named_table *t, char *line, const pb_file *file, int lines,
                              dm_message *msg) {
  t->cols = count_cells(line);
  const size_t n = (size_t)t->cols;
  t->name = calloc(n, sizeof *t->name);
  t->cell = calloc(n * (size_t)lines, sizeof *t->cell);
  if (!t->name || !t->cell) return dm_fail(msg, DM_NO_MEMORY, "%s: out of memory", file->path);
  cut_line(line, t->name);
  return DM_OK;
}

// split rows, which must have as many cells as the header
static dm_status cut_rows(cli_named_table *t, const pb_file *file, int lines, dm_message *msg) {
  char *at = t->text, what[64];
  for (int i = 1; i <= lines; i++) {
    char *line = take_line(&at);
    if (!line || !is_row(line)) continue;
    const char *flaw = dm_text_flaw(line, "\t");
    if (flaw)
      return dm_fail(msg, DM_BAD_INPUT, "%s:%d: found %s", file->path, i,
                     dm_text_describe(flaw, what));

    // the header, then rows
    if (!t->name) {
      DM_TRY(name_columns(t, line, file, lines, msg));
      continue;
    }
    const int n = count_cells(line);
    if (n != t->cols)
      return dm_fail(msg, DM_BAD_INPUT, "%s:%d: found %d cells, expected %d as in the first line",
                     file->path, i, n, t->cols);
    cut_line(line, t->cell + (size_t)t->rows++ * (size_t)n);
  }
  return t->name ? DM_OK : dm_fail(msg, DM_BAD_INPUT, "%s: found no names of columns", file->path);
}

dm_status cli_named_table_read(cli_named_table *t, const pb_file *file, dm_message *msg) {
  *t = (cli_named_table){0};
  dm_status s = read_table_text(&t->text, file, false, msg);

  // lines = line ends, plus possibly one without
  int lines = 1;
  for (const char *c = t->text; s == DM_OK && *c; c++) lines += *c == '\n';
  if (s == DM_OK) s = cut_rows(t, file, lines, msg);
  if (s == DM_OK && !t->rows) s = dm_fail(msg, DM_BAD_INPUT, "%s: no rows", file->path);
  if (s != DM_OK) cli_named_table_free(t);
  return s;
}

dm_status cli_named_table_head(cli_named_table *t, const pb_file *file, dm_message *msg) {
  *t = (cli_named_table){0};
  dm_status s = read_table_text(&t->text, file, true, msg);
  if (s == DM_OK) s = cut_rows(t, file, 1, msg);
  if (s != DM_OK) cli_named_table_free(t);
  return s;
}

void cli_named_table_free(cli_named_table *t) {
  free(t->text);
  free(t->name);
  free(t->cell);
  *t = (cli_named_table){0};
}

int cli_named_table_find(const cli_named_table *t, const char *name) {
  return dm_names_find(t->name, t->cols, name);
}

double cli_named_table_number(const cli_named_table *t, int row, int col) {
  const char *cell = t->cell[(size_t)row * (size_t)t->cols + (size_t)col];
  char *end;
  const double x = dm_decimal_read(cell, &end);
  return *cell && !*end ? x : NAN;
}

bool cli_named_table_has_words(const cli_named_table *t, int col) {
  for (int r = 0; r < t->rows; r++) {
    const char *cell = t->cell[(size_t)r * (size_t)t->cols + (size_t)col];
    char *end;
    dm_decimal_read(cell, &end);
    if (*end != 0) return true;
  }
  return false;
}
