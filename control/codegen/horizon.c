#include "control/codegen/horizon.h"

#include "control/codegen/controller.h"
#include "control/codegen/lines.h"
#include "control/codegen/number.h"
#include "control/codegen/replay.h"
#include "control/codegen/source.h"
#include "control/codegen/tables.h"
#include "control/onboard/horizon_arrays.h"
#include "control/onboard/onboard.h"

#include <float.h>
#include <math.h>
#include <string.h>

// -- sizes

typedef struct sizes {
  int n, nx, nu, joints, N, steps, stages, softs, speeds, asks, tracks, guides, points;
} sizes;

static const fb_output_feedback *law_of(const fb_horizon_text *t) {
  return t->c->law[FB_STATE];
}

static sizes sizes_of(const fb_horizon_text *t) {
  const fb_output_feedback *w = law_of(t);
  return (sizes){.n = w->n,
                 .nx = w->f.nx,
                 .nu = w->f.nu,
                 .joints = w->f.tree->joints,
                 .points = w->f.tree->points,
                 .N = w->N,
                 .steps = t->o->period ? t->o->period : w->N,
                 .stages = t->o->stages,
                 .softs = t->o->q_min ? w->n : 0,
                 .speeds = t->o->v_max ? w->n : 0,
                 .asks = t->o->asks,
                 .tracks = t->o->track ? t->o->track->rows : 0,
                 .guides = t->o->track ? t->o->track->asks : 0};
}

// An array of the caller's memory: its name there, the struct whose pointer is set to it (NULL: none)
// and this pointer, its length.
typedef struct array {
  const char *name, *in, *pointer;
  int count;
  bool integers;
} array;
enum { ARRAYS = 56 };

// returns their number
static int list_arrays(const fb_horizon_text *t, array list[ARRAYS]) {
  const sizes z = sizes_of(t);
  const int n = z.n, joints = z.joints, nx = z.nx, nu = z.nu, S = z.stages, softs = z.softs;
  const int speeds = z.speeds, asks = z.asks, tracks = z.tracks, guides = z.guides;
  const int points = z.points;
#define OF_HORIZON(name, pointer, count)  {#name, "o->", #pointer, count, false},
#define MARKS(name, pointer, count)       {#name, "o->", #pointer, count, true},
#define OF_INTERVAL(name, pointer, count) {#name, "w->interval.", #pointer, count, false},
#define OF_SWEEP(name, pointer, count)    {#name, "w->sweep.", #pointer, count, false},
#define OF_CALL(name, pointer, count)     {#name, "w->", #pointer, count, false},
  // clang-format off
  const array all[] = {HORIZON_ARRAYS(OF_HORIZON, MARKS)
                       INTERVAL_ARRAYS(OF_INTERVAL)
                       SWEEP_ARRAYS(OF_SWEEP)
                       CALL_ARRAYS(OF_CALL)
                       {"y", NULL, NULL, nx, false}};
  // clang-format on
  int count = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].count) list[count++] = all[i];
  return count;
}

// its counters and marks
static const char *const counters[] = {"knot",  "stages",   "ready",     "known",  "swept",
                                       "asked", "asked_at", "unreached", "guided", "guided_at",
                                       "sends", "sent_at",  "lap"};
enum { COUNTERS = sizeof counters / sizeof *counters };

long fb_horizon_memory_bytes(const fb_horizon_text *t) {
  array list[ARRAYS];
  const int count = list_arrays(t, list);
  long bytes = COUNTERS * 4L;
  for (int i = 0; i < count; i++)
    bytes += (long)list[i].count * (list[i].integers || t->c->set.single ? 4 : 8);
  return bytes;
}

