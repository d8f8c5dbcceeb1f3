#include "cli/controller.h"

#include "config.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// what is common to all forms: any of them
static const fb_measure *any(const cli_controller *c) {
  int form = 0;
  while (!c->law[form]) form++;
  return c->law[form];
}

static long numbers(const fb_measure *w) {
  return (long)w->f.N * w->ny * (w->f.nu + 1);
}

static long size(const cli_controller *c) {
  return c->single ? 4 : 8;
}

long cli_controller_tables(const cli_controller *c) {
  const fb_schedule *f = &any(c)->f;
  long n = (long)f->nu * (f->N + 2 + f->late);
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form]) n += numbers(c->law[form]);
  return n * size(c);
}

int cli_controller_stack(const cli_controller *c) {
  enum { FRAMES = 320 };
  int ny = 0;
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form] && c->law[form]->ny > ny) ny = c->law[form]->ny;
  return ny * (int)size(c) + FRAMES;
}

// -- numbers and names

static void format(const cli_controller *c, double x, char text[32]) {
  snprintf(text, 32, c->single ? "%.9g" : "%.17g", c->single ? (double)(float)x : x);
}

double cli_controller_rounded(const cli_controller *c, double x) {
  char text[32];
  format(c, x, text);
  return c->single ? (double)strtof(text, NULL) : strtod(text, NULL);
}

