#include "control/codegen/operations.h"
#include "control/codegen/head.h"

#include "control/codegen/lines.h"

#include "control/onboard/onboard.h"

#include <math.h>

// a plus `times` b
static fb_operations add_times(fb_operations a, long times, fb_operations b) {
  a.products += times * b.products;
  a.sums += times * b.sums;
  a.comparisons += times * b.comparisons;
  a.divisions += times * b.divisions;
  return a;
}

static fb_operations make_count(long products, long sums, long comparisons) {
  return (fb_operations){.products = products, .sums = sums, .comparisons = comparisons};
}

// -- the functions of the text, with their names there

static fb_operations count_finite_number(void) {
  return make_count(0, 1, 1);
}

static fb_operations count_unwound(void) {
  return make_count(2, 3, 3);
}

static fb_operations count_knot_at(void) {
  return make_count(1, 2, 3);
}

static fb_operations count_line(long n) {
  return make_count(n, 2 * n, 0);
}

// the plan's input over a hold, of `times` tables; over h it is a line
static fb_operations count_held(long nu, long times, fb_head head) {
  fb_operations mean = add_times(make_count(0, 3, 2), 1, count_line(nu));
  mean.divisions = 1;
  if (head != FB_BY_HOLD) return add_times(make_count(1, 2, 4), times, mean);
  mean = make_count(FB_MOST_HELD * nu, FB_MOST_HELD * nu + 2, 2);
  mean.divisions = nu;
  return add_times(make_count(1, 1, 4), times, mean);
}

static fb_operations count_cubic(long n) {
  return make_count(9 * n, 12 * n + 1, 0);
}

static fb_operations count_law(long nu, long ny) {
  return add_times(make_count(nu * ny, 2 * nu * ny, 2 * nu), nu, count_finite_number());
}

// number of leading coordinates with angles modulo 2 pi
static long count_turning(const fb_output_feedback *w) {
  long n = 0;
  for (int i = 0; w->f.turns && i < w->n; i++) n += w->f.turns[i];
  return n;
}

static fb_operations count_watch(const fb_output_feedback *w) {
  const fb_envelope *e = w->f.envelope;
  fb_operations all = {0};
  bool places = false, brakes = false;
  if (!e) return all;
  for (int i = 0; i < w->n; i++) places |= isfinite(e->bound[i]) != 0;
  for (int i = 0; i < w->f.nu; i++) brakes |= e->damping[i] != 0;

  // compare positions with their bounds, x'P x, the fallback within limits
  if (places) all = add_times(make_count(0, 2 * w->n, 2 * w->n), w->n, count_finite_number());
  const long m = w->nm;
  if (m) {
    all = add_times(all, m * (m + 1) / 2, make_count(1, 2, 0));
    all = add_times(all, m, add_times(make_count(1, 1, 0), 1, count_finite_number()));
    all.comparisons++;
  }
  return add_times(all, w->f.nu, make_count(brakes, 2, 3));
}

// with the fraction of a step, or its time
static fb_operations count_slew(const fb_output_feedback *w, bool timed) {
  if (!w->f.rate_limit) return make_count(0, 0, 0);
  const fb_operations share = timed ? make_count(1, 2, 2) : make_count(0, 0, 0);
  return add_times(share, w->f.nu, make_count(1, 2, 6));
}

// the nearest of the next knots, and the one before them
static fb_operations count_nearest(const fb_output_feedback *w) {
  fb_operations distance = make_count(4 * w->n, 4 * w->n, 0);
  distance = add_times(distance, count_turning(w), count_unwound());
  return add_times(make_count(0, 0, FB_MOST_KNOTS + 1), FB_MOST_KNOTS + 2, distance);
}

// -- the tree of computed momenta

static fb_operations count_cross(void) {
  return make_count(6, 6, 0);
}

// a vector into or out of a joint's frame
static fb_operations count_turned(void) {
  return make_count(13, 8, 0);
}

static fb_operations count_place(const tree_tables *M, int j) {
  return add_times(make_count(1, 1, 0), 1,
                   M->slides[j] ? make_count(3, 3, 0) : make_count(20, 21, 3));
}

static fb_operations count_subtrees(const tree_tables *M) {
  fb_operations all = {0};
  for (int j = 0; j < M->joints; j++) {
    all = add_times(all, 1, make_count(1, 1, 0));
    if (M->parent[j] < 0) continue;
    all = add_times(all, 2, count_turned());
    all = add_times(all, 1, add_times(make_count(0, 6, 0), 1, count_cross()));
  }
  return all;
}

static fb_operations count_momenta(const tree_tables *M) {
  fb_operations all = add_times(make_count(M->n, 0, 0), M->ties, make_count(2, 2, 0));
  for (int j = 0; j < M->joints; j++) {
    all = add_times(all, 1, count_place(M, j));
    all = add_times(all, 1, add_times(make_count(13, 7, 0), 2, count_cross()));
    if (M->parent[j] >= 0) all = add_times(all, 1, add_times(count_cross(), 2, count_turned()));
  }
  return add_times(all, 1, count_subtrees(M));
}

