#include "control/codegen/operations.h"
#include "control/codegen/head.h"

#include "control/codegen/lines.h"

#include "control/codegen/prediction.h"
#include "control/onboard/onboard.h"

#include <math.h>

// a plus `times` b
static fb_operations add_times(fb_operations a, long times, fb_operations b) {
  a.products += times * b.products;
  a.sums += times * b.sums;
  a.comparisons += times * b.comparisons;
  a.divisions += times * b.divisions;
  a.turns += times * b.turns;
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

static fb_operations count_mechanics(const fb_momentum *w) {
  return (fb_operations){.products = w->products, .sums = w->sums, .turns = w->turns};
}

// preprocessing: p from velocities, angles modulo 2 pi
static fb_operations count_measured(const fb_codegen *c, int form) {
  const fb_output_feedback *w = c->law[form];
  fb_operations all = {0};
  if (fb_codegen_computes_momentum(c, form)) all = count_mechanics(c->momentum);
  return add_times(all, (form == FB_POSITIONS ? 2 : 1) * count_turning(w), count_unwound());
}

// -- the forms

static fb_operations count_form(const fb_codegen *c, int form) {
  const fb_output_feedback *w = c->law[form];
  fb_operations all = add_times(count_measured(c, form), 1, count_law(w->f.nu, w->ny));
  if (w->near) all = add_times(all, 1, count_nearest(w));
  all = add_times(all, 1, make_count(1, 0, 0)); // its time
  all = add_times(all, 1, count_watch(w));
  return add_times(all, 1, count_slew(w, false));
}

static fb_operations count_timed_form(const fb_codegen *c, int form, fb_head head) {
  const fb_output_feedback *w = c->law[form];
  const long n = w->n, nu = w->f.nu;
  fb_operations all = add_times(count_measured(c, form), 1, count_law(nu, w->ny));

  // subtract the age, y[0] of a time, the knots at both times
  all = add_times(all, 1, make_count(0, 5, 1));
  all = add_times(all, 2, count_knot_at());
  all = add_times(all, 1, count_cubic(n));

  // by positions also the plan one step before; else p, linear
  if (form == FB_POSITIONS) {
    all = add_times(all, 1, count_line(w->nf));
    all = add_times(all, 1, make_count(0, 1, 0));
    all = add_times(all, 1, count_knot_at());
    all = add_times(all, 1, count_cubic(n));
    if (w->continuous) all = add_times(all, n, make_count(2, 5, 0));
  } else if (form == FB_STATE || c->momentum) {
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
static fb_operations count_predict(const fb_prediction *p) {
  const long n = p->n;
  fb_operations point = add_times(make_count(5 * n, 5 * n, 0), 1, count_mechanics(p->L));
  fb_operations residual = make_count(4 * n + p->nu, 5 * n + p->nu, n);
  residual = add_times(residual, p->rule.points, point);
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
  if (!e->predictor.step) return all;
  all = add_times(all, 1, make_count(0, 3 * nx + e->nd, 0));
  return add_times(all, 1, count_predict(e->predictor.self));
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
      if (n.turns) fprintf(f, ", %ld sines and cosines", n.turns);
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