// the tables of the law and of the cost, in this order; those that it does not have are empty
enum { U_D, Y_D, GAINS, WEIGHT, END, Y_R, U_R, Y_T, TABLES };
static void list_tables(const fb_horizon_text *t, fb_table list[TABLES]) {
  const fb_output_feedback *w = law_of(t);
  const fb_tvlqr *f = &w->f;
  const size_t N = (size_t)w->N, nx = (size_t)f->nx, nu = (size_t)f->nu;
  horizon_tables W;
  fb_receding_tables(w, t->o, &W);
  const size_t other = t->o->y != NULL; // else the reference is the plan
  const fb_table all[TABLES] = {
      [U_D] = {"u_d", "", w->c, N, nu},
      [Y_D] = {"y_d", "", w->y_d, N + 1, nx},
      [GAINS] = {"G", "", w->G, N, nu * nx},
      [WEIGHT] = {"Q", "", W.Q.x, (size_t)W.Q.rows, nx * nx},
      [END] = {"P_end", "", W.P.x, (size_t)W.P.rows, nx * nx},
      [Y_R] = {"y_r", "", W.y.x, (size_t)W.y.rows, other * nx},
      [U_R] = {"u_r", "", W.u.x, (size_t)W.u.rows, other * nu},
      [Y_T] = {"y_t", "", W.track.y.x, (size_t)W.track.y.rows, (size_t)W.track.rows}};
  memcpy(list, all, sizeof all);
}

long fb_horizon_table_bytes(const fb_horizon_text *t) {
  fb_table list[TABLES];
  long numbers = 0;
  list_tables(t, list);
  for (int i = 0; i < TABLES; i++)
    if (list[i].cols) numbers += (long)(fb_tables_rows(t->c, &list[i]) * list[i].cols);
  return numbers * (t->c->set.single ? 4 : 8);
}

// -- the functions for the caller

static void put_head(FILE *f, const fb_horizon_text *t, fb_form form, bool at) {
  const sizes z = sizes_of(t);
  fb_lines_print(f, t->c->set.prefix, "int controller_%s%s(controller_horizon *c, int k%s",
                 fb_form_names[form], at ? "_at" : "", at ? ", controller_real age" : "");
  fb_lines_print(f, t->c->set.prefix, ", const controller_real q[%d]", z.n);
  if (form == FB_STATE) fb_lines_print(f, t->c->set.prefix, ", const controller_real p[%d]", z.n);
  if (form == FB_VELOCITY)
    fb_lines_print(f, t->c->set.prefix, ", const controller_real v[%d]", z.n);
  if (form == FB_POSITIONS)
    fb_lines_print(f, t->c->set.prefix,
                   ",\n    const controller_real before[%d], const controller_real force[%d]", z.n,
                   z.nu);
  fb_lines_print(f, t->c->set.prefix, ", controller_real u[%d])", z.nu);
}

