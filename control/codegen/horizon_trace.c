#include "control/codegen/horizon.h"
#include "control/codegen/number.h"
#include "control/codegen/replay.h"
#include "control/feedback/law_tables.h"
#include "control/onboard/onboard.h"
#include "lib/base/block.h"
#include "lib/discrete/del.h"
#include "lib/mechanics/continuous.h"

#include <stdlib.h>
#include <string.h>

// the closed loop of a trace
typedef struct tracer {
  fb_output_feedback *law; // receding-horizon control in the text's precision
  dm_continuous *mechanics;
  dm_del *map;
  double *x, *x1, *measured, *y, *u; // [2n], [2n], [2n + nu], [2n], [nu]
  double *decided;                   // [nu] the input that acts next, if inputs are late
  double *goal, *target;             // [n] the caller's reference; [rows] of outputs
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
  w->x = calloc(5 * nx + 3 * nu + tracks, sizeof *w->x);
  if (!w->x) return DM_NO_MEMORY;
  w->x1 = w->x + nx;
  w->y = w->x1 + nx;
  w->measured = w->y + nx;
  w->u = w->measured + nx + nu;
  w->goal = w->u + nu;
  w->target = w->goal + nx;
  w->decided = w->target + tracks;
  DM_TRY(dm_continuous_new(&w->mechanics, s));
  return dm_del_new(&w->map, s, NULL);
}

// the measurement at knot k, rounded to the text's precision, and its state y
static dm_status measure(tracer *w, const fb_horizon_text *t, int k) {
  static const fb_horizon_sight sight[] = {[FB_STATE] = FB_SEES_MOMENTA,
                                           [FB_VELOCITY] = FB_SEES_SPEEDS,
                                           [FB_POSITIONS] = FB_SEES_BEFORE};
  const int n = w->law->n, nu = w->law->f.nu;
  double *m = w->measured;
  if (t->measure == FB_POSITIONS) {
    memcpy(m + n, k ? m : w->x, (size_t)n * sizeof *m);
    memcpy(m + 2 * n, w->u, (size_t)nu * sizeof *m);
  } else if (t->measure == FB_VELOCITY) {
    DM_TRY(dm_velocity_of(w->mechanics, w->x, w->x + n, m + n));
  } else {
    memcpy(m + n, w->x + n, (size_t)n * sizeof *m);
  }
  memcpy(m, w->x, (size_t)n * sizeof *m);
  for (int i = 0; i < 2 * n; i++) m[i] = fb_codegen_rounded(t->c, m[i]);
  const fb_horizon_view view = {sight[t->measure], m, m + n, m + 2 * n};
  w->law->horizon->measure(w->law->horizon, &(fb_call){.k = k}, &view, w->y);
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
  } parts[] = {{measured, w->measured},
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
  if (status == DM_OK) memcpy(w.x, x0, 2 * (size_t)n * sizeof *w.x);
  if (status == DM_OK) fb_horizon_trace_header(f, t);
  for (int k = 0; status == DM_OK && k < w.law->N; k++) {
    dm_del_info info;
    status = measure(&w, t, k);
    if (status != DM_OK) break;
    if (t->o->asks) lead(&w, t, k);
    if (is_guided(t)) guide(&w, t, k);
    w.law->horizon->input(w.law->horizon, k, w.y, w.u, NULL);
    put_row(f, t, &w, k);
    memcpy(w.x1, w.x, (size_t)n * sizeof *w.x);
    if (t->o->late) wait_step(&w, k);
    status = dm_del_step(w.map, w.x, w.x + n, w.u, w.law->f.h, w.x1, w.x1 + n, &info);
    memcpy(w.x, w.x1, 2 * (size_t)n * sizeof *w.x);
  }
  close_tracer(&w);
  return status;
}
