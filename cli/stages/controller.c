#include "cli/stages/controller.h"

#include "cli/results/gains.h"
#include "cli/stages/constants.h"

#include "config.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- the ways to be measured

const fb_output_feedback *cli_controller_any(const cli_controller *c) {
  int form = 0;
  while (!c->law[form]) form++;
  return c->law[form];
}

bool cli_controller_has(const cli_controller *c, int way) {
  return way == CLI_ENCODERS ? c->estimator != NULL : c->law[way] != NULL;
}

const char *cli_controller_way(int way) {
  return way == CLI_ENCODERS ? "encoders" : fb_form_names[way];
}

int cli_controller_width(const cli_controller *c, int way) {
  const fb_tvlqr *f = &cli_controller_any(c)->f;
  return way == CLI_ENCODERS ? c->estimator->ny + f->late * f->nu : c->law[way]->ny;
}

static int columns(const cli_controller *c) {
  int n = 0;
  for (int way = 0; way < CLI_WAYS; way++)
    if (cli_controller_has(c, way)) n += cli_controller_width(c, way) + cli_controller_any(c)->f.nu;
  return n;
}

// what would end a comment, or go on after it, or is not ASCII, becomes _
static void put_word(FILE *f, const char *name) {
  for (; *name; name++) {
    bool fits = *name >= ' ' && *name <= '~' && !strchr("\\?/*", *name);
    fputc(fits ? *name : '_', f);
  }
}

// -- the functions' heads

// by dm_kind
static const char *const length[] = {"m", "rad", "1"}, *const speed[] = {"m/s", "rad/s", "1/s"};

// a parameter: its name, how many numbers, and what they are
typedef struct parameter {
  const char *name;
  int n;
  const char *const *of; // [n], or by which
  const char *what;
  const char *const *unit; // by dm_kind; NULL: of inputs
  const int *which;        // [n] of the coordinates; NULL: all in turn
} parameter;

enum { MOST_PARAMETERS = 4 };

static int parameters(const cli_controller *c, int form, parameter list[MOST_PARAMETERS]) {
  static const char *const momentum[] = {"N s", "N m s", "N m s"};
  const cli_names *names = &c->job->names;
  const fb_estimator *e = c->estimator;
  const fb_output_feedback *w = form == CLI_ENCODERS ? cli_controller_any(c) : c->law[form];
  int n = w->n, count = 0;
  if (form == CLI_ENCODERS)
    list[count++] =
        (parameter){"encoder", e->ny, names->coord, "what encoders read", length, e->which};
  else
    list[count++] = (parameter){"q", n, names->coord, "configuration", length, NULL};
  if (form == FB_STATE)
    list[count++] = (parameter){"p", n, names->coord, "momentum L_v(q,v)", momentum, NULL};
  if (form == FB_VELOCITY)
    list[count++] = (parameter){"v", n, names->coord, "velocity", speed, NULL};
  if (form == FB_POSITIONS) {
    list[count++] =
        (parameter){"before", n, names->coord, "configuration one step ago", length, NULL};
    if (w->nf)
      list[count++] = (parameter){"force",      w->nf,
                                  names->input, "forces applied since, as they were after limits",
                                  NULL,         NULL};
  }
  if (w->f.late)
    list[count++] = (parameter){
        "now", w->f.nu, names->input, "input under way, as applied from now on", NULL, NULL};
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
  } else if (p->which) {
    coord = p->which[i];
  } else if (m->kinematic[i] && !strcmp(p->name, "p")) {
    unit = speed;
  }
  return unit[m->kind[coord]];
}

static void put_head(FILE *f, const cli_controller *c, int form) {
  parameter list[MOST_PARAMETERS];
  int count = parameters(c, form, list);
  fprintf(f, "void controller_%s(int k%s", cli_controller_way(form),
          form == CLI_ENCODERS ? ", controller_filter *filter" : "");
  for (int i = 0; i < count; i++)
    fprintf(f, ", const controller_real %s[%d]", list[i].name, list[i].n);
  fprintf(f, ", controller_real u[%d])", cli_controller_any(c)->f.nu);
}