static fb_operations count_slopes(const tree_tables *M) {
  fb_operations all = make_count(M->n, M->n, 0);
  for (int j = 0; j < M->joints; j++) {
    all = add_times(all, 1, M->slides[j] ? make_count(3, 2, 0) : make_count(5, 4, 0));
    all = add_times(all, 1, count_turned());
    all = add_times(all, 1, add_times(make_count(3, 0, 0), 1, count_cross()));
  }
  return add_times(all, 1, count_subtrees(M));
}

static fb_operations count_impulses(const tree_tables *M) {
  const long n = M->n;
  const fb_operations point = add_times(count_momenta(M), 1, count_slopes(M));
  fb_operations all = make_count(4 * n + M->inputs, 2 * n + M->inputs, 0);
  return add_times(all, M->points, add_times(make_count(5 * n, 5 * n, 0), 1, point));
}

// the larger of each kind, of two branches
static fb_operations find_larger(fb_operations a, fb_operations b) {
  return (fb_operations){.products = a.products > b.products ? a.products : b.products,
                         .sums = a.sums > b.sums ? a.sums : b.sums,
                         .comparisons =
                             a.comparisons > b.comparisons ? a.comparisons : b.comparisons,
                         .divisions = a.divisions > b.divisions ? a.divisions : b.divisions};
}

// velocities by differences: the plan's at the first call, then those of two measurements
static fb_operations count_differences(const fb_output_feedback *w, fb_head head) {
  const long n = w->n;
  const fb_operations first =
      add_times(count_knot_at(), 1, add_times(count_cubic(n), 1, make_count(0, 1, 0)));
  fb_operations later = add_times(make_count(0, n, 0), n, count_finite_number());
  later.divisions = n;
  later = add_times(later, count_turning(w), count_unwound());
  fb_operations all = add_times(make_count(1, 5, 4), n + 2, count_finite_number());
  if (head == FB_BY_HOLD) all = add_times(all, 1, make_count(2, 1, 4));
  return add_times(all, 1, find_larger(first, later));
}

// preprocessing: velocities, p from them, angles modulo 2 pi
static fb_operations count_measured(const fb_codegen *c, int form, fb_head head) {
  const fb_output_feedback *w = c->law[form];
  fb_operations all = {0};
  const bool computes = fb_codegen_computes_momentum(c, form);
  if (computes && form != FB_POSITIONS) all = count_momenta(w->f.tree);
  if (computes && form == FB_POSITIONS) {
    all = add_times(make_count(1, 1, 1), 1, count_impulses(w->f.tree));
    if (head != FB_BY_STEP) all = add_times(all, 1, make_count(0, 1, 1)); // the time of q
  }
  if (form == FB_DIFFERENCE) all = add_times(all, 1, count_differences(w, head));
  return add_times(all, (form == FB_POSITIONS ? 2 : 1) * count_turning(w), count_unwound());
}

// -- the forms

static fb_operations count_form(const fb_codegen *c, int form) {
  const fb_output_feedback *w = c->law[form];
  fb_operations all = add_times(count_measured(c, form, FB_BY_STEP), 1, count_law(w->f.nu, w->ny));
  if (w->near) all = add_times(all, 1, count_nearest(w));
  all = add_times(all, 1, make_count(1, 0, 0)); // its time
  all = add_times(all, 1, count_watch(w));
  return add_times(all, 1, count_slew(w, false));
}

static fb_operations count_timed_form(const fb_codegen *c, int form, fb_head head) {
  const fb_output_feedback *w = c->law[form];
  const long n = w->n, nu = w->f.nu;
  fb_operations all = add_times(count_measured(c, form, head), 1, count_law(nu, w->ny));

  // subtract the age, y[0] of a time, the knots at both times
  all = add_times(all, 1, make_count(0, 5, 1));
  all = add_times(all, 2, count_knot_at());
  all = add_times(all, 1, count_cubic(n));

  // by positions also the plan one step before; else p, linear
  if (form == FB_POSITIONS && !w->exact) {
    all = add_times(all, 1, count_line(w->nf));
    all = add_times(all, 1, make_count(0, 1, 0));
    all = add_times(all, 1, count_knot_at());
    all = add_times(all, 1, count_cubic(n));
    if (w->continuous) all = add_times(all, n, make_count(2, 5, 0));
  } else if (form == FB_STATE || w->exact) {
    all = add_times(all, 1, count_line(n));
  }
  all = add_times(all, 1, count_held(nu, w->f.late ? 2 : 1, head));
  all = add_times(all, 1, count_watch(w));
  return add_times(all, 1, count_slew(w, true));
}

// -- the filter

static fb_operations count_keep_estimate(long n) {
  return make_count(0, 2 * n, n);
}

