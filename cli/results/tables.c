#include "cli/results/tables.h"

#include "lib/base/decimal.h"
#include "lib/base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// the length of the next character of a name if tables allow it; 0 if '_' replaces it: not plain, a
// comma, a quote or #, which are special in tables
static int take_plain(const char *name) {
  return strchr(",\"#", *name) ? 0 : dm_text_plain(name);
}

void cli_put_name(FILE *f, const char *before, const char *name) {
  fputs(before, f);
  while (*name) {
    const int n = take_plain(name);
    if (n)
      fwrite(name, 1, (size_t)n, f);
    else
      fputc('_', f);
    name += n ? n : 1;
  }
}

bool cli_cell_is_name(const char *cell, size_t length, const char *name) {
  const char *end = cell + length;
  while (*name) {
    const int n = take_plain(name), taken = n ? n : 1;
    if (end - cell < taken || memcmp(cell, n ? name : "_", (size_t)taken) != 0) return false;
    cell += taken;
    name += taken;
  }
  return cell == end;
}

char *cli_column_name(const char *name) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  cli_put_name(f, "", name);
  if (fclose(f) == 0) return text;
  free(text);
  return NULL;
}

void cli_put_names(FILE *f, const char *before, const char *const *name, int n) {
  for (int i = 0; i < n; i++) cli_put_name(f, before, name[i]);
}

void cli_put_numbers(FILE *f, const double *x, int n) {
  char text[1 << 12];
  size_t used = 0;
  for (int i = 0; i < n; i++) {
    // batch numbers: a stdio call costs as much as formatting one
    if (used + 1 + DM_DECIMAL > sizeof text) {
      fwrite(text, 1, used, f);
      used = 0;
    }
    text[used++] = ',';
    if (x && !isnan(x[i])) used += (size_t)dm_decimal_put(x[i], text + used);
  }
  fwrite(text, 1, used, f);
}

void cli_put_number(FILE *f, const char *before, double x) {
  char text[DM_DECIMAL];
  dm_decimal_put(x, text);
  fprintf(f, "%s%s", before, text);
}

void cli_put_knot(FILE *f, int k, double t) {
  fprintf(f, "%d", k);
  cli_put_number(f, ",", t);
}

// q.NAME or p.NAME of state i
void cli_put_state(FILE *f, const char *before, const pb_names *names, int i) {
  fputs(before, f);
  cli_put_name(f, i < names->n ? "q." : "p.", names->coord[i % names->n]);
}

// --- reading ---

static int count_columns(const char *header) {
  int n = 1;
  for (; *header; header++) n += *header == ',';
  return n;
}

// the index in the list of the word in a cell of this length, or -1
static int find_word(const char *const *words, const char *cell, size_t length) {
  for (int i = 0; words[i]; i++)
    if (cli_cell_is_name(cell, length, words[i])) return i;
  return -1;
}

// read a cell as a number (empty: NAN), or in a column of words as an index; returns its end, or
// NULL if it is invalid
static char *read_cell(char *cell, char ends, const char *const *words, double *x) {
  char *end = cell;
  *x = NAN;
  if (*cell == ends && !words) return cell;
  if (words) {
    const size_t length = strcspn(cell, ",");
    const int word = find_word(words, cell, length);
    *x = word;
    return word >= 0 && cell[length] == ends ? cell + length : NULL;
  }

  // a number fills the whole cell
  *x = dm_decimal_read(cell, &end);
  return *end == ends ? end : NULL;
}

// the words of a column, or NULL
static const char *const *find_words(const cli_word_column *words, int column) {
  while (words && words->word && words->column != column) words++;
  return words ? words->word : NULL;
}

// read the numbers of a line into row; returns false if one is invalid
static bool read_row(char *line, double *row, int cols, const cli_word_column *words) {
  // all cells except the last end with a comma
  for (int j = 0; j < cols; j++) {
    line = read_cell(line, j == cols - 1 ? 0 : ',', find_words(words, j), row + j);
    if (!line) return false;
    line++;
  }
  return true;
}