void fb_horizon_header(FILE *f, const fb_horizon_text *t) {
  const sizes z = sizes_of(t);
  const char *prefix = t->c->set.prefix;
  array list[ARRAYS];
  const int count = list_arrays(t, list);
  fb_controller_origin(f, t->c, "controller.h");
  fb_lines_print(
      f, prefix,
      "// Receding-horizon control of knots 0 to %d%s, %.17g s apart; each call looks %d "
      "steps ahead.\n"
      "// Tables: %ld bytes. Memory, which the caller keeps: %ld bytes. No allocation, "
      "no library.\n"
      "//\n"
      "//   static controller_horizon c;\n"
      "//   controller_begin(&c);\n"
      "//   controller_prepare(&c, k);                        before the measurement; "
      "may be left out\n"
      "//   how = controller_%s(&c, k, ..., u);             after it\n"
      "//\n"
      "// The functions of one horizon must not interrupt each other. Knots may be "
      "missed, and a\n"
      "// second call for a knot improves the motion of the first.\n"
      "#ifndef CONTROLLER_H\n#define CONTROLLER_H\n\n",
      z.steps - 1, t->o->period ? ", which repeat" : "", law_of(t)->f.h, z.stages,
      fb_horizon_table_bytes(t), fb_horizon_memory_bytes(t), fb_form_names[t->measure]);
  fb_lines_print(f, prefix, "typedef %s controller_real;\n\n",
                 t->c->set.single ? "float" : "double");
  fb_lines_print(f, prefix,
                 "enum {\n  CONTROLLER_NQ = %d,\n  CONTROLLER_NU = %d,\n  CONTROLLER_STEPS = %d,\n"
                 "  CONTROLLER_STAGES = %d,\n  CONTROLLER_SWEEPS = %d\n};\n\n",
                 z.n, z.nu, z.steps, z.stages, t->o->sweeps);
  fb_lines_put(
      f, prefix,
      "// How a call ended: solved; its sweeps were used up, and u is the best so far; or by\n"
      "// the last motion or the gains of the knot, because a number was not finite; or solved, as "
      "near\n"
      "// as limits allow to a reference beyond them.\n"
      "enum {\n  CONTROLLER_SOLVED = 0,\n  CONTROLLER_SWEPT = 1,\n  CONTROLLER_FELL_BACK = 2,\n"
      "  CONTROLLER_UNREACHED = 3\n};\n\n"
      "typedef struct {\n");
  for (int i = 0; i < COUNTERS; i++)
    fb_lines_print(f, prefix, "  int %s;%s\n", counters[i],
                   i == 4 ? " // backward sweeps of the last call" : "");
  for (int i = 0; i < count; i++)
    fb_lines_print(f, prefix, list[i].integers ? "  int %s[%d];\n" : "  controller_real %s[%d];\n",
                   list[i].name, list[i].count);
  fb_lines_put(f, prefix,
               "} controller_horizon;\n\n// Begin a new motion.\n"
               "void controller_begin(controller_horizon *c);\n\n"
               "// Before the measurement of knot k.\n"
               "void controller_prepare(controller_horizon *c, int k);\n\n");
  if (z.asks)
    fb_lines_print(
        f, prefix,
        "// Follow a reference from now on: q [count][%d] of knots k, k + 1, ...; then rest. "
        "At most %d are read.\n"
        "// Before controller_prepare. Positions that are not finite leave it as it was.\n"
        "void controller_reference(controller_horizon *c, int k, int count, const "
        "controller_real *q);\n\n",
        z.n, z.stages + 1);
  if (z.guides)
    fb_lines_print(
        f, prefix,
        "// Track outputs from now on: y [count][%d] of knots k, k + 1, ...; the last row goes on. "
        "At most %d "
        "are read.\n"
        "// Before controller_prepare. Numbers that are not finite leave them as they were.\n"
        "void controller_target(controller_horizon *c, int k, int count, const controller_real "
        "*y);\n\n",
        z.tracks, z.stages + 1);
  fb_lines_put(f, prefix,
               t->o->late ? "// u, within its limits, that acts from knot k + 1 on:\n"
                          : "// u of knot k, within its limits:\n");
  fb_codegen_parameter parameters[FB_MAX_PARAMETERS];
  const int entries = fb_codegen_parameters(t->c, FB_STATE, parameters);
  for (int i = 0; i < entries && i < 1; i++) fb_controller_parameter(f, &parameters[i]);
  if (t->measure == FB_STATE) fputs("//   p  momenta L_v(q,v)\n", f);
  if (t->measure == FB_VELOCITY) fputs("//   v  velocities\n", f);
  if (t->measure == FB_POSITIONS)
    fputs("//   before  q one step ago;  force  inputs since, as they were applied\n", f);
  put_head(f, t, t->measure, false);
  fputs(";\n\n// The same for a measurement that was made `age` [s] before knot k, from -1 to 4 "
        "steps: its state "
        "is moved\n// to the knot under the inputs that were given.\n",
        f);
  put_head(f, t, t->measure, true);
  fputs(";\n\n#endif\n", f);
}

// a row of numbers; those that are not finite in the text's precision become the largest number
static void put_row(FILE *f, const fb_horizon_text *t, const char *name, int n, const double *x) {
  const double largest = t->c->set.single ? (double)FLT_MAX : DBL_MAX;
  fb_lines_print(f, t->c->set.prefix, "static const controller_real %s[%d] = {", name, n);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", f);
    fb_number_write(f, t->c->set.single, fmin(fmax(x[i], -largest), largest));
  }
  fputs("};\n", f);
}

// a table as the field of a struct
static void put_field(FILE *f, const fb_horizon_text *t, const char *field, const fb_table *of) {
  fprintf(f, "    .%s = {%s, %zu, %zu},\n", field, of->name, fb_tables_rows(t->c, of), of->cols);
}

static void put_integers(FILE *f, const char *name, int n, const int *x) {
  fprintf(f, "static const int %s[%d] = {", name, n);
  for (int i = 0; i < n; i++) fprintf(f, "%s%d", i ? ", " : "", x[i]);
  fputs("};\n", f);
}