static fb_operations count_correct(const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  const fb_output_feedback *w = c->law[FB_STATE];
  const long ny = e->ny, nz = e->nz;

  // measurements minus expected values, and the gate
  fb_operations all = add_times(make_count(0, 2 * ny, 0), ny, count_finite_number());
  for (int a = 0; w->f.turns && a < ny; a++)
    all = add_times(all, w->f.turns[e->which[a]], count_unwound());
  if (fb_estimator_gates(e)) all = add_times(all, ny, make_count(0, 1, 2));

  // z + L off
  all = add_times(all, nz * ny, make_count(1, 1, 0));
  all = add_times(all, 1, count_keep_estimate(nz));
  return add_times(all, e->nd, make_count(0, 2, 2));
}

// a step of the model by iterations
static fb_operations count_predict(const tree_tables *M) {
  const long n = M->n;
  const fb_operations residual = add_times(make_count(0, 3 * n, n), 1, count_impulses(M));
  fb_operations all = add_times(make_count(0, 0, 1), FB_ROUNDS + 1, residual);
  return add_times(all, FB_ROUNDS * n * n, make_count(1, 1, 0));
}

static fb_operations count_filter(const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  const fb_output_feedback *w = c->law[FB_STATE];
  const long nx = e->f->nx, nu = w->f.nu;

  // the measurement, the law on the estimate
  fb_operations all = add_times(count_correct(c), 1, count_law(nu, w->ny));
  all = add_times(all, 1, make_count(1, nx + e->nd, 0));
  all = add_times(all, count_turning(w), count_unwound());
  all = add_times(all, 1, count_watch(w));
  all = add_times(all, 1, count_slew(w, false));

  // to the next knot
  all = add_times(all, nx * nx, make_count(1, 1, 0));
  all = add_times(all, nx * nu, make_count(1, 2, 0));
  all = add_times(all, nx * nu, count_finite_number());
  all = add_times(all, 1, count_keep_estimate(nx));
  if (!e->predictor.tree) return all;
  all = add_times(all, 1, make_count(0, 3 * nx + e->nd, 0));
  return add_times(all, 1, count_predict(e->predictor.tree));
}

// advance an estimate by one step
static fb_operations count_move_on(const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  const long nx = e->f->nx, nu = e->f->nu;
  fb_operations entry = make_count(2, 4, 0);
  fb_operations all = add_times(count_knot_at(), nx * nx, make_count(2, 3, 0));
  all = add_times(all, 1, count_line(nu));
  all = add_times(all, 1, make_count(0, e->nd, 0));
  all = add_times(all, nx * nu, add_times(entry, 1, count_finite_number()));
  all = add_times(all, nx, make_count(0, 0, 1));
  return add_times(all, 1, count_keep_estimate(nx));
}

// the maximum number of steps; at most two of them are partial: up to an input change and up to the
// end
static fb_operations count_advance(const fb_codegen *c) {
  fb_operations part = add_times(make_count(1, 5, 4), 1, count_move_on(c));
  fb_operations all = add_times(make_count(1, 1, 1), FB_MOST_PARTS, part);
  return add_times(all, 2L * c->estimator->f->nx, make_count(1, 2, 0));
}

static fb_operations count_timed_filter(const fb_codegen *c) {
  const fb_estimator *e = c->estimator;
  const fb_output_feedback *w = c->law[FB_STATE];
  const long nx = e->f->nx, nu = w->f.nu;

  // the time of the measurement, and the plan at that time
  fb_operations all = add_times(make_count(0, 6, 2), 2, count_finite_number());
  all = add_times(all, 2, count_knot_at());
  all = add_times(all, count_turning(w), count_unwound());
  all = add_times(all, 1, count_cubic(w->n));
  all = add_times(all, 1, count_line(nx - w->n));

  // the estimate up to the measurement, and from there to the current time
  all = add_times(all, 2, count_advance(c));
  all = add_times(all, 1, count_correct(c));
  all = add_times(all, 1, make_count(0, 2 + nx + e->nd, 2));

  // the law
  all = add_times(all, 1, count_held(nu, e->f->late ? 2 : 1, FB_BY_TIME));
  all = add_times(all, 1, count_law(nu, w->ny));
  all = add_times(all, 1, count_watch(w));
  return add_times(all, 1, count_slew(w, true));
}

fb_operations fb_operations_count(const fb_codegen *c, int way, fb_head head) {
  const bool timed = head != FB_BY_STEP;
  if (way == FB_ENCODERS) return timed ? count_timed_filter(c) : count_filter(c);
  return timed ? count_timed_form(c, way, head) : count_form(c, way);
}

void fb_operations_tell(FILE *f, const fb_codegen *c) {
  fputs("// Operations on its numbers, at most, each branch at its dearest:\n//\n", f);
  for (int way = 0; way < FB_WAYS; way++)
    for (int head = 0; fb_codegen_has(c, way) && head < FB_HEADS; head++) {
      if (!fb_head_exists(c, way, (fb_head)head)) continue;
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
