#include "control/codegen/controller.h"

#include "control/codegen/filter.h"
#include "control/codegen/head.h"
#include "control/codegen/integrate.h"
#include "control/codegen/lines.h"
#include "control/codegen/operations.h"
#include "control/codegen/path.h"
#include "control/codegen/prediction.h"
#include "control/codegen/range.h"
#include "control/codegen/slew.h"
#include "control/codegen/tables.h"
#include "control/codegen/watch.h"

#include "config.h"

#include <string.h>

// -- words in comments

// the name of a coordinate or an input; without names its number
static void put_comment_name(FILE *f, const char *const *name, int i) {
  if (name)
    fb_lines_word(f, name[i]);
  else
    fprintf(f, "%d", i);
}

static void put_parameter(FILE *f, const fb_codegen_parameter *p) {
  fprintf(f, "//   %s [%d]: %s\n", p->name, p->n, p->what);
  for (int i = 0; i < p->n; i++) {
    // entries that are coordinates by number, or all in turn
    int at = p->which ? p->which[i] : i;
    fprintf(f, "//     [%d] ", i);
    put_comment_name(f, p->of, at);
    fputs(", ", f);
    fb_lines_unit(f, p->unit ? p->unit[at] : "SI");
    fputc('\n', f);
  }
}

void fb_controller_origin(FILE *f, const fb_codegen *c, const char *file) {
  fprintf(f, "// %s: feedback for ", file);
  fb_lines_word(f, c->set.name ? c->set.name : "a robot");
  fprintf(f, ", written by dmoc %s.\n", DMOC_VERSION);
  if (!c->set.sha256) return;
  fputs("// Inputs' SHA-256: ", f);
  fb_lines_word(f, c->set.sha256);
  fputc('\n', f);
}

// -- controller.h

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

// what acts beside the inputs, which the filter estimates as well
static void tell_disturbances(FILE *f, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  if (!e || !e->nd) return;
  fputs("// What acts beside inputs follows in z, and is taken off them: u_d - d in the place of "
        "u_d, d "
        "beside\n// ",
        f);
  for (int j = 0; j < e->nd; j++) {
    if (j) fputs(", ", f);
    put_comment_name(f, c->set.input, e->disturbed[j]);
  }
  fputs(".\n//\n", f);
}

// what a state (q,p) has for joints whose damping is over within a step
static void tell_lags(FILE *f, const fb_codegen *c) {
  const fb_codegen_settings *set = &c->set;
  for (int i = 0; set->added_inertia && i < fb_codegen_any(c)->n; i++) {
    if (set->added_inertia[i] == 0) continue;

    // p = L_v + added v, and Q = q + lag v
    fputs("// Where (q,p) is measured: for ", f);
    put_comment_name(f, set->coord, i);
    if (set->lag)
      fprintf(f, ", damped stiffly, q is less its position by %.17g s times its speed, and",
              set->lag[i]);
    fprintf(f, " p is of an inertia\n// more by %.17g than the robot's.\n", set->added_inertia[i]);
  }
}

// knots whose laws differ: the rows of the longest table
static int count_laws(const fb_codegen *c) {
  // rows at a table's end that are equal are one
  fb_table tables[FB_MAX_TABLES];
  int count = fb_tables_list(c, tables), differ = 1;
  for (int i = 0; i < count; i++) {
    int rows = (int)fb_tables_rows(c, &tables[i]);
    if (rows > differ) differ = rows;
  }
  return differ;
}

// which angles may be a turn off
static void tell_turns(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *w = fb_codegen_any(c);
  bool first = true;
  for (int i = 0; w->f.turns && i < w->n; i++) {
    if (!w->f.turns[i]) continue;
    fputs(first ? "// Whole turns are no error of: " : ", ", f);
    put_comment_name(f, c->set.coord, i);
    first = false;
  }
  fputs(first ? "// Angles are not wrapped" : ".\n// Other angles are not wrapped", f);
  fputs(" nor quaternions' signs changed: they are as along the plan.\n", f);
}

