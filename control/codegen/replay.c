#include "control/codegen/replay.h"

#include "control/codegen/controller.h"
#include "control/codegen/lines.h"
#include "control/codegen/number.h"
#include "lib/base/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

// -- controller_trace.csv

int fb_replay_columns(const fb_codegen *c) {
  int n = 0;
  for (int way = 0; way < FB_WAYS; way++)
    if (fb_codegen_has(c, way)) n += fb_codegen_width(c, way) + fb_codegen_any(c)->f.nu;
  return n;
}

void fb_replay_name(FILE *f, const char *const *name, int i) {
  if (!name) {
    fprintf(f, "%d", i);
    return;
  }

  // multi-byte characters stay intact
  for (const char *at = name[i]; *at;) {
    int n = strchr(",\"#", *at) ? 0 : dm_text_plain(at);
    if (n)
      fwrite(at, 1, (size_t)n, f);
    else
      fputc('_', f);
    at += n ? n : 1;
  }
}

void fb_replay_trace_header(FILE *f, const fb_codegen *c) {
  fputs("k", f);
  for (int way = 0; way < FB_WAYS; way++) {
    if (!fb_codegen_has(c, way)) continue;

    // the measurement
    fb_codegen_parameter list[FB_MAX_PARAMETERS];
    int count = fb_codegen_parameters(c, way, list);
    for (int i = 0; i < count; i++)
      for (int j = 0; j < list[i].n; j++) {
        fprintf(f, ",%s.%s", fb_codegen_way(way), list[i].cell);
        fb_replay_name(f, list[i].of, list[i].which ? list[i].which[j] : j);
      }

    // the law's output
    for (int i = 0; i < fb_codegen_any(c)->f.nu; i++) {
      fprintf(f, ",%s.u.", fb_codegen_way(way));
      fb_replay_name(f, c->set.input, i);
    }
  }
  fputc('\n', f);
}

void fb_replay_trace_row(FILE *f, const fb_codegen *c, int k, const double *row) {
  const int columns = fb_replay_columns(c);
  fprintf(f, "%d", k);
  for (int j = 0; j < columns; j++) {
    fputc(',', f);
    fb_number_put(f, c->set.single, row[j]);
  }
  fputc('\n', f);
}

// -- controller_replay.c

static const char replay_text[] =
    "#include \"controller.h\"\n"
    "\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "\n"
    "static char line[LINE];\n"
    "static controller_real row[COLUMNS], u[CONTROLLER_NU];\n"
    "static int different;\n"
    "\n"
    "static void compare(int k, const char *form, const controller_real *wanted) {\n"
    "  int i;\n"
    "  for (i = 0; i < CONTROLLER_NU; i++)\n"
    "    if (memcmp(&u[i], &wanted[i], sizeof u[i]) != 0 && different++ < 10)\n"
    "      printf(\"k = %d, %s, u[%d]: %.17g, not %.17g\\n\", k, form, i, (double)u[i],\n"
    "             (double)wanted[i]);\n"
    "}\n"
    "\n"
    "static int read_row(char *at, int *k) {\n"
    "  char *end;\n"
    "  int j;\n"
    "  *k = (int)strtol(at, &end, 10);\n"
    "  for (j = 0; j < COLUMNS; j++) {\n"
    "    if (end == at || *end != ',') return 0;\n"
    "    at = end + 1;\n"
    "    row[j] = READ(at, &end);\n"
    "  }\n"
    "  return end != at;\n"
    "}\n"
    "\n";

static const char replay_main[] =
    "int main(int n, char **word) {\n"
    "  const char *path = n > 1 ? word[1] : \"controller_trace.csv\";\n"
    "  FILE *f = fopen(path, \"r\");\n"
    "  int k, rows = 0, begins = 1;\n"
    "  if (!f) {\n"
    "    printf(\"%s cannot be read\\n\", path);\n"
    "    return 2;\n"
    "  }\n"
    "  while (fgets(line, sizeof line, f)) {\n"
    "    int whole = begins && line[0] >= '0' && line[0] <= '9';\n"
    "    begins = strchr(line, '\\n') != NULL;\n"
    "    if (!whole) continue;\n"
    "    if (!read_row(line, &k)) {\n"
    "      printf(\"%s: row %d: expected %d numbers\\n\", path, rows, COLUMNS + 1);\n"
    "      return 2;\n"
    "    }\n"
    "    rows++;\n";