// the arrays of outputs that it tracks, each of numbers or of indices; returns their number
typedef struct track_array {
  const char *name;
  const double *x;
  const int *i;
  int count;
} track_array;
enum { TRACK_ARRAYS = 8 };
static int list_track(const fb_horizon_text *t, track_array list[TRACK_ARRAYS]) {
  const track_tables *Y = t->o->track;
  const track_array all[TRACK_ARRAYS] = {
      {"row", NULL, Y->row, Y->parts},         {"joint", NULL, Y->joint, Y->parts},
      {"point", NULL, Y->point, Y->parts},     {"local", Y->local, NULL, 3 * Y->parts},
      {"along", Y->along, NULL, 3 * Y->parts}, {"of_q", Y->of_q, NULL, Y->rows * sizes_of(t).n},
      {"shift", Y->shift, NULL, Y->rows},      {"weight", Y->weight, NULL, Y->rows}};
  const int first = Y->parts ? 0 : 5; // sums of coordinates have no parts
  memcpy(list, all + first, (size_t)(TRACK_ARRAYS - first) * sizeof *list);
  return TRACK_ARRAYS - first;
}

static void put_track_arrays(FILE *f, const fb_horizon_text *t) {
  track_array list[TRACK_ARRAYS];
  char name[32];
  for (int i = 0, count = list_track(t, list); i < count; i++) {
    snprintf(name, sizeof name, "track_%s", list[i].name);
    if (list[i].x)
      put_row(f, t, name, list[i].count, list[i].x);
    else
      put_integers(f, name, list[i].count, list[i].i);
  }
}

static void put_track(FILE *f, const fb_horizon_text *t, const fb_table *y) {
  const track_tables *Y = t->o->track;
  track_array list[TRACK_ARRAYS];
  fprintf(f, "    .track = {\n        .rows = %d,\n        .parts = %d,\n        .asks = %d,\n",
          Y->rows, Y->parts, Y->asks);
  for (int i = 0, count = list_track(t, list); i < count; i++)
    fprintf(f, "        .%s = track_%s,\n", list[i].name, list[i].name);
  fprintf(f, "        .y = {%s, %zu, %zu},\n    },\n", y->name, fb_tables_rows(t->c, y), y->cols);
}

static void put_numbers(FILE *f, const fb_horizon_text *t) {
  const sizes z = sizes_of(t);
  const fb_output_feedback *w = law_of(t);
  const double *low = t->c->set.u_min, *high = t->c->set.u_max;
  fb_table list[TABLES];
  list_tables(t, list);
  for (int i = 0; i < TABLES; i++)
    if (list[i].cols) fb_tables_put(f, t->c, &list[i]);
  put_row(f, t, "u_min", z.nu, low ? low : w->unlimited);
  put_row(f, t, "u_max", z.nu, high ? high : w->unlimited + z.nu);
  put_row(f, t, "R", z.nu, w->f.R);
  if (z.softs) put_row(f, t, "q_min", z.n, t->o->q_min);
  if (z.softs) put_row(f, t, "q_max", z.n, t->o->q_max);
  if (z.softs) put_row(f, t, "soft", z.n, t->o->soft);
  if (t->o->period) put_row(f, t, "travel", z.n, t->o->travel);
  if (z.speeds) put_row(f, t, "v_max", z.n, t->o->v_max);
  if (z.speeds) put_row(f, t, "soft_v", z.n, t->o->soft_v);
  put_integers(f, "turns", z.nx, w->turns);
  if (z.tracks) put_track_arrays(f, t);
  fb_tables_write_tree(f, t->c);
  fprintf(f,
          "\nstatic const tables law_state = {\n    .steps = %d,\n    .nq = %d,\n    .nu = %d,\n"
          "    .ny = %d,\n    .h = (real)%.17g,\n    .rate = (real)%.17g,\n",
          z.N, z.n, z.nu, z.nx, w->f.h, 1 / w->f.h);
  put_field(f, t, "u_d", &list[U_D]);
  put_field(f, t, "y_d", &list[Y_D]);
  put_field(f, t, "G", &list[GAINS]);
  fputs("    .u_min = u_min,\n    .u_max = u_max,\n    .turns = turns,\n    .tree = &tree,\n};\n",
        f);
  fprintf(f,
          "\nstatic const horizon_tables costs = {\n    .stages = %d,\n    .sweeps = %d,\n"
          "    .nx = %d,\n",
          z.stages, t->o->sweeps, z.nx);
  if (z.softs) fprintf(f, "    .softs = %d,\n", z.softs);
  if (z.speeds) fprintf(f, "    .speeds = %d,\n", z.speeds);
  if (t->o->rests) fputs("    .rests = 1,\n", f);
  if (z.asks) fputs("    .asks = 1,\n", f);
  if (t->o->late) fputs("    .late = 1,\n", f);
  if (t->o->period) fprintf(f, "    .period = %d,\n    .travel = travel,\n", t->o->period);
  put_field(f, t, "Q", &list[WEIGHT]);
  put_field(f, t, "P", &list[END]);
  put_field(f, t, "y", &list[t->o->y ? Y_R : Y_D]);
  put_field(f, t, "u", &list[t->o->y ? U_R : U_D]);
  fputs("    .R = R,\n", f);
  if (z.softs) fputs("    .q_min = q_min,\n    .q_max = q_max,\n    .soft = soft,\n", f);
  if (z.speeds) fputs("    .v_max = v_max,\n    .soft_v = soft_v,\n", f);
  if (z.tracks) put_track(f, t, &list[Y_T]);
  fputs("};\n", f);
}

