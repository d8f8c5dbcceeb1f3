#include "control/feedback/receding.h"

#include "control/feedback/law_tables.h"
#include "control/feedback/riccati.h"
#include "control/onboard/onboard.h"
#include "lib/base/block.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static dm_status check_law(const fb_output_feedback *w, dm_message *msg) {
  const fb_tvlqr *f = &w->f;
  const struct {
    bool has;
    const char *name;
  } parts[] = {{f->late > 0, "inputs that are a step late"}, {f->ni > 0, "integrals of errors"},
               {w->near != NULL, "a law by the path"},       {f->envelope != NULL, "an envelope"},
               {f->rate_limit != NULL, "rate limits"},       {f->lag != NULL, "motors with a lag"}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].has)
      return dm_fail(msg, DM_UNAVAILABLE,
                     "receding-horizon control does not support %s: leave them out", parts[i].name);
  return DM_OK;
}

void fb_receding_tables(const fb_output_feedback *w, const fb_receding *o, tables *T,
                        horizon_tables *W) {
  const fb_tvlqr *f = &w->f;
  const int square = f->nx * f->nx;
  *T = fb_law_tables(w);
  T->tree = f->tree;
  *W = (horizon_tables){.stages = o->stages,
                        .sweeps = o->sweeps,
                        .nx = f->nx,
                        .places = w->n,
                        .softs = o->q_min ? w->n : 0,
                        .speeds = o->v_max ? w->n : 0,
                        .rests = o->rests,
                        .asks = o->asks,
                        .late = o->late,
                        .period = o->period,
                        .travel = o->travel,
                        .y = {w->y_d, w->N + 1, f->nx},
                        .u = {w->c, w->N, f->nu},
                        .Q = {f->Q, f->weighed, square},
                        .P = {f->P, w->N + 1, square},
                        .R = f->R,
                        .q_min = o->q_min,
                        .q_max = o->q_max,
                        .soft = o->soft,
                        .v_max = o->v_max,
                        .soft_v = o->soft_v};
  if (f->drives) { // also for positions, whose speeds are those of the motion
    T->lines = f->drives->n;
    T->stall = f->drives->stall;
    T->slope = f->drives->slope;
    T->moved = f->drives->coord;
  }
  if (o->P_end) W->P = (table){o->P_end, 1, square};
  if (o->y) W->y = (table){o->y, o->knots, f->nx};
  if (o->y) W->u = (table){o->u, o->knots, f->nu};
  if (o->track) W->track = *o->track;
  if (o->balls) fb_ball_tables_put(o->balls, T, W);
}

void fb_receding_measure(fb_output_feedback *w, int k, const double *q, const double *second,
                         const double *force) {
  const fb_horizon_sight what = w->form == FB_STATE      ? FB_SEES_MOMENTA
                                : w->form == FB_VELOCITY ? FB_SEES_SPEEDS
                                                         : FB_SEES_BEFORE;
  const fb_horizon_view view = {.what = what, .q = q, .second = second, .force = force};
  const fb_call call = {.k = k, .timed = w->timed, .t = w->t, .age = w->age, .hold = w->f.h};
  w->horizon->measure(w->horizon, &call, &view, w->y);
}

dm_status fb_receding_prompt_gains(const fb_tvlqr *f, double *K) {
  const size_t nx = (size_t)f->nx, nu = (size_t)f->nu;
  fb_riccati *w;
  double *R = calloc(nu * nu, sizeof *R);
  dm_status s = fb_riccati_new(&w, f->nx, f->nu);
  if (!R) s = DM_NO_MEMORY;
  for (size_t i = 0; s == DM_OK && i < nu; i++) R[i * nu + i] = f->R[i];
  for (size_t k = 0; s == DM_OK && k < (size_t)f->N; k++) {
    const fb_lq stage = {.N = 1,
                         .nx = f->nx,
                         .nu = f->nu,
                         .A = f->A + k * nx * nx,
                         .B = f->B + k * nx * nu,
                         .Q = f->Q,
                         .R = R,
                         .Qf = f->P + (k + 1) * nx * nx};
    int failed;
    s = fb_riccati_sweep(w, &stage, K + k * nu * nx, NULL, &failed);
  }
  fb_riccati_free(w);
  free(R);
  return s;
}