static void put_parameter(FILE *f, const cli_controller *c, const parameter *p) {
  fprintf(f, "//   %s [%d]: %s\n", p->name, p->n, p->what);
  for (int i = 0; i < p->n; i++) {
    fprintf(f, "//     [%d] ", i);
    put_word(f, p->of[p->which ? p->which[i] : i]);
    fprintf(f, ", %s\n", unit_of(c, p, i));
  }
}

// -- controller.h

static void put_origin(FILE *f, const cli_controller *c, const char *what) {
  fprintf(f, "// %s: feedback for ", what);
  put_word(f, c->job->p->name);
  fprintf(f, ", written by dmoc %s.\n// Inputs' SHA-256: %s\n", DMOC_VERSION, c->job->p->sha256);
}

// by whether inputs are late
static const char *const filter_words[] = {
    "// By encoders alone, a Kalman filter estimates the rest, z = (q, p) less the plan:\n//\n"
    "//   z <- z + L (encoder - q_d - z)     u = u_d - G z     z <- A z + B (u - u_d)\n//\n"
    "// It is called once a knot, k = 0, 1, ..., and goes on with the u that it returns: apply "
    "that "
    "u.\n// The caller keeps z; each robot has its own.\n//\n",
    "// By encoders alone, a Kalman filter estimates the rest, z = (q, p) less the plan:\n//\n"
    "//   z <- z + L (encoder - q_d - z)     u = u_d - G (z, now - now_d)\n"
    "//   z <- A z + B (now - now_d)\n//\n"
    "// It is called once a knot, k = 0, 1, ..., and goes on with the input under way, now.\n"
    "// The caller keeps z; each robot has its own.\n//\n"};

static void put_filter_type(FILE *f, const cli_controller *c) {
  int nx = cli_controller_any(c)->f.nx;
  fprintf(f,
          "\n// The estimate: %d of q, then %d of p, in the units above; %ld bytes.\n"
          "typedef struct controller_filter {\n  controller_real z[%d];\n} controller_filter;\n\n"
          "// A motion begins: nothing is known but its plan.\n"
          "void controller_begin(controller_filter *filter);\n\n",
          nx / 2, nx / 2, nx * (c->single ? 4L : 8L), nx);
}

// what a state (q,p) has for joints whose damping is over within a step
static void tell_lags(FILE *f, const cli_controller *c) {
  const dm_stiff_damping *w = c->job->p->fitted;
  for (int i = 0; i < w->n; i++) {
    if (w->added[i] == 0) continue;
    fputs("// Where (q,p) is measured: for ", f);
    put_word(f, c->job->names.coord[i]);
    if (w->lag)
      fprintf(f, ", damped stiffly, q is less its position by %.17g s times its speed, and",
              w->lag[i]);
    fprintf(f, " p is of an inertia\n// more by %.17g than the robot's.\n", w->added[i]);
  }
}