// the caller's memory as the code takes it
static void put_memory(FILE *f, const fb_horizon_text *t) {
  const sizes z = sizes_of(t);
  array list[ARRAYS];
  const int count = list_arrays(t, list);
  fb_lines_put(f, t->c->set.prefix,
               "\nstatic void set_up(controller_horizon *c, horizon *o, horizon_room *w) {\n");
  for (int i = 0; i < COUNTERS; i++) fprintf(f, "  o->%s = &c->%s;\n", counters[i], counters[i]);

  // arrays without entries
  if (!z.softs) fputs("  o->beyond = c->held;\n", f);
  if (!z.speeds) fputs("  o->fast = c->held;\n", f);
  if (!z.asks) fputs("  o->asked_y = c->q;\n  o->asked_u = c->u;\n", f);
  if (!z.tracks) fputs("  o->track_e = c->q;\n  o->track_D = c->q;\n", f);
  if (!z.guides) fputs("  o->guide_y = c->q;\n", f);
  for (int i = 0; i < count; i++)
    if (list[i].in) fprintf(f, "  %s%s = c->%s;\n", list[i].in, list[i].pointer, list[i].name);
  fputs("}\n", f);
}

static void put_form(FILE *f, const fb_horizon_text *t, bool at) {
  const int n = sizes_of(t).n;
  fputs("\n", f);
  put_head(f, t, t->measure, at);
  fprintf(f, " {\n  horizon o;\n  horizon_room w;\n  set_up(c, &o, &w);\n  copy(%d, q, c->y);\n",
          n);
  if (t->measure == FB_STATE) fprintf(f, "  copy(%d, p, &c->y[%d]);\n", n, n);
  if (t->measure == FB_VELOCITY) fprintf(f, "  momenta(&tree, q, v, c->bodies, &c->y[%d]);\n", n);
  if (t->measure == FB_POSITIONS)
    fprintf(f,
            "  past_momentum(&law_state, ((real)k * law_state.h)%s, row(&law_state.y_d, k), q, "
            "before, force,\n                c->bodies, &c->y[%d]);\n",
            at ? " - age" : "", n);
  fprintf(f, "  return horizon_input(&law_state, &costs, &o, k, %s, c->y, &w, u);\n}\n",
          at ? "age" : "ZERO");
}