// the law, its times, and what it does beyond them
static void tell_law(FILE *f, const fb_codegen *c) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  const int differ = count_laws(c);

  // the law and its times: sample k acts from k h on, a late one a step later
  fprintf(
      f,
      "//\n//   u = u_d - G (y - y_d)\n//\n"
      "// Feedback is subtracted. y is what is measured at knot k, t = k h, h = %.17g s; u is held "
      "from %s.\n// Steps k = 0 .. %d; a k beyond has the law of the nearest. ",
      // u_k acts from t_k on; a late one a step later
      s->h, s->late ? "t + h to t + 2 h" : "t to t + h", s->N - 1);

  if (c->momentum && c->law[FB_VELOCITY])
    fputs("By velocity y = (q, p),\n// p = M(q) v of what is measured (controller_momentum). ", f);

  // beyond the last step: a place of rest has one law for ever
  if (c->set.rests && differ == 1 && s->N > 1)
    fputs("The law is one and the same: it holds for all times.\n// ", f);
  else if (c->set.rests && differ < s->N)
    fprintf(f, "From k = %d on it is the same: it holds for all times.\n// ", differ - 1);

  // what it does with limits, and with measurements that are no numbers
  fprintf(f,
          "u is cut to its limits,\n// and is a number within them whatever it is called with.\n"
          "// Where a measurement is not finite %s.\n",
          c->estimator ? "the filter goes on without it, and a law without a filter as planned"
                       : "u is that of the plan");
  tell_turns(f, c);
  fputs("// Coordinates and inputs are positive as in the robot's file; units are SI.\n//\n", f);
}

// when it may be called
static void tell_calls(FILE *f, const fb_codegen *c) {
  if (fb_codegen_any(c)->near) return;
  fputs(
      "// Calls by k are taken as on time: what is measured is compared with the plan at t = k h, "
      "whenever it was\n// measured. No call leaves anything behind",
      f);
  if (fb_codegen_any(c)->f.envelope) fputs(", but in its guard that the law is lost", f);
  if (fb_codegen_any(c)->f.rate_limit) fputs(", but what was given last", f);

  // an estimate has to be carried from knot to knot
  fputs(c->estimator ? " but controller_encoders: that is called once for each k, in turn, where a "
                       "knot was\n// missed with encoders that are not finite. Any other call may "
                       "be repeated or left out, with its own k.\n"
                     : ": any may be repeated or left out, with its own k.\n",
        f);

  // calls by time
  fputs("//\n//   _at    u = u_d(t) - G (y - y_d(t - age))\n//\n"
        "// takes calls at any time t, s since k = 0, early or late, with the age of what is "
        "measured, s. y_d is the\n// plan of then, between knots by a cubic; u_d its mean over "
        "h from t on: u is meant to be held for about\n// that. At t = k h and age 0 it is the "
        "call by k. Before the start and after the end of the motion it is\n// compared with "
        "these; an age below 0 is 0. Where age is not finite u is that of the plan, where t is "
        "not, of its\n// start or end.\n",
        f);
  if (c->law[FB_POSITIONS])
    fputs(
        "// By positions age is that of q; before was read h earlier, force is the mean between.\n",
        f);
  fputs("//\n", f);
}

// what it takes to run it
static void tell_cost(FILE *f, const fb_codegen *c) {
  fprintf(f,
          "// Tables: %ld bytes in %s precision. Stack: at most %d bytes. No memory is allocated "
          "and none is kept.\n"
          "// On IEEE arithmetic of that precision, products not fused with sums, it gives bit for "
          "bit what dmoc\n// computes: -ffp-contract=off (controller.c asks for it, too), no "
          "-ffast-math, on old x86 -mfpmath=sse.\n// controller_replay.c holds it against "
          "controller_trace.csv.\n",
          fb_tables_bytes(c), c->set.single ? "single" : "double", fb_tables_stack(c));
  if (c->estimator && c->estimator->predictor.step)
    fputs(
        "// By encoders it is held to what sines and cosines of other machines may change, not to "
        "the bit.\n",
        f);
  if (c->momentum && c->law[FB_VELOCITY])
    fputs(
        "// Where p is computed it is held to what sines and cosines of other machines may change, "
        "not to the bit.\n",
        f);
}