// read the lines of an open file, whose first line must begin with the columns of header
static dm_status read_lines(FILE *f, const char *path, const char *header,
                            const cli_word_column *words, cli_table *t, dm_message *msg) {
  char *line = NULL;
  size_t size = 0;
  int capacity = 0, at = 0;
  bool named = false;
  dm_status s = DM_OK;

  while (s == DM_OK && getline(&line, &size, f) >= 0) {
    at++;
    line[strcspn(line, "\r\n")] = 0;

    // skip empty lines and comments
    if (!line[0] || line[0] == '#') continue;

    // the expected columns, possibly followed by others
    if (!named) {
      size_t len = strlen(header);
      if (strncmp(line, header, len) || !strchr(",", line[len]))
        s = dm_fail(msg, DM_BAD_INPUT, "%s:%d: the columns are %.120s, expected %.120s", path, at,
                    line, header);
      t->cols = count_columns(line);
      named = true;
      continue;
    }

    // append a row, in memory that doubles
    if (t->rows == capacity) {
      capacity = 2 * capacity + 64;
      double *x = realloc(t->x, (size_t)capacity * (size_t)t->cols * sizeof *x);
      if (!x)
        s = dm_fail(msg, DM_NO_MEMORY, "%s: out of memory", path);
      else
        t->x = x;
    }
    if (s == DM_OK && !read_row(line, t->x + (size_t)t->rows++ * (size_t)t->cols, t->cols, words))
      s = dm_fail(msg, DM_BAD_INPUT, "%s:%d: expected %d numbers separated by commas", path, at,
                  t->cols);
  }

  // a header alone is not a table
  free(line);
  if (s == DM_OK && t->rows == 0) s = dm_fail(msg, DM_BAD_INPUT, "%s: no rows", path);
  return s;
}

dm_status cli_table_read(cli_table *out, const pb_file *file, const char *header,
                         const cli_word_column *words, bool more, dm_message *msg) {
  dm_message why;
  cli_table t = {0};
  FILE *f = pb_file_open(file, PB_LARGEST_TABLE, &why);
  if (!f) return dm_fail(msg, DM_IO, "%s cannot be read: %s", file->path, why.text);
  dm_status s = read_lines(f, file->path, header, words, &t, msg);
  fclose(f);

  // unknown columns
  const int cols = count_columns(header);
  if (s == DM_OK && !more && t.cols != cols)
    s = dm_fail(msg, DM_BAD_INPUT, "%s: %d columns, expected %d", file->path, t.cols, cols);

  // transfer ownership of the table
  if (s == DM_OK)
    *out = t;
  else
    free(t.x);
  return s;
}

// number of rows of the first run: until the value of the first column changes
static int count_first_run(const cli_table *t) {
  int n = 1;
  while (n < t->rows && t->x[(size_t)n * (size_t)t->cols] == t->x[0]) n++;
  return n;
}

dm_status cli_table_check_knots(const cli_table *t, bool runs, const char *path, dm_message *msg) {
  const int each = runs ? count_first_run(t) : t->rows;
  for (int r = 0; r < t->rows; r++) {
    const double *row = t->x + (size_t)r * (size_t)t->cols, *at = row + (runs ? 1 : 0);
    const int run = r / each, k = r % each;
    if (runs && row[0] != run)
      return dm_fail(msg, DM_BAD_INPUT, "%s is damaged: row %d is of run %g, expected run %d", path,
                     r + 1, row[0], run);
    if (at[0] != k)
      return dm_fail(msg, DM_BAD_INPUT, "%s is damaged: row %d is of knot %g, expected knot %d",
                     path, r + 1, at[0], k);
    if (!isfinite(at[1]) || (k && at[1] < at[1 - t->cols]))
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s is damaged: row %d is at the time %g, expected one that does not fall",
                     path, r + 1, at[1]);
  }
  if (t->rows % each == 0) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT, "%s is damaged: the last run has %d knots, expected %d", path,
                 t->rows % each, each);
}
