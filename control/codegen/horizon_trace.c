#include "control/codegen/horizon.h"
#include "control/codegen/number.h"
#include "control/codegen/replay.h"
#include "control/feedback/law_tables.h"
#include "control/onboard/onboard.h"
#include "lib/base/block.h"
#include "lib/discrete/del.h"
#include "lib/mechanics/continuous.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAST = 3 }; // knots that are remembered: this one and those before it

// the closed loop of a trace
typedef struct tracer {
  fb_output_feedback *law; // receding-horizon control in the text's precision
  dm_continuous *mechanics;
  dm_del *map;
  double *x, *measured, *y, *u; // [PAST 2n] of knots k, k - 1, ...; [2n + nu], [2n], [nu]
  double *acted;                // [PAST nu] in the steps from there on
  double *then, *earlier;       // [2n] at the time of the measurement, and a step before
  double age;                   // of the measurement, before its knot [s]
  double *decided;              // [nu] the input that acts next, if inputs are late
  double *goal, *target;        // [n] the caller's reference; [rows] of outputs
} tracer;

static void close_tracer(tracer *w) {
  fb_output_feedback_free(w->law);
  dm_continuous_free(w->mechanics);
  dm_del_free(w->map);
  free(w->x);
}

static dm_status open_tracer(tracer *w, const fb_horizon_text *t, const dm_system *s) {
  const fb_output_feedback *of = t->c->law[FB_STATE];
  const size_t nx = (size_t)of->f.nx, nu = (size_t)of->f.nu;
  fb_receding o = *t->o;
  o.single = t->c->set.single;
  o.u_min = t->c->set.u_min;
  o.u_max = t->c->set.u_max;
  DM_TRY(fb_output_feedback_new(&w->law, &of->f, s, FB_STATE, true, NULL));
  DM_TRY(fb_receding_start(w->law, &o, NULL));
  const size_t tracks = t->o->track ? (size_t)t->o->track->rows : 0;
  w->x = calloc((PAST + 5) * nx + (PAST + 3) * nu + tracks, sizeof *w->x);
  if (!w->x) return DM_NO_MEMORY;
  w->acted = w->x + PAST * nx;
  w->then = w->acted + PAST * nu;
  w->earlier = w->then + nx;
  w->y = w->earlier + nx;
  w->measured = w->y + nx;
  w->u = w->measured + nx + nu;
  w->goal = w->u + nu;
  w->target = w->goal + nx;
  w->decided = w->target + tracks;
  DM_TRY(dm_continuous_new(&w->mechanics, s));
  return dm_del_new(&w->map, s, NULL);
}

// x [2n] at a time of `back` steps before the knot, of which it remembers the knots before
static dm_status find_state(tracer *w, double back, double *x) {
  const int n = w->law->n, nx = 2 * n, whole = (int)ceil(back);
  const double *from = w->x + (size_t)whole * (size_t)nx;
  memcpy(x, from, (size_t)nx * sizeof *x);
  if (whole == back) return DM_OK;
  dm_del_info info;
  return dm_del_step(w->map, from, from + n, w->acted + (size_t)whole * (size_t)w->law->f.nu,
                     (whole - back) * w->law->f.h, x, x + n, &info);
}

// The measurement for knot k, rounded to the text's precision, and its state y. From the first rows on, two of
// three are older than their knot: a step, and a quarter of one.
static dm_status measure(tracer *w, const fb_horizon_text *t, int k) {
  static const fb_horizon_sight sight[] = {[FB_STATE] = FB_SEES_MOMENTA,
                                           [FB_VELOCITY] = FB_SEES_SPEEDS,
                                           [FB_POSITIONS] = FB_SEES_BEFORE};
  static const double ages[] = {0, 1, 0.25};
  enum { FIRST = 8 };
  const int n = w->law->n, nu = w->law->f.nu;
  const double share = k < FIRST ? 0 : ages[k % 3], h = fb_codegen_rounded(t->c, w->law->f.h);
  double *m = w->measured;
  w->age = fb_codegen_rounded(t->c, share * w->law->f.h);
  DM_TRY(find_state(w, share, w->then));
  memcpy(m, w->then, (size_t)n * sizeof *m);
  if (t->measure == FB_POSITIONS) {
    // of the step before it, with the mean of the inputs that acted in it
    const double *u = w->acted + ((size_t)ceil(share) + 1) * (size_t)nu;
    const double part = ceil(share) - share;
    DM_TRY(find_state(w, k ? share + 1 : 0, w->earlier));
    memcpy(m + n, w->earlier, (size_t)n * sizeof *m);
    for (int i = 0; i < nu; i++)
      m[2 * n + i] = fb_codegen_rounded(t->c, (1 - part) * u[i] + part * u[i - nu]);
  } else if (t->measure == FB_VELOCITY) {
    DM_TRY(dm_velocity_of(w->mechanics, w->then, w->then + n, m + n));
  } else {
    memcpy(m + n, w->then + n, (size_t)n * sizeof *m);
  }
  for (int i = 0; i < 2 * n; i++) m[i] = fb_codegen_rounded(t->c, m[i]);
  const fb_horizon_view view = {sight[t->measure], m, m + n, m + 2 * n};
  const fb_call call = {.k = k, .timed = true, .t = fb_codegen_rounded(t->c, k * h), .age = w->age};
  w->law->horizon->measure(w->law->horizon, &call, &view, w->y);
  return DM_OK;
}