// the products of a step and a stage, with the controller's sizes as constants
static void put_products(FILE *f, const fb_horizon_text *t) {
  static const struct {
    const char *head, *call;
  } functions[] = {
      {"void eliminate(int nx, int nu, real *D12, const real *D22, real *solved, real *A,\n"
       "                      real *B, real *c)",
       "eliminate_of(%d, %d, D12, D22, solved, A, B, c)"},
      {"void form_products(int nx, int nu, const real *P, const real *A, const real *B, real *PA,\n"
       "                          real *PB, real *next, real *X, real *H)",
       "products_of(%d, %d, P, A, B, PA, PB, next, X, H)"},
      {"void close_stage(int nx, int nu, const real *X, const real *K, real *next, real *P)",
       "lower_cost(%d, %d, X, K, next, P)"},
      {"_Bool solve_gains(int nx, int nu, real *H, real *K, real *k)",
       "return gains_of(%d, %d, H, K, k)"}};
  const sizes z = sizes_of(t);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    fprintf(f, "\nstatic %s {\n  (void)nx;\n  (void)nu;\n  ", functions[i].head);
    fprintf(f, functions[i].call, z.nx, z.nu);
    fputs(";\n}\n", f);
  }
}

void fb_horizon_source(FILE *f, const fb_horizon_text *t) {
  const bool past = t->measure == FB_POSITIONS;
  const struct {
    const char *name;
    bool left_out;
  } files[] = {{"types.inc", false}, {"horizon_types.inc", false},
               {"number.c", false},  {"sine.c", false},
               {"law.c", false},     {"tree.c", false},
               {"impulse.c", false}, {"action.c", !past && !t->o->asks},
               {"past.c", !past},    {"curvature.c", false},
               {"products.c", false}};
  const sizes z = sizes_of(t);
  const struct {
    const char *name;
    bool left_out;
  } last[] = {{"interval.c", false}, {"track.c", !z.tracks}, {"sweep.c", false},
              {"age.c", false},      {"horizon.c", false},   {"reference.c", !z.asks},
              {"asked.c", !z.asks},  {"guided.c", !z.guides}};
  fb_source_begin(f, t->c);
  if (z.tracks) fputs("#define HAS_TRACKS\n", f);
  if (t->o->period) fputs("#define HAS_PERIODS\n", f);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (!files[i].left_out) fb_source_put(f, files[i].name);
  put_products(f, t);
  for (size_t i = 0; i < sizeof last / sizeof *last; i++)
    if (!last[i].left_out) fb_source_put(f, last[i].name);
  fputs("\n// -- the numbers\n\n", f);
  put_numbers(f, t);
  fputs("\n// -- the functions\n", f);
  put_memory(f, t);
  fb_lines_put(f, t->c->set.prefix,
               "\nvoid controller_begin(controller_horizon *c) {\n  c->ready = 0;\n"
               "  c->known = 0;\n  c->swept = 0;\n  c->knot = 0;\n  c->stages = 0;\n"
               "  c->asked = 0;\n  c->asked_at = 0;\n  c->unreached = 0;\n"
               "  c->guided = 0;\n  c->guided_at = 0;\n  c->sends = 0;\n  c->sent_at = 0;\n  "
               "c->lap = 0;\n}\n"
               "\nvoid controller_prepare(controller_horizon *c, int k) {\n  horizon o;\n"
               "  horizon_room w;\n  set_up(c, &o, &w);\n"
               "  prepare_horizon(&law_state, &costs, &o, k, &w);\n}\n");
  if (t->o->asks)
    fb_lines_put(f, t->c->set.prefix,
                 "\nvoid controller_reference(controller_horizon *c, int k, int count, const "
                 "controller_real *q) {\n  horizon o;\n  horizon_room w;\n  set_up(c, &o, &w);\n"
                 "  ask_reference(&law_state, &costs, &o, k, count, q, &w);\n}\n");
  if (z.guides)
    fb_lines_put(f, t->c->set.prefix,
                 "\nvoid controller_target(controller_horizon *c, int k, int count, const "
                 "controller_real *y) {\n  horizon o;\n  horizon_room w;\n  set_up(c, &o, &w);\n"
                 "  guide_outputs(&law_state, &costs, &o, k, count, y);\n}\n");
  put_form(f, t, false);
  put_form(f, t, true);
}

// -- the trace and its replay

