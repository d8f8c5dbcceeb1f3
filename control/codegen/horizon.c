#include "control/codegen/horizon.h"

#include "control/codegen/controller.h"
#include "control/codegen/lines.h"
#include "control/codegen/number.h"
#include "control/codegen/replay.h"
#include "control/codegen/source.h"
#include "control/codegen/tables.h"
#include "control/feedback/law_tables.h"
#include "control/onboard/horizon_arrays.h"
#include "control/onboard/onboard.h"
#include "control/onboard/sized_products.h"

#include <float.h>
#include <math.h>
#include <string.h>

// -- sizes

typedef struct sizes {
  int n, balls, places, nx, nu, joints, each, N, steps, stages, softs, speeds, asks, tracks, guides;
  int points, loads;
} sizes;

static const fb_output_feedback *law_of(const fb_horizon_text *t) {
  return t->c->law[FB_STATE];
}

static sizes sizes_of(const fb_horizon_text *t) {
  const fb_output_feedback *w = law_of(t);
  const tree_tables *M = w->f.tree;
  return (sizes){.n = M->n,
                 .balls = M->balls,
                 .places = M->n + M->balls,
                 .nx = 2 * M->n,
                 .each = M->balls ? FB_OF_BALLS : FB_OF_JOINT,
                 .nu = w->f.nu,
                 .joints = M->joints,
                 .points = M->points,
                 .loads = M->loads,
                 .N = w->N,
                 .steps = t->o->period ? t->o->period : w->N,
                 .stages = t->o->stages,
                 .softs = t->o->q_min ? M->n : 0,
                 .speeds = t->o->v_max ? M->n : 0,
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
enum { ARRAYS = 58 };

// returns their number
static int list_arrays(const fb_horizon_text *t, array list[ARRAYS]) {
  const sizes z = sizes_of(t);
  const int n = z.n, joints = z.joints, nx = z.nx, nu = z.nu, S = z.stages, softs = z.softs;
  const int speeds = z.speeds, asks = z.asks, tracks = z.tracks, guides = z.guides;
  const int points = z.points, loads = z.loads, balls = z.balls, places = z.places, each = z.each;
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
                       {"y", NULL, NULL, places + n, false},
                       {"taken", NULL, NULL, balls ? 2 * places : 0, false},
                       {"measured", NULL, NULL, t->measure == FB_STATE ? 0 : 8 * places + each * joints, false}};
  // clang-format on
  int count = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].count) list[count++] = all[i];
  return count;
}

// its integers
static const struct {
  const char *type, *name;
  int count;
  const char *about;
} integers[] = {{"int", "knot", 1, "of the motion"},
                {"int", "stages", 1, "from there on"},
                {"int", "ready", 1, "1: knot is prepared"},
                {"int", "known", 1, "1: there is a motion"},
                {"int", "swept", 1, "backward sweeps of the last call"},
                {"int", "most", 1, "backward sweeps of any call"},
                {"int", "asked", 1, "1: the caller has set a reference"},
                {"int", "asked_at", 1, "the knot of its first row"},
                {"int", "unreached", 1, "numbers of it that are beyond the limits"},
                {"int", "guided", 1, "rows of the reference of outputs that the caller has set"},
                {"int", "guided_at", 1, "the knot of its first row"},
                {"int", "sends", 1, "inputs that are remembered"},
                {"int", "sent_at", 1, "the knot of the last one"},
                {"int", "lap", 1, "periods before it, which `knot` does not count"},
                {"volatile int", "busy", 1, "1: controller_prepare has begun and not ended"},
                {"volatile int", "forget", 1, "1: controller_reset was called"},
                {"unsigned int", "ended", 5, "calls by their status"},
                {"unsigned int", "unprepared", 1, "calls that had to prepare their knot"}};
enum { INTEGERS = sizeof integers / sizeof *integers };

long fb_horizon_memory_bytes(const fb_horizon_text *t) {
  array list[ARRAYS];
  const int count = list_arrays(t, list);
  long bytes = 0;
  for (int i = 0; i < INTEGERS; i++) bytes += integers[i].count * 4L;
  for (int i = 0; i < count; i++)
    bytes += (long)list[i].count * (list[i].integers || t->c->set.single ? 4 : 8);
  return bytes;
}