// p = M(q) v, its cost, and what of the machine it needs
static void declare_momentum(FILE *f, const fb_codegen *c) {
  const fb_momentum *w = c->momentum;
  const fb_codegen_settings *set = &c->set;
  const fb_codegen_parameter of[] = {
      {"q", "", w->n, "configuration", set->coord, set->q_unit, NULL},
      {"v", "", w->n, "velocity", set->coord, set->v_unit, NULL},
      {"p", "", w->n, "momentum L_v(q,v)", set->coord, set->p_unit, NULL}};

  fprintf(f,
          "\n// p = M(q) v of this robot: %d products, %d sums, %d sines and cosines. It is linked "
          "with %s and %s\n// of the machine's library (-lm): where these differ in the last bit, "
          "so may p.\n//\n",
          w->products, w->sums, w->turns, set->single ? "sinf" : "sin",
          set->single ? "cosf" : "cos");
  for (int i = 0; i < 3; i++) put_parameter(f, &of[i]);
  fprintf(f,
          "void controller_momentum(const controller_real q[%d], const controller_real v[%d],\n"
          "                         controller_real p[%d]);\n",
          w->n, w->n, w->n);
}

// the functions, each after what it is given
static void declare_functions(FILE *f, const fb_codegen *c) {
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  // feedback.measure's, and with --all the others
  for (int way = 0; way < FB_WAYS; way++) {
    if (!fb_codegen_has(c, way)) continue;

    // the filter's type comes before the function that takes it
    if (way == FB_ENCODERS) fb_filter_declare(f, c);

    // each parameter by its entries, then the prototype
    int count = fb_codegen_parameters(c, way, list);
    fputs("//\n", f);
    for (int i = 0; i < count; i++) put_parameter(f, &list[i]);
    if (way == FB_POSITIONS)
      fputs("// At k = 0 there is no step before: what is of it is not used, but must be finite.\n",
            f);
    fb_head_write(f, c, way, false);
    fputs(";\n", f);
    if (fb_codegen_any(c)->near) continue;
    fb_head_write(f, c, way, true);
    fputs(";\n", f);
  }
}

