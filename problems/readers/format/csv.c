#include "problems/readers/format/csv.h"

#include "lib/base/decimal.h"
#include "lib/base/names.h"
#include "lib/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 8192 };

// the next line that is not a comment, cut from *text; NULL at the end
static char *next_line(char **text, int *line) {
  while (**text) {
    // cut at the end of the line, without a carriage return before it
    char *start = *text;
    char *end = start + strcspn(start, "\n");
    *text = *end ? end + 1 : end;
    *end = 0;
    ++*line;
    size_t length = strlen(start);
    if (length && start[length - 1] == '\r') start[length - 1] = 0;

    // skip comments and empty lines, but count them
    if (start[0] && start[0] != '#') return start;
  }
  return NULL;
}

// the next cell, cut from *line, without surrounding blanks
static char *next_cell(char **line) {
  char *start = *line + strspn(*line, " \t");
  char *end = start + strcspn(start, ",");
  *line = *end ? end + 1 : NULL;
  *end = 0;

  // trailing blanks
  while (end > start && (end[-1] == ' ' || end[-1] == '\t')) *--end = 0;
  return start;
}

static int count_char(const char *text, char what) {
  int n = 0;
  for (; *text; text++) n += *text == what;
  return n;
}

static dm_status read_header(const pb_reader *r, pb_csv *c, char *header, int line) {
  // cells = commas + 1; other programs separate cells by semicolons or tabs
  int cells = count_char(header, ',') + 1;
  const char *other = cells == 1 ? strpbrk(header, ";\t") : NULL;
  if (other)
    return pb_refuse(r, c->file, line, 0,
                     "found names separated by %s, expected commas (and points in numbers)",
                     *other == ';' ? "semicolons" : "tabs");
  if (cells > MAX_COLUMNS)
    return pb_refuse(r, c->file, line, 0, "found %d columns, expected at most %d", cells,
                     MAX_COLUMNS);
  PB_NEW(r->arena, c->name, cells);
  c->header = line;

  // names are plain text and unique
  while (header) {
    const char *name = next_cell(&header);
    const char *flaw = dm_text_flaw(name, NULL);
    char what[64];
    if (flaw)
      return pb_refuse(r, c->file, line, 0,
                       "found %s in the column's name '%.64s', expected plain "
                       "text",
                       dm_text_describe(flaw, what), name);
    // unnamed columns are ignored and may repeat
    if (name[0] && dm_names_find(c->name, c->columns, name) >= 0)
      return pb_refuse(r, c->file, line, 0, "found a second column '%.64s', expected one", name);
    c->name[c->columns++] = name;
  }
  return DM_OK;
}

// whether dmoc reads a column of this name
static bool is_known(const char *name) {
  return !strcmp(name, "t") || !strcmp(name, "s") ||
         (name[0] && strchr("qvpuy", name[0]) && name[1] == '.');
}

static dm_status read_row(const pb_reader *r, const pb_csv *c, char *row, int line, double *value) {
  // every row has as many cells as the header
  int cells = count_char(row, ',') + 1;
  if (cells != c->columns)
    return pb_refuse(r, c->file, line, 0, "found %d cells, expected %d as in the header", cells,
                     c->columns);
  for (int i = 0; i < cells; i++) {
    char *cell = next_cell(&row), *end;
    if (c->cell) c->cell[(size_t)c->rows * (size_t)c->columns + (size_t)i] = cell;

    // ignored columns may hold anything; an empty cell is NAN
    if (!value) continue;
    bool filled = cell[0] && is_known(c->name[i]);
    value[i] = filled ? dm_decimal_read(cell, &end) : NAN;
    if (filled && (*end || !isfinite(value[i])))
      return pb_refuse(r, c->file, line, 0,
                       "column '%.64s': found '%.40s', expected a finite number", c->name[i], cell);
  }
  return DM_OK;
}

// the cells as numbers, or also as words, or as words alone
enum cells { NUMBERS, WORDS_TOO, WORDS };

static dm_status read_table(pb_reader *r, const pb_node *node, enum cells cells, pb_csv *c) {
  char *text, what[64];
  size_t size;
  dm_message why = {""};
  *c = (pb_csv){0};

  // the file as text
  if (node->kind != PB_SCALAR || !node->text[0])
    return pb_refuse_node(r, node, "found %s, expected the name of a CSV file",
                          pb_node_describe(node, what));
  c->file = pb_file_beside(r, node->text);
  if (!c->file) return DM_NO_MEMORY;
  dm_status s = pb_file_read(r, node->text, c->file, &text, &size, &why);
  if (s == DM_IO)
    return pb_refuse_node(r, node, "'%.200s' cannot be read: %.100s", c->file, why.text);
  DM_TRY(s);
  if (strlen(text) != size)
    return pb_refuse_node(r, node, "'%.200s' contains a zero byte, expected text", c->file);
  if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3; // skip the byte order mark

  // a header, then at most one row per line of the file
  int line = 0;
  int max_rows = count_char(text, '\n') + 1;
  char *row = next_line(&text, &line);
  if (!row) return pb_refuse(r, c->file, 1, 0, "found an empty file, expected a header line");
  DM_TRY(read_header(r, c, row, line));
  double *value = NULL;
  int *lines;
  const size_t columns = (size_t)c->columns;
  if (cells != WORDS) PB_NEW(r->arena, value, (size_t)max_rows * columns);
  PB_NEW(r->arena, lines, max_rows);
  if (cells) PB_NEW(r->arena, c->cell, (size_t)max_rows * columns);
  c->value = value;
  c->line = lines;
  for (; (row = next_line(&text, &line)); c->rows++) {
    lines[c->rows] = line;
    DM_TRY(read_row(r, c, row, line, value ? value + (size_t)c->rows * columns : NULL));
  }
  if (!c->rows) return pb_refuse(r, c->file, line, 0, "found a header alone, expected rows");

  // the time column, which must increase
  // without a column t, rows are counted instead of timed
  int column = dm_names_find(c->name, c->columns, "t");
  double *t;
  if (column < 0 || cells) return DM_OK;
  PB_NEW(r->arena, t, c->rows);
  for (int i = 0; i < c->rows; i++) {
    // t_i > t_i-1, without gaps
    t[i] = c->value[(size_t)i * c->columns + column];
    if (isnan(t[i]) || (i && t[i] <= t[i - 1]))
      return pb_refuse(r, c->file, c->line[i], 0,
                       "column 't': row %d does not follow the one before in time", i + 1);
  }
  c->t = t;
  return DM_OK;
}

