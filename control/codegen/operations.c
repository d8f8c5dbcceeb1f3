#include "control/codegen/operations.h"
#include "control/codegen/head.h"

#include "control/codegen/lines.h"

#include "control/onboard/onboard.h"

#include <math.h>

// The functions of control/onboard, in the order of their calls: KEEP and LINE per entry, FIRST and
// LATER calls of `differ`, COST and WATCH of the envelope; MEASURED is y, CALL a function of the text.
enum {
  FINITE,
  UNWOUND,
  LINE,
  KNOT_AT,
  CUBIC,
  MEAN,
  HELD,
  LAW,
  FRICTION,
  LINES,
  COST,
  WATCH,
  SLEW,
  ANSWER,
  NEAREST,
  CROSS,
  TURN,
  PLACE,
  SUBTREES,
  MOMENTA,
  SLOPES,
  LOADS,
  RUB,
  IMPULSES,
  FIRST,
  LATER,
  DIFFER,
  MEASURED,
  KEEP,
  CORRECT,
  MOVE_ON,
  ADVANCE,
  MAP_STEP,
  CALL,
  ROWS
};

enum { PRODUCTS, SUMS, COMPARISONS, DIVISIONS, KINDS };
enum { MOST_CALLS = 9 };

typedef struct counts {
  long all[ROWS][KINDS]; // rows that a controller does not have are 0
} counts;

typedef const long calls[MOST_CALLS][2]; // row, times

// enter a row: its own operations, each branch at its most expensive, and its calls; NULL: none
static void put(counts *t, int at, long products, long sums, long comparisons, calls of) {
  const long own[KINDS] = {products, sums, comparisons};
  for (int kind = 0; kind < KINDS; kind++) {
    t->all[at][kind] = own[kind];
    for (int i = 0; of && i < MOST_CALLS; i++)
      if (of[i][1]) t->all[at][kind] += of[i][1] * t->all[of[i][0]][kind];
  }
}

// number of leading coordinates with angles modulo 2 pi
static long count_turning(const fb_output_feedback *w) {
  long n = 0;
  for (int i = 0; w->f.turns && i < w->n; i++) n += w->f.turns[i];
  return n;
}

// does it cut inputs to torque-speed lines?
static bool has_lines(const fb_output_feedback *w) {
  return w->f.drives && (w->form == FB_VELOCITY || w->form == FB_DIFFERENCE);
}

// The phase of an orbit: the distances of all knots, then searches, each with the orbit at a phase; its input. The law's
// gains are between two knots.
static void put_orbit(counts *t, const fb_output_feedback *w) {
  const long N = w->f.N, ny = w->ny, nu = w->f.nu, turning = count_turning(w);
  const long knots = N + 1, rounds = FB_SEARCHES, points = rounds + 1;
  put(t, LAW, 2 * nu * ny, 4 * nu * ny, 0, (calls){{FINITE, nu}});
  put(t, NEAREST, knots * 3 * ny + rounds * 2 * ny + points * 5 * ny + 4 * nu,
      knots * 3 * ny + rounds * (4 * ny + 3) + points * 8 * ny + 7 * nu, N + 4 * rounds,
      (calls){{UNWOUND, (knots + rounds) * turning}, {FINITE, rounds}});
}