void cli_controller_header(FILE *f, const cli_controller *c) {
  const fb_tvlqr *s = &cli_controller_any(c)->f;
  parameter list[MOST_PARAMETERS], u = {"u", s->nu, c->job->names.input, "input", NULL, NULL};
  put_origin(f, c, "controller.h");
  cli_constants tables[CLI_MOST_CONSTANTS];
  int count = cli_constants_list(c, tables), differ = 1; // knots whose laws differ
  for (int i = 0; i < count; i++) {
    int rows = (int)cli_constants_rows(c, &tables[i]);
    if (rows > differ) differ = rows;
  }
  fprintf(
      f,
      "//\n//   u = u_d - G (y - y_d)\n//\n"
      "// Feedback is subtracted. y is what is measured at knot k, t = k h, h = %.17g s; u is held "
      "from %s.\n// Steps k = 0 .. %d; a k beyond is taken as the nearest. ",
      s->h, s->late ? "t + h to t + 2 h" : "t to t + h", s->N - 1);
  const bool rests = c->job->p->rest || c->job->held;
  if (rests && differ == 1 && s->N > 1)
    fputs("The law is one and the same: it holds for all times.\n// ", f);
  else if (rests && differ < s->N)
    fprintf(f, "From k = %d on it is the same: it holds for all times.\n// ", differ - 1);
  fprintf(f, "u is cut to its limits.\n// Where a measurement is not finite %s.\n",
          c->estimator ? "the filter goes on without it, and a law without a filter as planned"
                       : "u is that of the plan");
  fputs("// Angles are not wrapped nor quaternions' signs changed: they "
        "are as along the "
        "plan.\n// Coordinates and inputs are positive as in the robot's "
        "file; units are SI.\n//\n",
        f);
  if (c->law[FB_STATE]) tell_lags(f, c);
  if (c->estimator) fputs(filter_words[s->late], f);
  fprintf(f,
          "// Tables: %ld bytes in %s precision. Stack: at most %d bytes. No memory is allocated "
          "and none is kept.\n"
          "// On IEEE arithmetic of that precision, products not fused with sums, it gives bit for "
          "bit what dmoc\n// computes: -ffp-contract=off (controller.c asks for it, too), no "
          "-ffast-math, on old x86 -mfpmath=sse.\n// controller_replay.c holds it against "
          "controller_trace.csv.\n",
          cli_constants_bytes(c), c->single ? "single" : "double", cli_constants_stack(c));
  fputs("#ifndef CONTROLLER_H\n#define CONTROLLER_H\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        f);
  fprintf(f, "typedef %s controller_real;\n\n", c->single ? "float" : "double");
  fprintf(f, "enum { CONTROLLER_STEPS = %d, CONTROLLER_NQ = %d, CONTROLLER_NU = %d };\n\n", s->N,
          cli_controller_any(c)->n, s->nu);
  put_parameter(f, c, &u);
  for (int form = 0; form < CLI_WAYS; form++) {
    if (!cli_controller_has(c, form)) continue;
    if (form == CLI_ENCODERS) put_filter_type(f, c);
    count = parameters(c, form, list);
    fputs("//\n", f);
    for (int i = 0; i < count; i++) put_parameter(f, c, &list[i]);
    if (form == FB_POSITIONS)
      fputs("// At k = 0 there is no step before: what is of it is not used, but must be finite.\n",
            f);
    put_head(f, c, form);
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

static const char law_text[] =
    "\n"
    "// neither infinite nor no number at all\n"
    "static int finite_number(controller_real x) {\n"
    "  return x - x >= 0;\n"
    "}\n"
    "\n"
    "// c - G (y - y_d), summed from the left, within limits; c where that is no number\n"
    "static void law(int ny, const controller_real *G, const controller_real *y_d,\n"
    "                const controller_real *c, const controller_real *y, controller_real *u) {\n"
    "  int i, j;\n"
    "  for (i = 0; i < CONTROLLER_NU; i++) {\n"
    "    controller_real sum = c[i];\n"
    "    for (j = 0; j < ny; j++) {\n"
    "      controller_real product = G[i * ny + j] * (y[j] - y_d[j]);\n"
    "      sum = sum - product;\n"
    "    }\n"
    "    if (!finite_number(sum)) sum = c[i];\n"
    "    if (sum > u_max[i]) sum = u_max[i];\n"
    "    if (sum < u_min[i]) sum = u_min[i];\n"
    "    u[i] = sum;\n"
    "  }\n"
    "}\n"
    "\n"
    "// of a table, that of knot k\n"
    "static int row(int k, int rows) {\n"
    "  return k < 0 ? 0 : k < rows ? k : rows - 1;\n"
    "}\n";

// where a line begins with -, it is of inputs in time, with +, of late ones
static const char filter_text[] =
    "\n"
    "void controller_begin(controller_filter *filter) {\n"
    "  int i;\n"
    "  for (i = 0; i < NX; i++) filter->z[i] = 0;\n"
    "}\n"
    "\n"
    "void controller_encoders(int k, controller_filter *filter, const controller_real "
    "encoder[NY],\n"
    "-                         controller_real u[CONTROLLER_NU]) {\n"
    "+                         const controller_real now[CONTROLLER_NU], controller_real "
    "u[CONTROLLER_NU]) {\n"
    "  const controller_real *y_d = y_d_state + row(k, y_d_state_rows) * NS;\n"
    "  const controller_real *c = u_d + row(k, u_d_rows) * CONTROLLER_NU;\n"
    "  const controller_real *Lk = L + row(k, L_rows) * NX * NY;\n"
    "  const controller_real *Ak = A + row(k, A_rows) * NX * NX;\n"
    "  const controller_real *Bk = B + row(k, B_rows) * NX * CONTROLLER_NU;\n"
    "  controller_real *z = filter->z, next[NX], y[NS], sum, product;\n"
    "  int i, j;\n"
    "  /* the measurement */\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    sum = z[i];\n"
    "    for (j = 0; j < NY; j++) {\n"
    "      if (!finite_number(encoder[j])) continue;\n"
    "      product = Lk[i * NY + j] * (encoder[j] - y_d[which[j]] - z[which[j]]);\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    next[i] = sum;\n"
    "  }\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    z[i] = next[i];\n"
    "    y[i] = y_d[i] + z[i];\n"
    "  }\n"
    "+  for (j = 0; j < CONTROLLER_NU; j++) y[NX + j] = now[j];\n"
    "  law(NS, G_state + row(k, G_state_rows) * CONTROLLER_NU * NS, y_d, c, y, u);\n"
    "  /* to the next knot */\n"
    "  for (i = 0; i < NX; i++) {\n"
    "    sum = 0;\n"
    "    for (j = 0; j < NX; j++) {\n"
    "      product = Ak[i * NX + j] * z[j];\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    for (j = 0; j < CONTROLLER_NU; j++) {\n"
    "-      product = Bk[i * CONTROLLER_NU + j] * (u[j] - c[j]);\n"
    "+      product = Bk[i * CONTROLLER_NU + j] * (now[j] - y_d[NX + j]);\n"
    "      sum = sum + product;\n"
    "    }\n"
    "    next[i] = sum;\n"
    "  }\n"
    "  for (i = 0; i < NX; i++) z[i] = next[i];\n"
    "}\n";

static void put_filter(FILE *f, bool late) {
  for (const char *line = filter_text, *end; *line; line = end) {
    end = strchr(line, '\n') + 1;
    bool marked = *line == '-' || *line == '+';
    if (!marked || (*line == '+') == late)
      fwrite(line + marked, 1, (size_t)(end - line) - marked, f);
  }
}

// the coordinates that have encoders
static void put_which(FILE *f, const fb_estimator *e) {
  fprintf(f, "enum { NX = %d, NY = %d, NS = %d };\nstatic const int which[NY] = {", e->f->nx, e->ny,
          e->f->nx + e->f->late * e->f->nu);
  for (int a = 0; a < e->ny; a++) fprintf(f, "%s%d", a ? ", " : "", e->which[a]);
  fputs("};\n", f);
}

static void put_function(FILE *f, const cli_controller *c, int form) {
  const fb_output_feedback *w = c->law[form];
  const char *name = fb_form_names[form];
  parameter list[MOST_PARAMETERS];
  int count = parameters(c, form, list), at = 0;
  fputs("\n", f);
  put_head(f, c, form);
  fprintf(f, " {\n  controller_real y[%d];\n  int i;\n", w->ny);
  for (int i = 0; i < count; at += list[i++].n)
    fprintf(f, "  for (i = 0; i < %d; i++) y[%d + i] = %s[i];\n", list[i].n, at, list[i].name);
  fprintf(f,
          "  law(%d, G_%s + row(k, G_%s_rows) * %d, y_d_%s + row(k, y_d_%s_rows) * %d,\n"
          "      u_d + row(k, u_d_rows) * CONTROLLER_NU, y, u);\n}\n",
          w->ny, name, name, w->f.nu * w->ny, name, name, w->ny);
}

void cli_controller_source(FILE *f, const cli_controller *c) {
  const fb_output_feedback *w = cli_controller_any(c);
  const size_t nu = (size_t)w->f.nu;
  put_origin(f, c, "controller.c");
  fputs("#include \"controller.h\"\n\n"
        "#if defined(__GNUC__) && !defined(__clang__)\n"
        "#pragma GCC optimize(\"fp-contract=off\")\n"
        "#else\n#pragma STDC FP_CONTRACT OFF\n#endif\n\n",
        f);
  cli_constants_write(f, c);
  if (c->estimator) put_which(f, c->estimator);
  fputs(law_text, f);
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form]) put_function(f, c, form);
  if (c->estimator) put_filter(f, w->f.late);
  if (w->f.late)
    fprintf(f,
            "\nvoid controller_first(controller_real u[%zu]) {\n  int i;\n  for (i = 0; i < "
            "CONTROLLER_NU; i++) u[i] = first[i];\n}\n",
            nu);
}

// -- controller_trace.csv

void cli_controller_trace_header(FILE *f, const cli_controller *c) {
  const cli_names *names = &c->job->names;
  fputs("k", f);
  for (int way = 0; way < CLI_WAYS; way++) {
    char before[32];
    if (!cli_controller_has(c, way)) continue;
    snprintf(before, sizeof before, ",%s.", cli_controller_way(way));
    for (int j = 0; j < cli_controller_width(c, way); j++)
      if (way == CLI_ENCODERS && j < c->estimator->ny)
        cli_put_name(f, ",encoders.q.", names->coord[c->estimator->which[j]]);
      else if (way == CLI_ENCODERS)
        cli_put_name(f, ",encoders.now.u.", names->input[j - c->estimator->ny]);
      else
        cli_put_measured(f, before, names, c->law[way], j);
    snprintf(before, sizeof before, ",%s.u.", cli_controller_way(way));
    for (int i = 0; i < cli_controller_any(c)->f.nu; i++) cli_put_name(f, before, names->input[i]);
  }
  fputc('\n', f);
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

void cli_controller_replay(FILE *f, const cli_controller *c) {
  int at = 0;
  put_origin(f, c, "controller_replay.c");
  fprintf(f,
          "// Replays controller_trace.csv (or the file named) and holds the controller's inputs "
          "against it, bit for\n// bit: cc -std=c99 controller.c controller_replay.c && ./a.out\n"
          "#define COLUMNS %d\n#define LINE    %d\n#define READ    %s\n",
          columns(c), 64 + 32 * columns(c), c->single ? "strtof" : "strtod");
  fputs(replay_text, f);
  if (c->estimator) fputs("static controller_filter filter;\n", f);
  fputs(replay_main, f);
  if (c->estimator) fputs("    if (rows == 1) controller_begin(&filter);\n", f);
  for (int way = 0; way < CLI_WAYS; way++) {
    if (!cli_controller_has(c, way)) continue;
    parameter list[MOST_PARAMETERS];
    int count = parameters(c, way, list);
    fprintf(f, "    controller_%s(k%s", cli_controller_way(way),
            way == CLI_ENCODERS ? ", &filter" : "");
    for (int i = 0; i < count; at += list[i++].n) fprintf(f, ", row + %d", at);
    fprintf(f, ", u);\n    compare(k, \"%s\", row + %d);\n", cli_controller_way(way), at);
    at += cli_controller_any(c)->f.nu;
  }
  fputs("  }\n"
        "  fclose(f);\n"
        "  printf(\"%d rows, %d numbers differ\\n\", rows, different);\n"
        "  return rows == 0 || different ? 1 : 0;\n"
        "}\n",
        f);
}