// a caller that leads the robot: its goal is the plan's position a horizon ahead
static void lead(tracer *w, const fb_horizon_text *t, int k) {
  const int n = w->law->n, N = w->law->N, ahead = k + t->o->stages;
  const double *x = w->law->y_d + (size_t)(ahead < N ? ahead : N) * 2 * (size_t)n;
  for (int i = 0; i < n; i++) w->goal[i] = fb_codegen_rounded(t->c, x[i]);
  w->law->horizon->ask(w->law->horizon, k, 1, w->goal);
}

// and its target is where its reference ends
static void guide(tracer *w, const fb_horizon_text *t, int k) {
  const track_tables *Y = t->o->track;
  const double *y = Y->y.x + (size_t)(Y->y.rows - 1) * (size_t)Y->rows;
  for (int i = 0; i < Y->rows; i++) w->target[i] = fb_codegen_rounded(t->c, y[i]);
  w->law->horizon->guide(w->law->horizon, k, 1, w->target);
}

static bool is_guided(const fb_horizon_text *t) {
  return t->o->track && t->o->track->asks;
}

// the input that acts is the one decided a step ago
static void wait_step(tracer *w, int k) {
  for (int i = 0; i < w->law->f.nu; i++) {
    const double decided = w->u[i];
    w->u[i] = k > 0 ? w->decided[i] : w->law->f.u[i];
    w->decided[i] = decided;
  }
}

static void put_row(FILE *f, const fb_horizon_text *t, const tracer *w, int k) {
  const int n = w->law->n;
  const int measured = 2 * n + (t->measure == FB_POSITIONS ? w->law->f.nu : 0);
  fprintf(f, "%d", k);
  const struct {
    int count;
    const double *x;
  } parts[] = {{1, &w->age},
               {measured, w->measured},
               {t->o->asks ? n : 0, w->goal},
               {is_guided(t) ? t->o->track->rows : 0, w->target},
               {w->law->f.nu, w->u}};
  for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
    for (int i = 0; i < parts[part].count; i++) {
      fputc(',', f);
      fb_number_put(f, t->c->set.single, parts[part].x[i]);
    }
  fputc('\n', f);
}

dm_status fb_horizon_trace(FILE *f, const fb_horizon_text *t, const dm_system *s,
                           const double *x0) {
  tracer w = {0};
  dm_status status = open_tracer(&w, t, s);
  const int n = status == DM_OK ? w.law->n : 0;
  const size_t nx = 2 * (size_t)n, nu = status == DM_OK ? (size_t)w.law->f.nu : 0;
  if (status == DM_OK) memcpy(w.x, x0, 2 * (size_t)n * sizeof *w.x);
  if (status == DM_OK) fb_horizon_trace_header(f, t);
  for (int k = 0; status == DM_OK && k < w.law->N; k++) {
    dm_del_info info;
    status = measure(&w, t, k);
    if (status != DM_OK) break;
    if (t->o->asks) lead(&w, t, k);
    if (is_guided(t)) guide(&w, t, k);
    w.law->horizon->input_at(w.law->horizon, k, w.age, w.y, w.u, NULL);
    put_row(f, t, &w, k);
    if (t->o->late) wait_step(&w, k);
    memcpy(w.acted, w.u, nu * sizeof *w.u);
    memmove(w.x + nx, w.x, (PAST - 1) * nx * sizeof *w.x);
    memmove(w.acted + nu, w.acted, (PAST - 1) * nu * sizeof *w.u);
    status = dm_del_step(w.map, w.x + nx, w.x + nx + n, w.u, w.law->f.h, w.x, w.x + n, &info);
  }
  close_tracer(&w);
  return status;
}