dm_status pb_csv_read(pb_reader *r, const pb_node *node, pb_csv *c) {
  return read_table(r, node, NUMBERS, c);
}

dm_status pb_csv_read_cells(pb_reader *r, const pb_node *node, pb_csv *c) {
  return read_table(r, node, WORDS_TOO, c);
}

dm_status pb_csv_read_words(pb_reader *r, const pb_node *node, pb_csv *c) {
  return read_table(r, node, WORDS, c);
}

// the columns of a group [n]; any = false if the table does not have them
static dm_status find_columns(const pb_reader *r, const pb_csv *c, const char *group,
                              const char *const *name, int n, const double *absent, int *column,
                              bool *any) {
  *any = false;
  for (int i = 0; i < n; i++) column[i] = -1;

  // map each column of the group to the index of its name; reject unknown names
  for (int j = 0; j < c->columns; j++) {
    if (c->name[j][0] != group[0] || c->name[j][1] != '.') continue;
    char meant[96];
    int i = dm_names_find(name, n, c->name[j] + 2);
    if (i < 0)
      return pb_refuse(r, c->file, 0, 0, "found the unknown column '%.64s'%s", c->name[j],
                       pb_did_you_mean(name, n, c->name[j] + 2, meant));
    column[i] = j;
    *any = true;
  }

  // a group must be complete, except for columns with a value in `absent`
  for (int i = 0; *any && i < n; i++)
    if (column[i] < 0 && (!absent || isnan(absent[i])))
      return pb_refuse(r, c->file, 0, 0,
                       "found no column '%s.%.64s', expected one beside the other "
                       "%s columns",
                       group, name[i], group);
  return DM_OK;
}

// value of a column at time t, between rows i and i + 1 of times [rows]
static double sample_column(const pb_csv *c, int column, bool held, int i, const double *times,
                            double t) {
  const double *x = c->value + column;
  size_t row = (size_t)i * c->columns;

  // a held value extends over empty cells
  while (held && i > 0 && isnan(x[row])) {
    i--;
    row = (size_t)i * c->columns;
  }
  if (held || i + 1 == c->rows || t <= times[i]) return x[row];

  // (1-w) x_i + w x_i+1
  double w = (t - times[i]) / (times[i + 1] - times[i]);
  return (1 - w) * x[row] + w * x[row + c->columns];
}

// Times of the rows and of the samples. A table without times counts in units of its rows, which is
// exact if every row falls on a sample. Every row is a knot; for inputs the row of the last knot is
// optional and unused.
static dm_status count_times(const pb_reader *r, const pb_csv *c, bool held, int count,
                             const double **times, const double **at) {
  const int N = held ? count : count - 1, steps = c->steps ? c->steps : N;
  const int rows = held ? steps : steps + 1;
  if (c->rows != rows && !(held && c->rows == rows + 1))
    return pb_refuse(r, c->file, 0, 0, "found %d rows and no column 't', expected %d rows or times",
                     c->rows, rows);
  double *of, *k;
  PB_NEW(r->arena, of, c->rows);
  PB_NEW(r->arena, k, count);
  for (int i = 0; i < c->rows; i++) of[i] = i;
  for (int i = 0; i < count; i++) k[i] = N ? (double)i * steps / N : 0;
  *times = of;
  *at = k;
  return DM_OK;
}

dm_status pb_csv_sample(const pb_reader *r, const pb_csv *c, const char *group,
                        const char *const *name, int n, const double *absent, const double *at,
                        int count, double **out) {
  int *column;
  bool any, held = group[0] == 'u';
  *out = NULL;

  // the table may lack this group
  PB_NEW(r->arena, column, n);
  DM_TRY(find_columns(r, c, group, name, n, absent, column, &any));
  if (!any) return DM_OK;

  const double *times = c->t;
  if (!times) DM_TRY(count_times(r, c, held, count, &times, &at));
  double *x;
  PB_NEW(r->arena, x, (size_t)count * (size_t)n);
  // a sample that rounding put just before a row belongs to the row
  const double slack = 1e-9 * (times[c->rows - 1] - times[0]) / c->rows;
  for (int k = 0, i = 0; k < count; k++) {
    // the last row at or before this time; i only grows because times ascend
    while (i + 1 < c->rows && times[i + 1] <= at[k] + slack) i++;
    for (int j = 0; j < n; j++) {
      // a missing column has a constant value
      double value = column[j] < 0 ? absent[j] : sample_column(c, column[j], held, i, times, at[k]);
      if (isnan(value))
        return pb_refuse(r, c->file, c->line[i], 0,
                         "found an empty cell in column '%s.%.64s' in or after row %d, expected a "
                         "number",
                         group, name[j], i + 1);
      x[(size_t)k * n + j] = value;
    }
  }
  *out = x;
  return DM_OK;
}