// a constant of the language: 1 is an integer, and has no -0
static void put_number(FILE *f, const cli_controller *c, double x) {
  char text[32];
  format(c, x, text);
  fprintf(f, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", c->single ? "F" : "");
}

static void put_table(FILE *f, const cli_controller *c, const char *name, const char *form,
                      const double *x, size_t rows, size_t cols) {
  fprintf(f, "static const controller_real %s%s[%zu] = {", name, form, rows * cols);
  for (size_t i = 0; i < rows * cols; i++) {
    fputs(i % cols == 0 || i % cols % 6 == 0 ? "\n    " : " ", f);
    put_number(f, c, x[i]);
    if (i + 1 < rows * cols) fputc(',', f);
  }
  fputs("};\n", f);
}

// what would end a comment, or go on after it, becomes _
static void put_word(FILE *f, const char *name) {
  for (; *name; name++) fputc(*name < ' ' || strchr("\\?/*", *name) ? '_' : *name, f);
}

// -- the functions' heads

// by dm_kind
static const char *const length[] = {"m", "rad", "1"}, *const speed[] = {"m/s", "rad/s", "1/s"};

// a parameter: its name, how many numbers, and what they are
typedef struct parameter {
  const char *name;
  int n;
  const char *const *of; // [n]
  const char *what;
  const char *const *unit; // by dm_kind; NULL: of inputs
} parameter;

enum { MOST_PARAMETERS = 4 };

static int parameters(const cli_controller *c, fb_form form, parameter list[MOST_PARAMETERS]) {
  static const char *const momentum[] = {"N s", "N m s", "N m s"};
  const cli_names *names = &c->job->names;
  const fb_measure *w = c->law[form];
  int n = w->n, count = 0;
  list[count++] = (parameter){"q", n, names->coord, "configuration", length};
  if (form == FB_STATE)
    list[count++] = (parameter){"p", n, names->coord, "momentum L_v(q,v)", momentum};
  if (form == FB_VELOCITY) list[count++] = (parameter){"v", n, names->coord, "velocity", speed};
  if (form == FB_POSITIONS) {
    list[count++] = (parameter){"before", n, names->coord, "configuration one step ago", length};
    if (w->nf)
      list[count++] = (parameter){"force", w->nf, names->input,
                                  "forces applied since, as they were after limits", NULL};
  }
  if (w->f.late)
    list[count++] =
        (parameter){"now", w->f.nu, names->input, "input under way, as applied from now on", NULL};
  return count;
}

static const char *unit_of(const cli_controller *c, const parameter *p, int i) {
  const pb_problem *problem = c->job->p;
  const dm_model *m = problem->model;
  const char *const *unit = p->unit;
  int coord = i;
  if (!unit && i < problem->task.system.nu) return pb_robot_unit(&problem->robot, i);
  if (!unit) { // the next value of a kinematic coordinate
    int k = i - problem->task.system.nu;
    for (coord = 0; !m->kinematic[coord] || k-- > 0;) coord++;
    unit = length;
  } else if (m->kinematic[i] && !strcmp(p->name, "p")) {
    unit = speed;
  }
  return unit[m->kind[coord]];
}

static void put_head(FILE *f, const cli_controller *c, fb_form form) {
  parameter list[MOST_PARAMETERS];
  int count = parameters(c, form, list);
  fprintf(f, "void controller_%s(int k", fb_form_names[form]);
  for (int i = 0; i < count; i++)
    fprintf(f, ", const controller_real %s[%d]", list[i].name, list[i].n);
  fprintf(f, ", controller_real u[%d])", any(c)->f.nu);
}

static void put_parameter(FILE *f, const cli_controller *c, const parameter *p) {
  fprintf(f, "//   %s [%d]: %s\n", p->name, p->n, p->what);
  for (int i = 0; i < p->n; i++) {
    fprintf(f, "//     [%d] ", i);
    put_word(f, p->of[i]);
    fprintf(f, ", %s\n", unit_of(c, p, i));
  }
}

// -- controller.h

static void put_origin(FILE *f, const cli_controller *c, const char *what) {
  fprintf(f, "// %s: feedback for ", what);
  put_word(f, c->job->p->name);
  fprintf(f, ", written by dmoc %s.\n// Inputs' SHA-256: %s\n", DMOC_VERSION, c->job->p->sha256);
}

void cli_controller_header(FILE *f, const cli_controller *c) {
  const fb_schedule *s = &any(c)->f;
  parameter list[MOST_PARAMETERS], u = {"u", s->nu, c->job->names.input, "input", NULL};
  put_origin(f, c, "controller.h");
  fprintf(
      f,
      "//\n//   u = u_d - G (y - y_d)\n//\n"
      "// Feedback is subtracted. y is what is measured at knot k, t = k h, h = %.17g s; u is held "
      "from %s.\n// Steps k = 0 .. %d; a k beyond is taken as the nearest. u is cut to its "
      "limits.\n// Angles are not wrapped nor quaternions' signs changed: they are as along the "
      "plan.\n// Coordinates and inputs are positive as in the robot's "
      "file; units are SI.\n//\n",
      s->h, s->late ? "t + h to t + 2 h" : "t to t + h", s->N - 1);
  fprintf(f,
          "// Tables: %ld bytes in %s precision. Stack: at most %d bytes. No memory is allocated "
          "and none is kept.\n"
          "// On IEEE arithmetic of that precision, products not fused with sums, it gives bit for "
          "bit what dmoc\n// computes: -ffp-contract=off (controller.c asks for it, too), no "
          "-ffast-math, on old x86 -mfpmath=sse.\n// controller_replay.c holds it against "
          "controller_trace.csv.\n",
          cli_controller_tables(c), c->single ? "single" : "double", cli_controller_stack(c));
  fputs("#ifndef CONTROLLER_H\n#define CONTROLLER_H\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        f);
  fprintf(f, "typedef %s controller_real;\n\n", c->single ? "float" : "double");
  fprintf(f, "enum { CONTROLLER_STEPS = %d, CONTROLLER_NQ = %d, CONTROLLER_NU = %d };\n\n", s->N,
          any(c)->n, s->nu);
  put_parameter(f, c, &u);
  for (int form = 0; form < FB_FORMS; form++) {
    if (!c->law[form]) continue;
    int count = parameters(c, (fb_form)form, list);
    fputs("//\n", f);
    for (int i = 0; i < count; i++) put_parameter(f, c, &list[i]);
    if (form == FB_POSITIONS)
      fputs("// At k = 0 there is no step before: what is of it is not used, but must be finite.\n",
            f);
    put_head(f, c, (fb_form)form);
    fputs(";\n", f);
  }
  if (s->late)
    fprintf(f,
            "\n// The input from t = 0 to h, which nothing has decided yet.\n"
            "void controller_first(controller_real u[%d]);\n",
            s->nu);
  fputs("\n#ifdef __cplusplus\n}\n#endif\n#endif\n", f);
}

// -- controller.c

static void put_limits(FILE *f, const cli_controller *c) {
  const oc_task *task = c->job->task;
  int nu = any(c)->f.nu;
  for (int high = 0; high < 2; high++) {
    const double *limit = high ? task->u_max : task->u_min, most = c->single ? FLT_MAX : DBL_MAX;
    fprintf(f, "static const controller_real u_%s[%d] = {", high ? "max" : "min", nu);
    for (int i = 0; i < nu; i++) {
      double x = limit ? limit[i] : INFINITY;
      if (i) fputs(", ", f);
      put_number(f, c, isfinite(x) ? x : high ? most : -most);
    }
    fputs("};\n", f);
  }
}

static const char law_text[] =
    "\n"
    "// c - G (y - y_d), summed from the left, within limits\n"
    "static void law(int ny, const controller_real *G, const controller_real *y_d,\n"
    "                const controller_real *c, const controller_real *y, controller_real *u) {\n"
    "  int i, j;\n"
    "  for (i = 0; i < CONTROLLER_NU; i++) {\n"
    "    controller_real sum = c[i];\n"
    "    for (j = 0; j < ny; j++) {\n"
    "      controller_real product = G[i * ny + j] * (y[j] - y_d[j]);\n"
    "      sum = sum - product;\n"
    "    }\n"
    "    if (sum > u_max[i]) sum = u_max[i];\n"
    "    if (sum < u_min[i]) sum = u_min[i];\n"
    "    u[i] = sum;\n"
    "  }\n"
    "}\n"
    "\n"
    "static int knot(int k) {\n"
    "  return k < 0 ? 0 : k < CONTROLLER_STEPS ? k : CONTROLLER_STEPS - 1;\n"
    "}\n";

static void put_function(FILE *f, const cli_controller *c, fb_form form) {
  const fb_measure *w = c->law[form];
  const char *name = fb_form_names[form];
  parameter list[MOST_PARAMETERS];
  int count = parameters(c, form, list), at = 0;
  fputs("\n", f);
  put_head(f, c, form);
  fprintf(f, " {\n  controller_real y[%d];\n  int at = knot(k), i;\n", w->ny);
  for (int i = 0; i < count; at += list[i++].n)
    fprintf(f, "  for (i = 0; i < %d; i++) y[%d + i] = %s[i];\n", list[i].n, at, list[i].name);
  fprintf(f, "  law(%d, G_%s + at * %d, y_d_%s + at * %d, u_d + at * %d, y, u);\n}\n", w->ny, name,
          w->f.nu * w->ny, name, w->ny, w->f.nu);
}

void cli_controller_source(FILE *f, const cli_controller *c) {
  const fb_measure *w = any(c);
  const size_t N = (size_t)w->f.N, nu = (size_t)w->f.nu;
  put_origin(f, c, "controller.c");
  fputs("#include \"controller.h\"\n\n"
        "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n"
        "#elif defined(__GNUC__)\n#pragma GCC optimize(\"fp-contract=off\")\n#endif\n\n",
        f);
  put_limits(f, c);
  put_table(f, c, "u_d", "", w->c, N, nu);
  if (w->f.late) put_table(f, c, "first", "", w->f.u, 1, nu);
  for (int form = 0; form < FB_FORMS; form++) {
    const fb_measure *law = c->law[form];
    if (!law) continue;
    size_t ny = (size_t)law->ny;
    put_table(f, c, "y_d_", fb_form_names[form], law->y_d, N, ny);
    put_table(f, c, "G_", fb_form_names[form], law->G, N, nu * ny);
  }
  fputs(law_text, f);
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form]) put_function(f, c, (fb_form)form);
  if (w->f.late)
    fprintf(f,
            "\nvoid controller_first(controller_real u[%zu]) {\n  int i;\n  for (i = 0; i < "
            "CONTROLLER_NU; i++) u[i] = first[i];\n}\n",
            nu);
}

