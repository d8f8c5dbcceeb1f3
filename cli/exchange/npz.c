// NumPy's .npz: for each table of the folder an array of its numbers, its columns and their units;
// for each column of words a separate array.
//
// Source: NumPy Enhancement Proposal 1, the .npy file format, version 1.0.
#include "cli/console/log.h"
#include "cli/exchange/archive.h"
#include "cli/exchange/formats.h"
#include "problems/readers/task/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- arrays

// the header of an array: its type and shape, cols 0 for a list; a multiple of 64 bytes
static void put_head(cli_bytes *b, const char *type, int rows, int cols) {
  enum { BEFORE = 10, LINE = 64 };
  char shape[64], text[256];
  snprintf(shape, sizeof shape, cols ? "(%d, %d)" : "(%d,)", rows, cols);
  const int length = snprintf(
      text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  const int whole = (BEFORE + length + LINE) / LINE * LINE;
  cli_bytes_put(b, "\x93NUMPY\x01\x00", 8);
  cli_bytes_integer(b, (uint64_t)(whole - BEFORE), 2);
  cli_bytes_put(b, text, (size_t)length);
  for (int i = BEFORE + length; i < whole - 1; i++) cli_bytes_put(b, " ", 1);
  cli_bytes_put(b, "\n", 1);
}

// the next character of UTF-8 text, which is well-formed because tables are validated
static uint32_t take_character(const char **text) {
  const unsigned char *at = (const unsigned char *)*text;
  const int more = *at < 0x80 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
  static const unsigned char mask[] = {0x7f, 0x1f, 0x0f, 0x07};
  uint32_t c = *at & mask[more];
  for (int i = 1; i <= more; i++) c = c << 6 | (at[i] & 0x3f);
  *text += more + 1;
  return c;
}

static int count_characters(const char *text) {
  int n = 0;
  for (; *text; n++) take_character(&text);
  return n;
}

// a list of texts, `step` pointers apart, as UTF-32
static void put_texts(cli_bytes *b, const char *const *text, int n, int step) {
  char type[32];
  int width = 1;
  for (int i = 0; i < n; i++) {
    const int length = count_characters(text[(size_t)i * (size_t)step]);
    if (length > width) width = length;
  }
  snprintf(type, sizeof type, "<U%d", width);
  put_head(b, type, n, 0);
  for (int i = 0; i < n; i++) {
    const char *at = text[(size_t)i * (size_t)step];
    for (int c = 0; c < width; c++) cli_bytes_integer(b, *at ? take_character(&at) : 0, 4);
  }
}

// -- units

// the index in a list of the name in a column, or -1
static int find_place(const char *const *list, int n, const char *column) {
  int i = n - 1;
  while (i >= 0 && !cli_cell_is_name(column, strlen(column), list[i])) i--;
  return i;
}

static const char *find_coordinate_unit(const cli_exhibit *x, const char *name, char what) {
  const int i = find_place(x->call.run.p->names.coord, x->call.run.p->names.n, name);
  return i >= 0 ? pb_problem_unit(x->call.run.p, what, i) : "";
}

static const char *find_input_unit(const cli_exhibit *x, const char *name) {
  const int i = find_place(x->call.run.p->names.input, x->call.run.p->names.nu, name);
  return i >= 0 ? pb_problem_unit(x->call.run.p, 'u', i) : "";
}

static const char *find_output_unit(const cli_exhibit *x, const char *name) {
  const int i = find_place(x->call.run.p->names.output, x->call.run.p->names.ny, name);
  return i >= 0 ? dm_outputs_unit(x->call.run.p->robot.outputs.rows, i) : "";
}

// the unit from the prefix of a column's name; "": unknown
static const char *find_column_unit(const cli_exhibit *x, const char *column) {
  static const char *const before[] = {"", "open.", "closed."};
  if (!strcmp(column, "t")) return "s";
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    const size_t skip = strlen(before[i]);
    const char *at = column + skip;
    if (strncmp(column, before[i], skip)) continue;
    if (at[0] && strchr("qvp", at[0]) && at[1] == '.')
      return find_coordinate_unit(x, at + 2, at[0]);
    if (!strncmp(at, "u.", 2)) return find_input_unit(x, at + 2);
    if (!strncmp(at, "u_d.", 4)) return find_input_unit(x, at + 4);
    if (!strncmp(at, "y.", 2)) return find_output_unit(x, at + 2);
  }
  return "";
}

// -- tables

typedef struct shelf {
  cli_archive z;
  dm_message msg;
  const char *phase;    // prefix of array names; NULL: none
  const cli_exhibit *x; // source of units; NULL: none
} shelf;