dm_status fb_receding_sampled_gains(const fb_tvlqr *f, const fb_tvlqr *to, double *Q, double *K,
                                    double *P) {
  const size_t nx = (size_t)f->nx, nu = (size_t)f->nu, square = nx * nx, N = (size_t)to->N;
  const bool varies = f->weighed > 1;
  fb_riccati *w;
  int failed;
  double *R = calloc(nu * nu + square, sizeof *R), *end = R + nu * nu;
  dm_status s = fb_riccati_new(&w, f->nx, f->nu);
  if (!R) s = DM_NO_MEMORY;
  for (size_t i = 0; s == DM_OK && i < nu; i++) R[i * nu + i] = f->R[i];
  for (size_t i = 0; s == DM_OK && i < square; i++)
    end[i] = f->h / to->h * f->P[(size_t)f->N * square + i];
  for (size_t j = 0; varies && j <= N; j++) {
    const double at = (double)j * to->h / f->h;
    const size_t k = (size_t)((f->grid ? dm_grid_find(f->grid, f->N, at) : at) + 1e-9),
                 last = (size_t)f->weighed - 1;
    memcpy(Q + j * square, f->Q + (k < last ? k : last) * square, square * sizeof *Q);
  }
  const fb_lq lq = {.N = to->N,
                    .nx = f->nx,
                    .nu = f->nu,
                    .A = to->A,
                    .B = to->B,
                    .Q = varies ? Q : f->Q,
                    .R = R,
                    .Qf = end,
                    .A_stride = square,
                    .B_stride = nx * nu,
                    .Q_stride = varies ? square : 0};
  if (s == DM_OK) s = fb_riccati_sweep(w, &lq, K, P, &failed);
  fb_riccati_free(w);
  free(R);
  return s;
}

dm_status fb_receding_reference(const struct tree_tables *M, const double *R, int count,
                                const double *q, double *y, double *u) {
  const int places = M->n + M->balls;
  if (!M->balls) return fb_onboard_reference(M, R, count, q, y, u);
  double *on_board = calloc((size_t)((count + 1) * (places + M->n)), sizeof *on_board);
  const dm_status s = on_board ? fb_onboard_reference(M, R, count, q, on_board, u) : DM_NO_MEMORY;
  for (int k = 0; s == DM_OK && k <= count; k++)
    fb_ball_tables_state(M, on_board + k * (places + M->n), y + 2 * k * places);
  free(on_board);
  return s;
}

dm_status fb_receding_start(fb_output_feedback *w, const fb_receding *o, dm_message *msg) {
  const fb_tvlqr *f = &w->f;
  assert((w->exact || w->form == FB_STATE) && f->weighed && f->tree && f->tree->points > 0);
  assert(o->stages >= 1 && o->sweeps >= 1 && !w->horizon);
  DM_TRY(check_law(w, msg));
  for (int i = 0; i < f->nu; i++) {
    w->limits[i] = o->u_min ? fmax(o->u_min[i], -DBL_MAX) : -DBL_MAX;
    w->limits[f->nu + i] = o->u_max ? fmin(o->u_max[i], DBL_MAX) : DBL_MAX;
  }
  tables T;
  horizon_tables W;
  fb_receding_tables(w, o, &T, &W);
  T.u_min = w->limits;
  T.u_max = w->limits + f->nu;
  const fb_precision *by = o->single ? &fb_precision_single : &fb_precision_double;
  w->horizon = by->make_horizon(&T, &W);
  w->f.horizons = &w->horizons;
  w->waits = o->late;
  return w->horizon ? DM_OK : dm_fail(msg, DM_NO_MEMORY, "no memory for a horizon");
}

// the input decided at the last knot, and u in its place
static void wait_step(fb_output_feedback *w, int k, double *u) {
  for (int i = 0; i < w->f.nu; i++) {
    const double decided = u[i];
    u[i] = k > 0 ? w->decided[i] : w->f.u[i];
    w->decided[i] = decided;
  }
}

void fb_receding_decide(fb_output_feedback *w, int k, double *u) {
  fb_horizon_record *record = &w->horizons;
  int sweeps;
  const double age = w->timed ? k * w->f.h - (w->t - w->age) : 0;
  const fb_horizon_end end = w->horizon->input_at(w->horizon, k, age, w->y, u, &sweeps);
  record->calls++;
  record->sweeps += sweeps;
  record->most = sweeps > record->most ? sweeps : record->most;
  record->swept += end == FB_SWEPT;
  record->fell_back += end == FB_FELL_BACK;
  w->at = k;
  if (w->waits) wait_step(w, k, u);
}