// the tables of the law and of the cost, in this order; those that it does not have are empty
enum { U_D, Y_D, GAINS, WEIGHT, END, Y_R, U_R, Y_T, TABLES };
static void list_tables(const fb_horizon_text *t, fb_table list[TABLES]) {
  const fb_output_feedback *w = law_of(t);
  const size_t N = (size_t)w->N, nu = (size_t)w->f.nu;
  tables T;
  horizon_tables W;
  fb_receding_tables(w, t->o, &T, &W);
  const size_t nx = (size_t)W.nx, ny = (size_t)T.ny;
  const size_t other = t->o->y != NULL; // else the reference is the plan
  const fb_table all[TABLES] = {
      [U_D] = {"u_d", "", w->c, N, nu},
      [Y_D] = {"y_d", "", T.y_d.x, N + 1, ny},
      [GAINS] = {"G", "", T.G.x, N, nu * ny},
      [WEIGHT] = {"Q", "", W.Q.x, (size_t)W.Q.rows, nx * nx},
      [END] = {"P_end", "", W.P.x, (size_t)W.P.rows, nx * nx},
      [Y_R] = {"y_r", "", W.y.x, (size_t)W.y.rows, other * ny},
      [U_R] = {"u_r", "", W.u.x, (size_t)W.u.rows, other * nu},
      [Y_T] = {"y_t", "", W.track.y.x, (size_t)W.track.y.rows, (size_t)W.track.rows}};
  memcpy(list, all, sizeof all);
}

// columns of a table in the text: of a symmetric matrix the lower triangle
static size_t count_columns(const fb_horizon_text *t, const fb_table *of, bool symmetric) {
  const size_t nx = (size_t)sizes_of(t).nx;
  return symmetric ? nx * (nx + 1) / 2 : of->cols;
}

long fb_horizon_table_bytes(const fb_horizon_text *t) {
  fb_table list[TABLES];
  long numbers = 0;
  list_tables(t, list);
  for (int i = 0; i < TABLES; i++)
    if (list[i].cols)
      numbers += (long)(fb_tables_rows(t->c, &list[i]) * count_columns(t, &list[i], i == END));
  return numbers * (t->c->set.single ? 4 : 8);
}

// -- the functions for the caller

// a measurement at its knot, at any age, and the function that both call
typedef enum call { AT_KNOT, AT_AGE, EITHER } call;