// the envelope, rate limits and the path, as far as the law has them
static void put_parts(counts *t, const fb_output_feedback *w, fb_head head) {
  const fb_envelope *e = w->f.envelope;
  const long n = w->n, m = w->nm, nu = w->f.nu, ny = w->ny;
  long places = 0, brakes = 0;
  for (int i = 0; e && i < w->n; i++) places += isfinite(e->bound[i]) ? 1 : 0;
  for (int i = 0; e && i < w->f.nu; i++) brakes += e->damping[i] != 0;

  // x'P x; positions and their bounds, then the fallback within limits
  put(t, COST, m * (m + 1) / 2 + m, m * (m + 2), m > 0, (calls){{FINITE, m}});
  const long bounds = places ? n : 0;
  if (e)
    put(t, WATCH, brakes ? nu : 0, 2 * bounds + 2 * nu, 2 * bounds + 3 * nu,
        (calls){{FINITE, bounds}, {COST, 1}});

  // with the share of a step, or from its time
  const long timed = head != FB_BY_STEP;
  if (w->f.rate_limit) put(t, SLEW, nu + timed, 2 * nu + 2 * timed, 6 * nu + 2 * timed, NULL);

  if (w->compensates) put(t, FRICTION, 2 * nu, 7 * nu + 2 * ny, 2 * nu, (calls){{FINITE, nu + 1}});
  const long lines = has_lines(w) ? w->f.drives->n : 0;
  if (lines) put(t, LINES, lines, 3 * lines, 2 * lines, (calls){{FINITE, 2 * lines}});
  if (w->f.sections) put_orbit(t, w);
  put(t, ANSWER, 0, 0, 2 * nu, (calls){{LAW, 1}, {FRICTION, 1}, {LINES, 1}, {WATCH, 1}, {SLEW, 1}});

  // the nearest of the next knots, and the one before them
  const long knots = FB_MOST_KNOTS + 2;
  if (w->near && !w->f.sections)
    put(t, NEAREST, knots * 4 * n, knots * 4 * n, knots - 1,
        (calls){{UNWOUND, knots * count_turning(w)}});
}

// computed momenta; `up` joints have a parent
static void put_tree(counts *t, const tree_tables *M) {
  const long n = M->n, joints = M->joints, ties = M->ties, points = M->points;
  const long bonds = M->bonds;
  long slides = 0, up = 0;
  for (int j = 0; j < M->joints; j++) {
    slides += M->slides[j] != 0;
    up += M->parent[j] >= 0;
  }
  const long rotates = joints - slides;

  put(t, CROSS, 6, 6, 0, NULL);
  put(t, TURN, 13, 8, 0, NULL);
  put(t, PLACE, joints + 3 * slides + 20 * rotates, joints + 3 * slides + 21 * rotates, 3 * rotates,
      NULL);
  put(t, SUBTREES, joints, joints + 6 * up, 0, (calls){{CROSS, up}, {TURN, 2 * up}});
  put(t, MOMENTA, n + 2 * ties + 13 * joints, 2 * ties + 7 * joints, 0,
      (calls){{PLACE, 1}, {CROSS, 2 * joints + up}, {TURN, 2 * up}, {SUBTREES, 1}});
  put(t, SLOPES, n + 2 * bonds + 3 * joints + 3 * slides + 5 * rotates,
      n + 2 * bonds + 2 * slides + 4 * rotates, 0,
      (calls){{CROSS, joints}, {TURN, joints}, {SUBTREES, 1}});
  // each load at the joints from its own to the root; three axes of joints whose loads have the world's directions
  long carried = 0, faced = 0, turns = 0;
  for (int i = 0; i < M->loads; i++) {
    for (int j = M->load_joint[i]; j >= 0; j = M->parent[j], carried++)
      turns += 3 * M->load_faced[i];
    faced += M->load_faced[i];
  }
  const long of_loads = M->loads ? 4 * n : 0, drives = M->drives;
  put(t, LOADS, of_loads + 2 * carried + 18 * faced, of_loads / 2 + carried + 12 * faced, 0,
      (calls){{TURN, 2 * carried + turns}, {CROSS, carried + faced}});
  // the arc tangents of joints with friction; the decays of those whose friction falls with the speed
  long rubs = M->frictions, falls = 0;
  for (int i = 0; i < M->frictions; i++) falls += M->friction[5 * i + 1] > 0;
  put(t, RUB, 21 * rubs + 25 * falls, 22 * rubs + 11 * falls, 7 * rubs + falls, NULL);
  t->all[RUB][DIVISIONS] = 2 * rubs + 11 * falls;
  put(t, IMPULSES, 4 * n + 2 * bonds + drives + 5 * n * points,
      2 * n + 2 * bonds + drives + rubs + 5 * n * points, 0,
      (calls){{MOMENTA, points}, {SLOPES, points}, {LOADS, points}, {RUB, 1}});
  const long steps = FB_ROUNDS + 1;
  put(t, MAP_STEP, FB_ROUNDS * n * n, FB_ROUNDS * n * n + 3 * n * steps, n * steps + 1,
      (calls){{IMPULSES, steps}});
}

