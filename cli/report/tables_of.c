#include "cli/report/tables_of.h"

#include "cli/report/base64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300000 }; // numbers per table

// the row of the table at position i of those shown
static int find_row(const cli_named_table *t, int every, int i) {
  const int row = i * every;
  return row < t->rows ? row : t->rows - 1;
}

static void put_words(cli_json *o, const cli_named_table *t, int col, int rows, int every) {
  cli_json *list = json_object_new_array();
  json_object_object_add(o, "words", list);
  for (int i = 0; i < rows; i++) {
    const size_t row = (size_t)find_row(t, every, i);
    json_object_array_add(list,
                          json_object_new_string(t->cell[row * (size_t)t->cols + (size_t)col]));
  }
}

// Column c of row i of those shown; for violations, whose maximum must not be lost, the largest
// value up to the next shown row.
static double find_value(const cli_named_table *t, bool largest, int every, int i, int c) {
  double x = cli_named_table_number(t, find_row(t, every, i), c);
  for (int r = i * every + 1; largest && r < (i + 1) * every && r < t->rows; r++)
    x = fmax(x, cli_named_table_number(t, r, c));
  return x;
}

static dm_status put_table(cli_json *tables, const char *name, const cli_named_table *t) {
  // every n-th row, and the last
  const int every = (int)((long)t->rows * t->cols / MOST) + 1;
  const int rows = (t->rows - 1 + every - 1) / every + 1;
  const bool largest = !strcmp(name, cli_file_violations.name);
  double *x = malloc((size_t)rows * sizeof *x);
  if (!x) return DM_NO_MEMORY;
  cli_json *o = json_object_new_object(), *columns = json_object_new_array();
  json_object_array_add(tables, o);
  cli_json_text(o, "name", name);
  cli_json_int(o, "rows", rows);
  cli_json_int(o, "of", t->rows);
  cli_json_int(o, "every", every);
  json_object_object_add(o, "columns", columns);

  // words if a cell of the column is not a number
  dm_status s = DM_OK;
  for (int c = 0; s == DM_OK && c < t->cols; c++) {
    cli_json *column = json_object_new_object();
    json_object_array_add(columns, column);
    cli_json_text(column, "name", t->name[c]);
    if (cli_named_table_has_words(t, c)) {
      put_words(column, t, c, rows, every);
      continue;
    }
    for (int i = 0; i < rows; i++) x[i] = find_value(t, largest && c > 0, every, i, c);
    s = cli_base64_numbers(column, "x", x, (size_t)rows);
  }
  free(x);
  return s;
}

// the table in a file, or the reason why it cannot be read
static dm_status put_file(cli_json *tables, cli_json *odd, const char *name, const pb_file *file) {
  cli_named_table t = {0};
  dm_message why = {""};
  dm_status s = cli_named_table_read(&t, file, &why);
  if (s == DM_OK) {
    s = put_table(tables, name, &t);
  } else if (s != DM_NO_MEMORY) {
    json_object_array_add(odd, json_object_new_string(why.text));
    s = DM_OK;
  }
  cli_named_table_free(&t);
  return s;
}

// whether the page draws nothing from a table
static bool is_unseen(const char *name) {
  static const char *const unseen[] = {"multipliers.csv", "plant.csv",  "controller_trace.csv",
                                       "momenta.csv",     "second.csv", "linearization.csv"};
  for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
    if (!strcmp(name, unseen[i])) return true;
  return false;
}

// create the lists for tables and errors
static void open_lists(cli_json *obj, cli_json **tables, cli_json **odd) {
  *tables = json_object_new_array();
  *odd = json_object_new_array();
  json_object_object_add(obj, "tables", *tables);
  json_object_object_add(obj, "odd", *odd);
}

dm_status cli_tables_of(cli_json *obj, const pb_folder *folder) {
  cli_json *tables, *odd;
  open_lists(obj, &tables, &odd);
  dm_status s = DM_OK;

  // existing tables of the registry
  for (int i = 0; s == DM_OK && i < CLI_FILES; i++) {
    const char *name = cli_result_files[i]->name, *dot = strrchr(name, '.');
    const pb_file file = pb_file_in(folder, name);
    const bool table = dot && !strcmp(dot, ".csv") && !is_unseen(name) && pb_file_there(&file);
    if (table) s = put_file(tables, odd, name, &file);
  }
  return s;
}

dm_status cli_table_of(cli_json *obj, const char *name, const pb_file *file) {
  cli_json *tables, *odd;
  open_lists(obj, &tables, &odd);
  return put_file(tables, odd, name, file);
}