static void put_head(FILE *f, const fb_horizon_text *t, call which) {
  static const char *const names[] = {"int controller_", "int controller_", "static int call_"};
  const fb_form form = t->measure;
  const sizes z = sizes_of(t);
  fb_lines_put(f, t->c->set.prefix, names[which]);
  fprintf(f, "%s%s(", fb_form_names[form], which == AT_AGE ? "_at" : "");
  fb_lines_print(f, t->c->set.prefix, "controller_horizon *c, int k%s",
                 which == AT_KNOT ? "" : ", controller_real age");
  fb_lines_print(f, t->c->set.prefix, ", const controller_real q[%d]", z.places);
  if (form == FB_STATE)
    fb_lines_print(f, t->c->set.prefix, ", const controller_real p[%d]", z.places);
  if (form == FB_VELOCITY)
    fb_lines_print(f, t->c->set.prefix, ", const controller_real v[%d]", z.places);
  if (form == FB_POSITIONS)
    fb_lines_print(f, t->c->set.prefix,
                   ",\n    const controller_real before[%d], const controller_real force[%d]",
                   z.places, z.nu);
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
      "// Knots may be missed: the next call shifts the motion. A call is one step of the "
      "Gauss-Newton method:\n"
      "// near the reference, a second call for a knot improves the motion of the first. A "
      "call for an earlier\n"
      "// knot begins from the plan.\n"
      "//\n"
      "// Interrupts. On one processor, controller_%s may interrupt controller_prepare: "
      "the call then\n"
      "// takes the gains of its knot, leaves the horizon alone, and returns "
      "CONTROLLER_LATE. No other function\n"
      "// may interrupt another one of the same horizon, except that controller_reset "
      "may be called anywhere.\n"
      "// On two processors, or between tasks that preempt each other, use a lock. A "
      "compiler other than gcc and\n"
      "// clang needs -DFENCE()=..., a barrier to the order of writes in memory.\n"
      "#ifndef CONTROLLER_H\n#define CONTROLLER_H\n\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
      z.steps - 1, t->o->period ? ", which repeat" : "", law_of(t)->f.h, z.stages,
      fb_horizon_table_bytes(t), fb_horizon_memory_bytes(t), fb_form_names[t->measure],
      fb_form_names[t->measure]);
  fb_lines_print(f, prefix, "typedef %s controller_real;\n\n",
                 t->c->set.single ? "float" : "double");
  fb_lines_print(f, prefix,
                 "enum {\n  CONTROLLER_NQ = %d,\n  CONTROLLER_NU = %d,\n  CONTROLLER_STEPS = %d,\n"
                 "  CONTROLLER_STAGES = %d,\n  CONTROLLER_SWEEPS = %d\n};\n\n",
                 z.places, z.nu, z.steps, z.stages, t->o->sweeps);
  fb_lines_put(
      f, prefix,
      "// How a call ended: solved; its sweeps were used up, and u is the best so far; by the\n"
      "// last motion or the gains of the knot, because a number was not finite; solved, as near\n"
      "// as limits allow to a reference beyond them; or by the gains, because it interrupted\n"
      "// controller_prepare.\n"
      "enum {\n  CONTROLLER_SOLVED = 0,\n  CONTROLLER_SWEPT = 1,\n  CONTROLLER_FELL_BACK = 2,\n"
      "  CONTROLLER_UNREACHED = 3,\n  CONTROLLER_LATE = 4\n};\n\ntypedef struct {\n");
  for (int i = 0; i < INTEGERS; i++) {
    fprintf(f, "  %s %s", integers[i].type, integers[i].name);
    if (integers[i].count > 1) fprintf(f, "[%d]", integers[i].count);
    fb_lines_print(f, prefix, "; // %s\n", integers[i].about);
  }
  for (int i = 0; i < count; i++)
    fb_lines_print(f, prefix, list[i].integers ? "  int %s[%d];\n" : "  controller_real %s[%d];\n",
                   list[i].name, list[i].count);
  fb_lines_put(f, prefix,
               "} controller_horizon;\n\n// Begin a new motion, with all counts 0.\n"
               "void controller_begin(controller_horizon *c);\n\n"
               "// Forget the motion of the last call: the next one begins from the plan of its "
               "knot. After a stop,\n"
               "// or when the robot was moved. Counts and the caller's reference are kept.\n"
               "void controller_reset(controller_horizon *c);\n\n"
               "// Before the measurement of knot k.\n"
               "void controller_prepare(controller_horizon *c, int k);\n\n");
  if (z.asks)
    fb_lines_print(
        f, prefix,
        "// Follow a reference from now on: q [count][%d] of knots k, k + 1, ...; then rest. "
        "At most %d are read.\n"
        "// Before controller_prepare, which it must not interrupt. Positions that are not finite "
        "leave it as it was.\n"
        "void controller_reference(controller_horizon *c, int k, int count, const "
        "controller_real *q);\n\n",
        z.places, z.stages + 1);
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
  put_head(f, t, AT_KNOT);
  fputs(";\n\n// The same for a measurement that was made `age` [s] before knot k, from -1 to 4 "
        "steps: its state "
        "is moved\n// to the knot under the inputs that were given.\n",
        f);
  put_head(f, t, AT_AGE);
  fputs(";\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n", f);
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
  fprintf(f, "    .%s = {%s, %zu, %zu},\n", field, of->name, fb_tables_rows(t->c, of),
          count_columns(t, of, !strcmp(field, "P")));
}