// call a form's function on its part of the row; returns the end of that part
static int put_call(FILE *f, const fb_codegen *c, int way, int at) {
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  int count = fb_codegen_parameters(c, way, list);

  // each parameter is a pointer into the row; the values of u follow them
  fb_lines_print(f, c->set.prefix, "    controller_%s(", fb_codegen_way(way));
  if (fb_codegen_any(c)->near)
    fprintf(f, "&place[%d]", way);
  else
    fprintf(f, "k%s", way == FB_ENCODERS ? ", &filter" : way == FB_DIFFERENCE ? ", &rates" : "");
  if (fb_codegen_watches(c, way)) fprintf(f, ", &guard[%d]", way);
  if (fb_codegen_any(c)->f.rate_limit) fprintf(f, ", &last[%d]", way);
  for (int i = 0; i < count; at += list[i++].n) fprintf(f, ", row + %d", at);
  fprintf(f, ", u);\n    compare(k, \"%s\", row + %d);\n", fb_codegen_way(way), at);
  return at + fb_codegen_any(c)->f.nu;
}

void fb_replay_source(FILE *f, const fb_codegen *c) {
  const int columns = fb_replay_columns(c);
  int at = 0;

  // sizes of a row: a number has at most 32 characters, including its comma
  fb_controller_origin(f, c, "controller_replay.c");
  fb_lines_print(
      f, c->set.prefix,
      "// Replays controller_trace.csv (or the file named) and holds the controller's inputs "
      "against it, bit for\n// bit: cc -std=c99 controller.c controller_replay.c && ./a.out\n"
      "#define COLUMNS %d\n#define LINE    %d\n#define READ    %s\n",
      columns, 64 + 32 * columns, c->set.single ? "strtof" : "strtod");

  // read and compare, then for each row call every form; a filter starts at the first
  fb_lines_put(f, c->set.prefix, replay_text);
  const bool differs = fb_codegen_has(c, FB_DIFFERENCE);
  if (differs) fb_lines_put(f, c->set.prefix, "static controller_rates rates;\n");
  const bool watches = fb_codegen_any(c)->f.envelope != NULL;
  if (c->estimator) fb_lines_put(f, c->set.prefix, "static controller_filter filter;\n");
  if (watches) fb_lines_print(f, c->set.prefix, "static controller_guard guard[%d];\n", FB_WAYS);
  const bool slews = fb_codegen_any(c)->f.rate_limit != NULL;
  if (slews) fb_lines_print(f, c->set.prefix, "static controller_output last[%d];\n", FB_WAYS);
  const bool follows = fb_codegen_any(c)->near != NULL;
  if (follows) fb_lines_print(f, c->set.prefix, "static controller_path place[%d];\n", FB_FORMS);
  fb_lines_put(f, c->set.prefix, replay_main);
  if (c->estimator)
    fb_lines_put(f, c->set.prefix, "    if (rows == 1) controller_begin(&filter);\n");
  if (differs) fb_lines_put(f, c->set.prefix, "    if (rows == 1) controller_forget(&rates);\n");
  for (int way = 0; watches && way < FB_WAYS; way++)
    fb_lines_print(f, c->set.prefix, "    if (rows == 1) controller_reset(&guard[%d]);\n", way);
  for (int way = 0; follows && way < FB_FORMS; way++)
    fb_lines_print(f, c->set.prefix, "    if (rows == 1) controller_enter(&place[%d]);\n", way);
  for (int way = 0; slews && way < FB_WAYS; way++)
    fb_lines_print(f, c->set.prefix, "    if (rows == 1) controller_start(&last[%d]);\n", way);
  for (int way = 0; way < FB_WAYS; way++)
    if (fb_codegen_has(c, way)) at = put_call(f, c, way, at);
  fputs("  }\n"
        "  fclose(f);\n"
        "  printf(\"%d rows, %d numbers differ\\n\", rows, different);\n"
        "  return rows == 0 || different ? 1 : 0;\n"
        "}\n",
        f);
}