// -- controller_trace.csv

void cli_controller_trace_header(FILE *f, const cli_controller *c) {
  const cli_names *names = &c->job->names;
  fprintf(f,
          "# a closed loop on the discrete map: what is measured, and the law's answer, in %s "
          "precision\nk",
          c->single ? "single" : "double");
  for (int form = 0; form < FB_FORMS; form++) {
    const fb_measure *w = c->law[form];
    char before[32];
    snprintf(before, sizeof before, ",%s.", fb_form_names[form]);
    for (int j = 0; w && j < w->ny; j++) cli_put_measured(f, before, names, w, j);
    snprintf(before, sizeof before, ",%s.u.", fb_form_names[form]);
    for (int i = 0; w && i < w->f.nu; i++) cli_put_name(f, before, names->input[i]);
  }
  fputc('\n', f);
}

static int columns(const cli_controller *c) {
  int n = 0;
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form]) n += c->law[form]->ny + c->law[form]->f.nu;
  return n;
}

void cli_controller_trace_row(FILE *f, const cli_controller *c, int k, const double *row) {
  fprintf(f, "%d", k);
  for (int j = 0; j < columns(c); j++) fprintf(f, c->single ? ",%.9g" : ",%.17g", row[j]);
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
    "\n"
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

void cli_controller_replay(FILE *f, const cli_controller *c) {
  int at = 0;
  put_origin(f, c, "controller_replay.c");
  fprintf(f,
          "// Replays controller_trace.csv (or the file named) and holds the controller's inputs "
          "against it, bit for\n// bit: cc -std=c99 controller.c controller_replay.c && ./a.out\n"
          "#define COLUMNS %d\n#define LINE    %d\n#define READ    %s\n",
          columns(c), 64 + 32 * columns(c), c->single ? "strtof" : "strtod");
  fputs(replay_text, f);
  for (int form = 0; form < FB_FORMS; form++) {
    if (!c->law[form]) continue;
    parameter list[MOST_PARAMETERS];
    int count = parameters(c, (fb_form)form, list);
    fprintf(f, "    controller_%s(k", fb_form_names[form]);
    for (int i = 0; i < count; at += list[i++].n) fprintf(f, ", row + %d", at);
    fprintf(f, ", u);\n    compare(k, \"%s\", row + %d);\n", fb_form_names[form], at);
    at += c->law[form]->f.nu;
  }
  fputs("  }\n"
        "  fclose(f);\n"
        "  printf(\"%d rows, %d numbers differ\\n\", rows, different);\n"
        "  return rows == 0 || different ? 1 : 0;\n"
        "}\n",
        f);
}