// the costs at ends of horizons, by their lower triangles
static void put_ends(FILE *f, const fb_horizon_text *t, const fb_table *of) {
  const size_t rows = fb_tables_rows(t->c, of), nx = (size_t)sizes_of(t).nx;
  fb_lines_print(f, t->c->set.prefix, "static const controller_real %s[%zu] = {", of->name,
                 rows * count_columns(t, of, true));
  for (size_t k = 0; k < rows; k++)
    for (size_t i = 0; i < nx; i++) {
      fputs(k + i ? ",\n    " : "\n    ", f);
      for (size_t l = 0; l <= i; l++) {
        if (l) fputs(l % 6 ? ", " : ",\n    ", f);
        fb_number_write(f, t->c->set.single, of->x[(k * nx + i) * nx + l]);
      }
    }
  fputs("};\n", f);
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
  tables T;
  horizon_tables W;
  fb_receding_tables(w, t->o, &T, &W);
  list_tables(t, list);
  for (int i = 0; i < TABLES; i++)
    if (list[i].cols && i != END) fb_tables_put(f, t->c, &list[i]);
  put_ends(f, t, &list[END]);
  put_row(f, t, "u_min", z.nu, low ? low : w->unlimited);
  put_row(f, t, "u_max", z.nu, high ? high : w->unlimited + z.nu);
  put_row(f, t, "R", z.nu, w->f.R);
  if (z.softs) put_row(f, t, "q_min", z.n, W.q_min);
  if (z.softs) put_row(f, t, "q_max", z.n, W.q_max);
  if (z.softs) put_row(f, t, "soft", z.n, W.soft);
  if (t->o->period) put_row(f, t, "travel", z.n, W.travel);
  if (z.speeds) put_row(f, t, "v_max", z.n, W.v_max);
  if (z.speeds) put_row(f, t, "soft_v", z.n, W.soft_v);
  put_integers(f, "turns", T.ny, T.turns);
  if (T.lines) put_row(f, t, "stall", T.lines, T.stall);
  if (T.lines) put_row(f, t, "slope", T.lines, T.slope);
  if (T.lines) put_integers(f, "moved", T.lines, T.moved);
  if (z.tracks) put_track_arrays(f, t);
  fb_tables_write_tree(f, t->c);
  fprintf(f,
          "\nstatic const tables law_state = {\n    .steps = %d,\n    .nq = %d,\n    .nu = %d,\n"
          "    .ny = %d,\n    .h = (real)%.17g,\n    .rate = (real)%.17g,\n",
          z.N, z.n, z.nu, T.ny, w->f.h, 1 / w->f.h);
  put_field(f, t, "u_d", &list[U_D]);
  put_field(f, t, "y_d", &list[Y_D]);
  put_field(f, t, "G", &list[GAINS]);
  if (T.lines)
    fprintf(f, "    .lines = %d,\n    .stall = stall,\n    .slope = slope,\n    .moved = moved,\n",
            T.lines);
  fputs("    .u_min = u_min,\n    .u_max = u_max,\n    .turns = turns,\n    .tree = &tree,\n};\n",
        f);
  fprintf(f,
          "\nstatic const horizon_tables costs = {\n    .stages = %d,\n    .sweeps = %d,\n"
          "    .nx = %d,\n    .places = %d,\n",
          z.stages, t->o->sweeps, z.nx, z.places);
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
  for (int i = 0; i < INTEGERS; i++)
    fprintf(f, "  o->%s = %sc->%s;\n", integers[i].name, integers[i].count > 1 ? "" : "&",
            integers[i].name);

  // arrays without entries
  if (!z.softs) fputs("  o->beyond = c->held;\n", f);
  if (!z.speeds) fputs("  o->fast = c->held;\n", f);
  if (!z.asks) fputs("  o->asked_y = c->q;\n  o->asked_u = c->u;\n", f);
  if (!z.tracks) fputs("  o->track_e = c->q;\n  o->track_D = c->q;\n", f);
  if (!z.guides) fputs("  o->guide_y = c->q;\n", f);
  if (!z.balls) fputs("  w->interval.ends = c->q;\n", f);
  for (int i = 0; i < count; i++)
    if (list[i].in) fprintf(f, "  %s%s = c->%s;\n", list[i].in, list[i].pointer, list[i].name);
  fputs("}\n", f);
}