static void put_measured(counts *t, const fb_codegen *c, int form, fb_head head) {
  const fb_output_feedback *w = c->law[form];
  const bool computes = fb_codegen_computes_momentum(c, form), past = form == FB_POSITIONS;
  const long turning = (past ? 2 : 1) * count_turning(w), timed = head != FB_BY_STEP;
  if (computes) put_tree(t, w->f.tree);
  if (form == FB_DIFFERENCE) {
    // velocities by differences: the plan's at the first call, then from two measurements
    const long n = w->n;
    put(t, FIRST, 0, 1, 0, (calls){{KNOT_AT, 1}, {CUBIC, 1}});
    put(t, LATER, 0, n, 0, (calls){{FINITE, n}, {UNWOUND, count_turning(w)}});
    t->all[LATER][DIVISIONS] = n;
    for (int kind = 0; kind < KINDS; kind++)
      if (t->all[FIRST][kind] < t->all[LATER][kind]) t->all[FIRST][kind] = t->all[LATER][kind];
    const long held = head == FB_BY_HOLD;
    put(t, DIFFER, 1 + 2 * held, 5 + held, 4 + 4 * held, (calls){{FINITE, n + 2}, {FIRST, 1}});
  }

  // positions also take the time of q
  const long impulses = computes && past, steps = impulses * (1 + timed);
  put(t, MEASURED, impulses, steps, steps,
      (calls){{UNWOUND, turning}, {DIFFER, 1}, {MOMENTA, computes && !past}, {IMPULSES, impulses}});
}

// a form, by time: subtract the age, y[0] of a time, the knots at both times
static void put_timed_form(counts *t, const fb_output_feedback *w, int form) {
  const long n = w->n;

  // by positions also the plan one step before; else p, linear
  const bool past = form == FB_POSITIONS && !w->exact;
  const long lines = past ? w->nf : form == FB_STATE || w->exact ? n : 0;
  const long moved = past && w->continuous ? n : 0;
  put(t, CALL, 2 * moved, 5 + past + 5 * moved, 1,
      (calls){
          {MEASURED, 1},
          {ANSWER, 1},
          {KNOT_AT, 2 + past},
          {CUBIC, 1 + past},
          {LINE, lines},
          {HELD, 1},
      });
}

// the filter: its correction, and its advance by part of a step
static void put_filter(counts *t, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  const fb_output_feedback *w = c->law[FB_STATE];
  const long ny = e->ny, nz = e->nz, nd = e->nd, nx = e->nx, nu = e->f->nu;
  const long gates = fb_estimator_gates(e) ? ny : 0;
  long turning = 0;
  for (int a = 0; w->f.turns && a < e->ny; a++) turning += w->f.turns[e->which[a]];

  put(t, KEEP, 0, 2, 1, NULL);
  put(t, CORRECT, nz * ny, nz * ny + 2 * ny + gates + 2 * nd, 2 * gates + 2 * nd,
      (calls){{FINITE, ny}, {UNWOUND, turning}, {KEEP, nz}});
  put(t, MOVE_ON, 2 * nx * nx + 2 * nx * nu, 3 * nx * nx + 4 * nx * nu + nd, nx,
      (calls){{KNOT_AT, 1}, {LINE, nu}, {FINITE, nx * nu}, {KEEP, nx}});

  // at most two steps are partial: up to an input change and up to the end
  const long parts = FB_MOST_PARTS;
  put(t, ADVANCE, 1 + parts + 2 * nx, 1 + 5 * parts + 4 * nx, 1 + 4 * parts,
      (calls){{MOVE_ON, parts}});
}

// the filter, by step: the measurement, the law on the estimate, and the advance to the next knot
static void put_encoders(counts *t, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  const fb_output_feedback *w = c->law[FB_STATE];
  const long nx = e->nx, nu = w->f.nu, nd = e->nd, map = e->predictor.tree != NULL;
  if (map) put_tree(t, e->predictor.tree);
  put(t, CALL, 1 + nx * nx + nx * nu, nx + nd + nx * nx + 2 * nx * nu + map * (3 * nx + nd), 0,
      (calls){{CORRECT, 1},
              {ANSWER, 1},
              {UNWOUND, count_turning(w)},
              {FINITE, nx * nu},
              {KEEP, nx},
              {MAP_STEP, map}});
}