void fb_controller_header(FILE *f, const fb_codegen *c) {
  const fb_tvlqr *s = &fb_codegen_any(c)->f;
  const fb_codegen_parameter u = {"u", "u.", s->nu, "input", c->set.input, c->set.u_unit, NULL};

  // the comment: what it is, when it acts, what it costs
  fb_controller_origin(f, c, "controller.h");
  tell_law(f, c);
  tell_calls(f, c);
  if (c->law[FB_STATE]) tell_lags(f, c);
  if (c->estimator) fputs(filter_words[s->late], f);
  if (c->estimator && c->estimator->predictor.step)
    fb_prediction_tell(f, c->estimator->predictor.self, c->set.single);
  tell_disturbances(f, c);
  fb_range_tell(f, c);
  fb_operations_tell(f, c);
  tell_cost(f, c);

  // the guard, the number type and the sizes
  fputs("#ifndef CONTROLLER_H\n#define CONTROLLER_H\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        f);
  fprintf(f, "typedef %s controller_real;\n\n", c->set.single ? "float" : "double");
  fprintf(f, "enum { CONTROLLER_STEPS = %d, CONTROLLER_NQ = %d, CONTROLLER_NU = %d };\n\n", s->N,
          fb_codegen_any(c)->n, s->nu);

  if (s->envelope) fb_watch_declare(f, c);
  if (s->rate_limit) fb_slew_declare(f, c);
  if (s->path) fb_path_declare(f);

  // the input's entries, then a function for each way to be measured
  put_parameter(f, &u);
  declare_functions(f, c);
  if (c->momentum) declare_momentum(f, c);
  if (s->ni) fb_integrate_declare(f, c);
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
    "static _Bool finite_number(controller_real x) {\n"
    "  return (x - x) >= ZERO;\n"
    "}\n"
    "\n"
    "// u within the limits of input i\n"
    "static controller_real limited(int i, controller_real u) {\n"
    "  controller_real within = u;\n"
    "  if (within > u_max[i]) {\n"
    "    within = u_max[i];\n"
    "  }\n"
    "  if (within < u_min[i]) {\n"
    "    within = u_min[i];\n"
    "  }\n"
    "  return within;\n"
    "}\n"
    "\n"
    "// c - G (y - y_d), summed from the left, within limits; c where that is no number\n"
    "static void law(int ny, const controller_real *G, const controller_real *y_d,\n"
    "                const controller_real *c, const controller_real *y, controller_real *u) {\n"
    "  int i;\n"
    "  int j;\n"
    "  for (i = 0; i < CONTROLLER_NU; i++) {\n"
    "    controller_real sum = c[i];\n"
    "    for (j = 0; j < ny; j++) {\n"
    "      controller_real product = G[(i * ny) + j] * (y[j] - y_d[j]);\n"
    "      sum = sum - product;\n"
    "    }\n"
    "    if (!finite_number(sum)) {\n"
    "      sum = c[i];\n"
    "    }\n"
    "    u[i] = limited(i, sum);\n"
    "  }\n"
    "}\n"
    "\n"
    "// of a table, that of knot k\n"
    "static int row(int k, int rows) {\n"
    "  int at = (k < rows) ? k : (rows - 1);\n"
    "  return (at < 0) ? 0 : at;\n"
    "}\n";

static const char times_text[] =
    "\n"
    "// when what is so old was measured\n"
    "static controller_real when(controller_real t, controller_real age) {\n"
    "  controller_real then = t;\n"
    "  if (age > ZERO) {\n"
    "    then = t - age;\n"
    "  }\n"
    "  return then;\n"
    "}\n"
    "\n"
    "// the last knot at or before a time, and the share of the step after it that is left, [0,1)\n"
    "static int knot_at(controller_real t, controller_real *share) {\n"
    "  const controller_real last = (controller_real)CONTROLLER_STEPS;\n"
    "  controller_real steps = t * RATE;\n"
    "  int k;\n"
    "  if (!(steps > ZERO)) {\n"
    "    steps = ZERO;\n"
    "  }\n"
    "  if (steps > last) {\n"
    "    steps = last;\n"
    "  }\n"
    "  k = (int)(steps + ROUNDING);\n"
    "  *share = steps - (controller_real)k;\n"
    "  if (*share < ROUNDING) {\n"
    "    *share = ZERO;\n"
    "  }\n"
    "  return k;\n"
    "}\n";

static const char plan_text[] =
    "\n"
    "// between two knots: the line; the cubic of places and speeds at either, and its speed\n"
    "static void line(int n, controller_real s, const controller_real *from, const controller_real "
    "*to,\n"
    "                 controller_real *x) {\n"
    "  int i;\n"
    "  for (i = 0; i < n; i++) {\n"
    "    x[i] = from[i] + (s * (to[i] - from[i]));\n"
    "  }\n"
    "}\n"
    "\n"
    "static void cubic(controller_real s, const controller_real *q0, const controller_real *v0,\n"
    "                  const controller_real *q1, const controller_real *v1, controller_real *q,\n"
    "                  controller_real *v) {\n"
    "  const controller_real r = ONE - s;\n"
    "  int i;\n"
    "  for (i = 0; i < CONTROLLER_NQ; i++) {\n"
    "    controller_real d = q1[i] - q0[i];\n"
    "    controller_real a = (STEP * v0[i]) - d;\n"
    "    controller_real b = d - (STEP * v1[i]);\n"
    "    q[i] = q0[i] + (s * (d + (r * ((r * a) + (s * b)))));\n"
    "    v[i] = v0[i] + ((RATE * s) * (((((r + r) - s) * (b - a)) - a) - a));\n"
    "  }\n"
    "}\n";

// angles less whole turns beside what they are compared with
static const char turn_text[] =
    "\n"
    "// x, less the whole turns that it is off y\n"
    "static controller_real unwound(controller_real x, controller_real y) {\n"
    "  const controller_real off = ((x - y) * TURNS) + HALF;\n"
    "  controller_real least = x;\n"
    "  if ((off > -MOST_TURNS) && (off < MOST_TURNS)) {\n"
    "    int k = (int)off;\n"
    "    if ((controller_real)k > off) {\n"
    "      k--;\n"
    "    }\n"
    "    least = x - ((controller_real)k * TURN);\n"
    "  }\n"
    "  return least;\n"
    "}\n"
    "\n"
    "static void unwind(const controller_real *y_d, controller_real *y) {\n";

// the angles of which a turn more is no error
static void put_turns(FILE *f, const fb_codegen *c, const bool *turns) {
  const fb_estimator *e = c->estimator;
  fprintf(f,
          "\n#define TURN  ((controller_real)%.17g)\n#define TURNS ((controller_real)%.17g)\n"
          "#define HALF  ((controller_real)0.5)\n#define MOST_TURNS ((controller_real)1e6)\n",
          FB_FULL_TURN, 1 / FB_FULL_TURN);
  fputs(turn_text, f);
  for (int i = 0; i < fb_codegen_any(c)->n; i++)
    if (turns[i]) fprintf(f, "  y[%d] = unwound(y[%d], y_d[%d]);\n", i, i, i);
  fputs("}\n", f);

  // of an integrated error
  if (fb_codegen_any(c)->f.ni) {
    fprintf(f, "\nstatic const int turns[%d] = {", fb_codegen_any(c)->n);
    for (int i = 0; i < fb_codegen_any(c)->n; i++) fprintf(f, "%s%d", i ? ", " : "", turns[i]);
    fputs("};\nstatic controller_real turned(int i, const controller_real *q, "
          "const controller_real *y_d) {\n"
          "  return (turns[i] != 0) ? unwound(q[i], y_d[i]) : q[i];\n}\n",
          f);
  }

  // of encoders
  if (!e) return;
  fputs("\nstatic void unwind_readings(controller_real *off) {\n  (void)off;\n", f);
  for (int a = 0; a < e->ny; a++)
    if (turns[e->which[a]]) fprintf(f, "  off[%d] = unwound(off[%d], ZERO);\n", a, a);
  fputs("}\n", f);
}

// y, from what a form's function is given, one parameter after the other
static void put_measured(FILE *f, const fb_codegen *c, int form) {
  fb_codegen_parameter list[FB_MAX_PARAMETERS];
  int count = fb_codegen_parameters(c, form, list), at = 0;
  for (int i = 0; i < count; at += list[i++].n) {
    // p of a velocity
    if (fb_codegen_computes_momentum(c, form) && !strcmp(list[i].name, "v")) {
      fprintf(f, "  controller_momentum(q, v, &y[%d]);\n", at);
      continue;
    }
    fprintf(f, "  for (i = 0; i < %d; i++) {\n    y[", list[i].n);
    if (at) fprintf(f, "%d + ", at);
    fprintf(f, "i] = %s[i];\n  }\n", list[i].name);
  }
}

// times in steps, and the constants that are needed
static void put_times(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *any = fb_codegen_any(c);
  const double h = any->f.h;
  const bool slews = any->f.rate_limit != NULL;
  if (!any->near || slews || any->f.ni)
    fprintf(f, "\n#define STEP     ((controller_real)%.17g)\n", h);
  if (!any->near || slews) fputs("#define ONE      ((controller_real)1)\n", f);
  if (any->near) return;

  // what t / h is off by rounding is no share of a step
  fprintf(f, "#define RATE     ((controller_real)%.17g)\n#define ROUNDING ((controller_real)%s)\n",
          1 / h, c->set.single ? "1e-4" : "1e-9");
  fputs(times_text, f);
}

// from and to: the rows of a form's y_d on either side of a time
static void put_sides(FILE *f, const fb_output_feedback *w) {
  const char *name = fb_form_names[w->form];
  fprintf(f, "  from = %s;\n  to = %s;\n", fb_tables_row("y_d_", name, w->ny, "k").text,
          fb_tables_row("y_d_", name, w->ny, "k + 1").text);
}

// q_d and v_d of a time between them, its speeds from beside y_d
static void put_cubic(FILE *f, int n, const char *q_d, const char *v_d) {
  fprintf(f, "  cubic(s, from, %s, to,\n        %s, %s, %s);\n",
          fb_tables_row("v_d", "", n, "k").text, fb_tables_row("v_d", "", n, "k + 1").text, q_d,
          v_d);
}

// (q_d, q_d a step before, the force between) of a time whose knot is k and whose share is s
static void put_timed_positions(FILE *f, const fb_output_feedback *w) {
  const int n = w->n;
  char before[24];
  put_cubic(f, n, "y_d", "v");
  if (w->nf)
    fprintf(f, "  line(%d, s, &from[%d], &to[%d], &y_d[%d]);\n", w->nf, 2 * n, 2 * n, 2 * n);

  // by how much a continuous motion stood elsewhere a step before
  if (w->continuous)
    fprintf(f,
            "  before_d = %s;\n"
            "  for (i = 0; i < %d; i++) {\n"
            "    off[i] = ((ONE - s) * (from[%d + i] - before_d[i])) + (s * (to[%d + i] - "
            "from[i]));\n  }\n",
            fb_tables_row("y_d_", fb_form_names[FB_POSITIONS], w->ny, "k - 1").text, n, n, n);
  fputs("  k = knot_at(when(t, age) - STEP, &s);\n", f);
  put_sides(f, w);
  snprintf(before, sizeof before, "&y_d[%d]", n);
  put_cubic(f, n, before, "v");
  if (w->continuous)
    fprintf(f, "  for (i = 0; i < %d; i++) {\n    y_d[%d + i] = y_d[%d + i] + off[i];\n  }\n", n, n,
            n);
}

// what a form's function ends with: whether it is lost, beside y_d, and how far its u may go
static void put_end(FILE *f, const fb_codegen *c, int form, const char *y_d, bool timed) {
  const fb_output_feedback *w = c->law[form];
  const bool watches = fb_codegen_watches(c, form);
  char planned[160];
  if (watches) fb_watch_call(f, c, form, y_d);

  // the plan's input under way: of late ones in y_d
  if (w->f.late)
    snprintf(planned, sizeof planned, "&(%s)[%d]", y_d, w->ny - w->f.nu);
  else
    snprintf(planned, sizeof planned, "%s",
             timed ? "c" : fb_tables_row("u_d", "", w->f.nu, "k").text);
  if (w->f.rate_limit) fb_slew_call(f, planned, timed);
  fputs(watches ? "  return guard->lost;\n}\n" : "}\n", f);
}

// the numbers that a form's function of time works on
static void put_timed_locals(FILE *f, const fb_output_feedback *w) {
  fprintf(f,
          " {\n  controller_real y[%d];\n  controller_real y_d[%d];\n"
          "  controller_real c[CONTROLLER_NU];\n  controller_real s;\n"
          "  const controller_real *from;\n  const controller_real *to;\n  int i;\n  int k;\n",
          w->ny, w->ny);
  if (w->form == FB_POSITIONS) fprintf(f, "  controller_real v[%d];\n", w->n);
  if (w->continuous)
    fprintf(f, "  const controller_real *before_d;\n  controller_real off[%d];\n", w->n);
}

// y_d of a time whose knot is k and whose share is s; p_d on the line between knots
static void put_timed_plan(FILE *f, const fb_codegen *c, int form) {
  const fb_output_feedback *w = c->law[form];
  const int n = w->n;
  put_sides(f, w);
  if (form == FB_POSITIONS) {
    put_timed_positions(f, w);
  } else if (form == FB_VELOCITY && !c->momentum) {
    fprintf(f, "  cubic(s, from, &from[%d], to, &to[%d], y_d, &y_d[%d]);\n", n, n, n);
  } else {
    char speeds[24];
    snprintf(speeds, sizeof speeds, "&y_d[%d]", n);
    put_cubic(f, n, "y_d", speeds);
    fprintf(f, "  line(%d, s, &from[%d], &to[%d], &y_d[%d]);\n", n, n, n, n);
  }
}

// a form's function of time: u_d(t) - G (y - y_d(t - age))
static void put_timed_function(FILE *f, const fb_codegen *c, int form) {
  const fb_output_feedback *w = c->law[form];
  const int now = w->ny - w->f.nu; // where y has what is under way

  // y, which a time that is no number makes none; and the plan when that was measured
  fputs("\n", f);
  fb_head_write(f, c, form, true);
  put_timed_locals(f, w);
  put_measured(f, c, form);
  fputs("  y[0] = (y[0] + (t - t)) + (age - age);\n"
        "  k = knot_at(when(t, age), &s);\n",
        f);
  put_timed_plan(f, c, form);
  if (w->f.turns) fputs("  unwind(y_d, y);\n", f);
  if (w->f.turns && form == FB_POSITIONS)
    fputs("  unwind(&y_d[CONTROLLER_NQ], &y[CONTROLLER_NQ]);\n", f);
  // integrals of errors are to be 0
  if (w->f.ni)
    fprintf(f, "  for (i = %d; i < %d; i++) {\n    y_d[i] = ZERO;\n  }\n", w->ny - w->f.ni, w->ny);

  // now: what is under way, the mean of the plan's input over a step, the gains of the interval
  fputs("  k = knot_at(t, &s);\n", f);
  if (w->f.late) {
    put_sides(f, w);
    fprintf(f, "  line(CONTROLLER_NU, s, &from[%d], &to[%d], &y_d[%d]);\n", now, now, now);
  }
  fprintf(f,
          "  line(CONTROLLER_NU, s, %s,\n       %s, c);\n"
          "  law(%d, %s, y_d, c, y, u);\n",
          fb_tables_row("u_d", "", w->f.nu, "k").text,
          fb_tables_row("u_d", "", w->f.nu, "k + 1").text, w->ny,
          fb_tables_row("G_", fb_form_names[form], w->f.nu * w->ny, "k").text);
  put_end(f, c, form, "y_d", true);
}

// p = M(q) v, before the functions that call it
static void put_momentum(FILE *f, const fb_codegen *c) {
  const fb_momentum *w = c->momentum;
  const char *real = c->set.single ? "float" : "double", *end = c->set.single ? "f" : "";
  if (w->turns)
    fprintf(f, "\n%s sin%s(%s x);\n%s cos%s(%s x);\n", real, end, real, real, end, real);
  fprintf(f,
          "\nvoid controller_momentum(const controller_real q[%d], const controller_real v[%d],\n"
          "                         controller_real p[%d]) {\n",
          w->n, w->n, w->n);
  fb_momentum_write(f, w, c->set.single);
  fputs("}\n", f);
}

// a form's function: y from what it is given, then the law
static void put_function(FILE *f, const fb_codegen *c, int form) {
  const fb_output_feedback *w = c->law[form];
  const char *name = fb_form_names[form];

  // y: the parameters, one after the other; y_d of its knot
  fputs("\n", f);
  fb_head_write(f, c, form, false);
  fprintf(f, " {\n  controller_real y[%d];\n  const controller_real *y_d;\n  int i;\n%s", w->ny,
          w->near ? "  int k;\n" : "");
  put_measured(f, c, form);
  if (w->near)
    fprintf(f, "  k = nearest(path, weight_%s, y_d_%s, y_d_%s_rows, %d, y);\n", name, name, name,
            w->ny);
  fprintf(f, "  y_d = %s;\n", fb_tables_row("y_d_", name, w->ny, "k").text);
  if (w->f.turns) fputs("  unwind(y_d, y);\n", f);
  if (w->f.turns && form == FB_POSITIONS)
    fputs("  unwind(&y_d[CONTROLLER_NQ], &y[CONTROLLER_NQ]);\n", f);

  // the rows of its tables for knot k; c is the same for all forms
  fprintf(f, "  law(%d, %s, y_d,\n      %s, y, u);\n", w->ny,
          fb_tables_row("G_", name, w->f.nu * w->ny, "k").text,
          fb_tables_row("u_d", "", w->f.nu, "k").text);
  put_end(f, c, form, "y_d", false);
}

void fb_controller_source(FILE *f, const fb_codegen *c) {
  const fb_output_feedback *w = fb_codegen_any(c);

  // products not fused with sums, so that any compiler's bits are the library's
  fb_controller_origin(f, c, "controller.c");
  fputs("#include \"controller.h\"\n\n"
        "#if defined(__GNUC__) && !defined(__clang__)\n"
        "#pragma GCC optimize(\"fp-contract=off\")\n"
        "#else\n#pragma STDC FP_CONTRACT OFF\n#endif\n\n"
        "#define ZERO ((controller_real)0)\n\n",
        f);

  // the tables, then the functions that read them
  fb_tables_write(f, c);
  if (c->estimator) fb_filter_write_sizes(f, c);
  fputs(law_text, f);
  put_times(f, c);
  if (w->f.envelope) fb_watch_write(f, c);
  if (w->f.rate_limit) fb_slew_write(f, c);
  if (w->f.turns) put_turns(f, c, w->f.turns);
  if (w->near) fb_path_write(f, c);
  if (c->momentum) put_momentum(f, c);
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form]) put_function(f, c, form);
  if (!w->near) fputs(plan_text, f);
  for (int form = 0; form < FB_FORMS; form++)
    if (c->law[form] && !w->near) put_timed_function(f, c, form);
  if (c->estimator) fb_filter_write(f, c);
  if (w->f.ni) fb_integrate_write(f, c);
  if (w->f.late)
    fprintf(f,
            "\nvoid controller_first(controller_real u[%d]) {\n  int i;\n"
            "  for (i = 0; i < CONTROLLER_NU; i++) {\n    u[i] = first[i];\n  }\n}\n",
            w->f.nu);
}

dm_status fb_controller_write(FILE *header, FILE *source, const fb_tvlqr *f, const dm_system *s,
                              fb_form form, const fb_codegen_settings *set, dm_message *msg) {
  const fb_codegen_settings defaults = fb_codegen_default();
  bool forms[FB_FORMS] = {false};
  forms[form] = true;

  // the law, and whether a text can hold its numbers
  fb_codegen *law;
  DM_TRY(fb_codegen_new(&law, f, s, forms, NULL, set ? set : &defaults, msg));
  dm_status status = fb_tables_check(law, msg);
  if (status == DM_OK) {
    fb_controller_header(header, law);
    fb_controller_source(source, law);
    bool whole = fflush(header) == 0 && fflush(source) == 0 && !ferror(header) && !ferror(source);
    if (!whole) status = dm_fail(msg, DM_IO, "the controller's text cannot be written");
  }
  fb_codegen_free(law);
  return status;
}