static void put_form(FILE *f, const fb_horizon_text *t) {
  static const char *const second[] = {"p", "v", "before, force"};
  const sizes z = sizes_of(t);
  const int at = z.places;
  const bool turns = z.balls > 0;
  fputs("\n", f);
  put_head(f, t, EITHER);
  fputs(" {\n", f);
  if (turns)
    fputs("  take_position(&tree, q, c->y);\n", f);
  else
    fprintf(f, "  copy(%d, q, c->y);\n", at);
  if (t->measure == FB_STATE && turns)
    fprintf(f, "  take_rates(&tree, (real)0.5, c->y, p, c->taken, &c->y[%d]);\n", at);
  if (t->measure == FB_STATE && !turns) fprintf(f, "  copy(%d, p, &c->y[%d]);\n", at, at);
  if (t->measure == FB_VELOCITY && turns)
    fprintf(f, "  take_rates(&tree, (real)2, c->y, v, c->taken, &c->taken[%d]);\n", at);
  if (t->measure == FB_VELOCITY && turns)
    fprintf(f, "  momenta(&tree, c->y, &c->taken[%d], c->measured, &c->y[%d]);\n", at, at);
  if (t->measure == FB_VELOCITY && !turns)
    fprintf(f, "  momenta(&tree, q, v, c->measured, &c->y[%d]);\n", at);
  if (t->measure == FB_POSITIONS && turns) fputs("  take_position(&tree, before, c->taken);\n", f);
  if (t->measure == FB_POSITIONS)
    fprintf(
        f,
        "  past_momentum(&law_state, ((real)k * law_state.h) - age, row(&law_state.y_d, k), %s, "
        "force,\n                c->measured, &c->y[%d]);\n",
        turns ? "c->y, c->taken" : "q, before", at);
  fputs("  return run_call(c, k, 1, age, u);\n}\n\n", f);
  for (call which = AT_KNOT; which <= AT_AGE; which++) {
    put_head(f, t, which);
    fprintf(f, " {\n  return call_%s(c, k, %s, q, %s, u);\n}\n", fb_form_names[t->measure],
            which == AT_AGE ? "age" : "ZERO", second[t->measure]);
    if (which == AT_KNOT) fputs("\n", f);
  }
}

// the products of a step and a stage, with the controller's sizes as constants
static void put_products(FILE *f, const fb_horizon_text *t) {
  // lists of parameters and of arguments begin and end with a parenthesis
#define WITH_ITS_SIZES(type, name, of, parameters, arguments)                                      \
  fprintf(f,                                                                                       \
          "\nstatic " #type " " #name "(int nx, int nu,\n    %s {\n  (void)nx;\n  (void)nu;\n  "   \
          "%s" #of "(%d, %d, %s;\n}\n",                                                            \
          &#parameters[1], strcmp(#type, "void") ? "return " : "", z.nx, z.nu, &#arguments[1]);
  const sizes z = sizes_of(t);
  SIZED_PRODUCTS(WITH_ITS_SIZES)
}

// controller_begin
static void put_begin(FILE *f, const fb_horizon_text *t) {
  fb_lines_put(f, t->c->set.prefix, "\nvoid controller_begin(controller_horizon *c) {\n  int i;\n");
  for (int i = 0; i < INTEGERS; i++) {
    const char *zero = strncmp(integers[i].type, "unsigned", 8) ? "0" : "0U";
    if (integers[i].count > 1)
      fprintf(f, "  for (i = 0; i < %d; i++) {\n    c->%s[i] = %s;\n  }\n", integers[i].count,
              integers[i].name, zero);
    else
      fprintf(f, "  c->%s = %s;\n", integers[i].name, zero);
  }
  fputs("}\n", f);
}

void fb_horizon_source(FILE *f, const fb_horizon_text *t) {
  const sizes z = sizes_of(t);
  const bool past = t->measure == FB_POSITIONS, asks = z.asks;
  const bool rubs = fb_codegen_tree(t->c)->frictions > 0, balls = z.balls > 0;
  const bool faced = fb_tables_faced(fb_codegen_tree(t->c));
  const struct {
    const char *name; // NULL: the products with their sizes
    bool used;
  } files[] = {{"types.inc", true},
               {"horizon_types.inc", true},
               {"number.c", true},
               {"sine.c", true},
               {"law.c", true},
               {"tree.c", true},
               {"ball.c", balls},
               {"take.c", balls},
               {"take_rates.c", balls && !past},
               {"faced.c", faced},
               {"load.c", true},
               {"joint_friction.c", rubs},
               {"impulse.c", true},
               {"action.c", past || asks},
               {"past.c", past},
               {"faced_slopes.c", faced},
               {"curvature.c", true},
               {"products.c", true},
               {NULL, true},
               {"position.c", true},
               {"interval_room.c", true},
               {"turned.c", balls},
               {"interval.c", true},
               {"track.c", z.tracks},
               {"sweep.c", true},
               {"age.c", true},
               {"horizon.c", true},
               {"horizon_calls.c", true},
               {"reference.c", asks},
               {"asked.c", asks},
               {"guided.c", z.guides}};
  fb_source_begin(f, t->c);
  const char *parts[7] = {NULL};
  int known = 0;
  if (law_of(t)->f.drives) parts[known++] = "HAS_MOTORS";
  if (z.tracks) parts[known++] = "HAS_TRACKS";
  if (t->o->period) parts[known++] = "HAS_PERIODS";
  if (rubs) parts[known++] = "HAS_JOINT_FRICTION";
  if (balls) parts[known++] = "HAS_BALLS";
  if (faced) parts[known++] = "HAS_FACED_LOADS";
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (!files[i].used) continue;
    if (files[i].name)
      fb_source_put(f, files[i].name, parts);
    else
      put_products(f, t);
  }
  fputs("\n// -- the numbers\n\n", f);
  put_numbers(f, t);
  fputs("\n// -- the functions\n", f);
  put_memory(f, t);
  put_begin(f, t);
  fb_lines_put(
      f, t->c->set.prefix,
      "\nvoid controller_reset(controller_horizon *c) {\n  c->forget = 1;\n}\n"
      "\n// the preparation of knot k; or u [nu] of its measured state c->y\n"
      "static int run_call(controller_horizon *c, int k, int measured, real age, real *u) {\n"
      "  horizon o;\n  horizon_room w;\n  int how = SOLVED;\n  set_up(c, &o, &w);\n"
      "  if (measured != 0) {\n"
      "    how = input_call(&law_state, &costs, &o, k, age, c->y, &w, u);\n"
      "  } else {\n    prepare_call(&law_state, &costs, &o, k, &w);\n  }\n"
      "  return how;\n}\n"
      "\nvoid controller_prepare(controller_horizon *c, int k) {\n"
      "  (void)run_call(c, k, 0, ZERO, c->u);\n}\n");
  if (z.asks)
    fb_lines_put(f, t->c->set.prefix,
                 "\nvoid controller_reference(controller_horizon *c, int k, int count, const "
                 "controller_real *q) {\n  horizon o;\n  horizon_room w;\n  set_up(c, &o, &w);\n"
                 "  ask_reference(&law_state, &costs, &o, k, count, q, &w);\n}\n");
  if (z.guides)
    fb_lines_put(f, t->c->set.prefix,
                 "\nvoid controller_target(controller_horizon *c, int k, int count, const "
                 "controller_real *y) {\n  horizon o;\n  horizon_room w;\n  set_up(c, &o, &w);\n"
                 "  guide_outputs(&law_state, &costs, &o, k, count, y);\n}\n");
  put_form(f, t);
}