void fb_horizon_trace_header(FILE *f, const fb_horizon_text *t) {
  static const char *const second[] = {"p.", "v.", "before.q."};
  const sizes z = sizes_of(t);
  const char *form = fb_form_names[t->measure];
  fputs("k", f);
  for (int i = 0; i < 2 * z.n; i++) {
    fprintf(f, ",%s.%s", form, i < z.n ? "q." : second[t->measure]);
    fb_replay_name(f, t->c->set.coord, i % z.n);
  }
  for (int i = 0; t->measure == FB_POSITIONS && i < z.nu; i++) {
    fprintf(f, ",%s.before.u.", form);
    fb_replay_name(f, t->c->set.input, i);
  }
  for (int i = 0; t->o->asks && i < z.n; i++) {
    fputs(",reference.q.", f);
    fb_replay_name(f, t->c->set.coord, i);
  }
  for (int i = 0; z.guides && i < z.tracks; i++) fprintf(f, ",target.y.%d", i);
  for (int i = 0; i < z.nu; i++) {
    fprintf(f, ",%s.u.", form);
    fb_replay_name(f, t->c->set.input, i);
  }
  fputc('\n', f);
}

static int count_measured(const fb_horizon_text *t) {
  const sizes z = sizes_of(t);
  return 2 * z.n + (t->measure == FB_POSITIONS ? z.nu : 0) + z.asks * z.n + z.guides * z.tracks;
}

void fb_horizon_replay(FILE *f, const fb_horizon_text *t) {
  const sizes z = sizes_of(t);
  const int columns = count_measured(t) + z.nu;
  const char *prefix = t->c->set.prefix;
  fb_controller_origin(f, t->c, "controller_replay.c");
  fb_lines_print(
      f, prefix,
      "// Replays controller_trace.csv (or the file named) and holds the controller's inputs "
      "against it, bit for\n// bit: cc -std=c99 controller.c controller_replay.c && ./a.out\n"
      "#include \"controller.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n#include "
      "<string.h>\n\n"
      "#define COLUMNS %d\n#define READ    %s\n\n"
      "static controller_horizon c;\nstatic char line[%d];\nstatic controller_real "
      "row[COLUMNS];\n\n",
      columns, t->c->set.single ? "strtof" : "strtod", 64 + 32 * columns);
  fb_lines_put(f, prefix,
               "int main(int n, char **word) {\n"
               "  const char *path = n > 1 ? word[1] : \"controller_trace.csv\";\n"
               "  FILE *f = fopen(path, \"r\");\n"
               "  int rows = 0, different = 0, j;\n"
               "  if (!f) {\n    printf(\"%s cannot be read\\n\", path);\n    return 2;\n  }\n"
               "  controller_begin(&c);\n"
               "  while (fgets(line, sizeof line, f)) {\n"
               "    controller_real u[CONTROLLER_NU];\n    char *at;\n    int k;\n"
               "    if (line[0] < '0' || line[0] > '9') continue;\n"
               "    k = (int)strtol(line, &at, 10);\n"
               "    for (j = 0; j < COLUMNS && *at == ','; j++) row[j] = READ(at + 1, &at);\n"
               "    if (j < COLUMNS) {\n"
               "      printf(\"%s: row %d: expected %d numbers\\n\", path, rows, COLUMNS + 1);\n"
               "      return 2;\n    }\n"
               "    rows++;\n");
  if (z.asks)
    fb_lines_print(f, prefix, "    controller_reference(&c, k, 1, row + %d);\n",
                   count_measured(t) - z.n - z.guides * z.tracks);
  if (z.guides)
    fb_lines_print(f, prefix, "    controller_target(&c, k, 1, row + %d);\n",
                   count_measured(t) - z.tracks);
  fb_lines_print(f, prefix, "    (void)controller_%s(&c, k, row, row + %d, %su);\n",
                 fb_form_names[t->measure], z.n,
                 t->measure == FB_POSITIONS ? "row + 2 * CONTROLLER_NQ, " : "");
  fb_lines_print(
      f, prefix,
      "    for (j = 0; j < CONTROLLER_NU; j++)\n"
      "      if (memcmp(&u[j], &row[%d + j], sizeof u[j]) != 0 && different++ < 10)\n"
      "        printf(\"k = %%d, u[%%d]: %%.17g, not %%.17g\\n\", k, j, (double)u[j], "
      "(double)row[%d + "
      "j]);\n"
      "  }\n  fclose(f);\n  printf(\"%%d rows, %%d numbers differ\\n\", rows, different);\n"
      "  return rows == 0 || different ? 1 : 0;\n}\n",
      count_measured(t), count_measured(t));
}