// the filter, by time: the plan then, the estimate up to the measurement, and from there on; the law
static void put_timed_encoders(counts *t, const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  const fb_output_feedback *w = c->law[FB_STATE];
  const long nx = e->nx;
  put(t, CALL, 0, 8 + nx + e->nd, 4,
      (calls){
          {FINITE, 2},
          {KNOT_AT, 2},
          {UNWOUND, count_turning(w)},
          {CUBIC, 1},
          {LINE, e->f->nx - w->n},
          {ADVANCE, 2},
          {CORRECT, 1},
          {HELD, 1},
          {ANSWER, 1},
      });
}

fb_operations fb_operations_count(const fb_codegen *c, int way, fb_head head) {
  const bool timed = head != FB_BY_STEP, filters = way == FB_ENCODERS;
  const fb_output_feedback *w = c->law[filters ? FB_STATE : way];
  counts t = {{{0}}};

  // the plan and the law of a knot; over h the mean of the plan's input is a line
  const long nu = w->f.nu, ny = w->ny, most = FB_MOST_HELD;
  put(&t, FINITE, 0, 1, 1, NULL);
  put(&t, UNWOUND, 2, 3, 3, NULL);
  put(&t, LINE, 1, 2, 0, NULL);
  put(&t, KNOT_AT, 1, 2, 3, NULL);
  put(&t, CUBIC, 9L * w->n, 12L * w->n + 1, 0, NULL);
  const bool held = head == FB_BY_HOLD;
  if (held)
    put(&t, MEAN, most * nu, most * nu + 2, 2, NULL);
  else
    put(&t, MEAN, 0, 3, 2, (calls){{LINE, nu}});
  t.all[MEAN][DIVISIONS] = held ? nu : 1;
  put(&t, HELD, 1, held ? 1 : 2, 4, (calls){{MEAN, w->f.late ? 2 : 1}});
  put(&t, LAW, nu * ny, 2 * nu * ny, 0, (calls){{FINITE, nu}});

  put_parts(&t, w, head);
  if (filters)
    put_filter(&t, c);
  else
    put_measured(&t, c, way, head);

  // the call itself
  if (filters && timed)
    put_timed_encoders(&t, c);
  else if (filters)
    put_encoders(&t, c);
  else if (timed)
    put_timed_form(&t, w, way);
  else
    put(&t, CALL, 1, 0, 0, (calls){{MEASURED, 1}, {ANSWER, 1}, {NEAREST, 1}}); // with its time
  const long *all = t.all[CALL];
  return (fb_operations){.products = all[PRODUCTS],
                         .sums = all[SUMS],
                         .comparisons = all[COMPARISONS],
                         .divisions = all[DIVISIONS]};
}

void fb_operations_tell(FILE *f, const fb_codegen *c) {
  fputs("// Operations on its numbers, at most, each branch at its dearest:\n//\n", f);
  for (int way = 0; way < FB_WAYS; way++)
    for (int head = 0; fb_codegen_has(c, way) && head < FB_HEADS; head++) {
      if (!fb_head_exists(c, (fb_head)head)) continue;
      const fb_operations n = fb_operations_count(c, way, (fb_head)head);
      const int rest = 24 - (int)sizeof "controller"; // of the column
      char name[32];
      snprintf(name, sizeof name, "%s%s", fb_codegen_way(way), fb_head_end((fb_head)head));
      fb_lines_print(f, c->set.prefix, "//   controller_%-*s", rest, name);
      fprintf(f, " %ld products, %ld sums, %ld comparisons", n.products, n.sums, n.comparisons);
      if (n.divisions) fprintf(f, ", %ld division%s", n.divisions, n.divisions == 1 ? "" : "s");
      fputs("\n", f);
    }

  // the dominant part of a filter's operations
  if (c->estimator)
    fb_lines_print(
        f, c->set.prefix,
        "//\n// of controller_encoders_at with %d steps of the estimate; nearly on time it "
        "takes two or three.\n",
        2 * FB_MOST_PARTS);
  fputs("//\n", f);
}