// add an array NAME, PHASE/NAME, or NAME.COLUMN; the bytes are freed
static dm_status shelve_array(shelf *w, const char *table, const char *part, cli_bytes *b) {
  char name[512];
  snprintf(name, sizeof name, "%s%s%s%s%s.npy", w->phase ? w->phase : "", w->phase ? "/" : "",
           table, part ? "." : "", part ? part : "");
  dm_status s = cli_archive_add(&w->z, name, b);
  cli_bytes_free(b);
  if (s == DM_BAD_INPUT)
    s = dm_fail(&w->msg, s,
                "%s: the tables are more than the 4 GiB that a .npz holds: keep fewer knots", name);
  return s == DM_NO_MEMORY ? dm_fail(&w->msg, s, "%s: out of memory", name) : s;
}

static dm_status shelve_table(shelf *w, const char *name, const cli_named_table *t) {
  cli_bytes b = {0};
  put_head(&b, "<f8", t->rows, t->cols);
  for (int r = 0; r < t->rows; r++)
    for (int c = 0; c < t->cols; c++) cli_bytes_double(&b, cli_named_table_number(t, r, c));
  DM_TRY(shelve_array(w, name, NULL, &b));
  put_texts(&b, t->name, t->cols, 1);
  DM_TRY(shelve_array(w, name, "columns", &b));

  // units of columns, if known
  const char **unit = calloc((size_t)t->cols, sizeof *unit);
  if (!unit) return dm_fail(&w->msg, DM_NO_MEMORY, "%s: out of memory", name);
  for (int c = 0; c < t->cols; c++) unit[c] = w->x ? find_column_unit(w->x, t->name[c]) : "";
  put_texts(&b, unit, t->cols, 1);
  free(unit);
  DM_TRY(shelve_array(w, name, "units", &b));

  // columns of words
  for (int c = 0; c < t->cols; c++) {
    if (!cli_named_table_has_words(t, c)) continue;
    put_texts(&b, t->cell + c, t->rows, t->cols);
    DM_TRY(shelve_array(w, name, t->name[c], &b));
  }
  return DM_OK;
}

// a table of a folder, named by its file without extension
static dm_status shelve_file(shelf *w, const pb_file *file, const char *of) {
  cli_named_table t;
  char name[CLI_RESULT_NAME];
  snprintf(name, sizeof name, "%.*s", (int)(strlen(of) - strlen(".csv")), of);
  DM_TRY(cli_named_table_read(&t, file, &w->msg));
  const dm_status s = shelve_table(w, name, &t);
  cli_named_table_free(&t);
  return s;
}

// whether a folder lists a table; folders of earlier versions have no list
static bool holds_table(const cli_json *files, const pb_file *file, const char *of) {
  const char *dot = strrchr(of, '.');
  if (!dot || strcmp(dot, ".csv")) return false;
  return files ? cli_json_get_text(files, of) != NULL : pb_file_there(file);
}

// all tables of a folder
static dm_status shelve_folder(shelf *w, const pb_folder *folder, const cli_json *result) {
  const cli_json *files = cli_json_get_object(result, "files");
  for (int i = 0; i < CLI_FILES; i++) {
    char text[CLI_RESULT_NAME];
    const char *of = cli_result_name(cli_result_files[i]->name, result, text);
    const pb_file file = pb_file_in(folder, of);
    if (holds_table(files, &file, of)) DM_TRY(shelve_file(w, &file, of));
  }
  return DM_OK;
}

static int write_npz(const cli_conversion *c, FILE *f) {
  shelf w = {.z = {.f = f}, .msg = {""}};
  dm_status s = DM_OK;

  // the whole folder, then each phase
  if (c->phases->whole) s = shelve_folder(&w, &c->phases->folder, c->phases->whole);
  for (int i = 0; s == DM_OK && i < c->all->n; i++) {
    const cli_exhibit *x = c->all->at[i];
    w.x = x;
    w.phase = c->phases->n ? c->phases->name[i] : NULL;
    s = shelve_folder(&w, &x->call.place.operand, x->call.result);
  }
  const dm_status ended = cli_archive_end(&w.z);
  if (s == DM_OK) s = ended;
  return s == DM_OK ? CLI_DONE : cli_fail_status(c->args, s, &w.msg);
}

const cli_format cli_format_npz = {
    .word = "npz",
    .suffix = ".npz",
    .file = CLI_NPZ,
    .phases = true,
    .write = write_npz,
};