// -- the trace and its replay

void fb_horizon_trace_header(FILE *f, const fb_horizon_text *t) {
  static const char *const second[] = {"p.", "v.", "before.q."};
  const sizes z = sizes_of(t);
  const char *form = fb_form_names[t->measure];
  fputs("k,age", f);
  for (int i = 0; i < 2 * z.places; i++) {
    fprintf(f, ",%s.%s", form, i < z.places ? "q." : second[t->measure]);
    fb_replay_name(f, t->c->set.coord, i % z.places);
  }
  for (int i = 0; t->measure == FB_POSITIONS && i < z.nu; i++) {
    fprintf(f, ",%s.before.u.", form);
    fb_replay_name(f, t->c->set.input, i);
  }
  for (int i = 0; t->o->asks && i < z.places; i++) {
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

// its columns before u: the age comes first
static int count_measured(const fb_horizon_text *t) {
  const sizes z = sizes_of(t);
  return 1 + 2 * z.places + (t->measure == FB_POSITIONS ? z.nu : 0) + z.asks * z.places +
         z.guides * z.tracks;
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
                   count_measured(t) - z.places - z.guides * z.tracks);
  if (z.guides)
    fb_lines_print(f, prefix, "    controller_target(&c, k, 1, row + %d);\n",
                   count_measured(t) - z.tracks);
  const char *force = t->measure == FB_POSITIONS ? "row + 1 + 2 * CONTROLLER_NQ, " : "";
  const char *form = fb_form_names[t->measure];
  fb_lines_print(f, prefix,
                 "    if (row[0] != 0)\n"
                 "      (void)controller_%s_at(&c, k, row[0], row + 1, row + %d, %su);\n"
                 "    else\n      (void)controller_%s(&c, k, row + 1, row + %d, %su);\n",
                 form, 1 + z.places, force, form, 1 + z.places, force);
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
