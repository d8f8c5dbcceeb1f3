#include "control/codegen/emulation.h"

#include "control/codegen/prediction.h"
#include "control/codegen/replay.h"
#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// -- the text's arithmetic

// u cut to the limits of input i
static double cut_to_limits(const fb_emulation *e, int i, double u) {
  const fb_codegen_settings *set = &e->c->set;
  if (set->u_max && u > set->u_max[i]) u = set->u_max[i];
  if (set->u_min && u < set->u_min[i]) u = set->u_min[i];
  return u;
}

// x as the text has it
static double rounded(const fb_emulation *e, double x) {
  return fb_codegen_rounded(e->c, x);
}

// sum + a b, as the text has it
static double add_rounded_product(const fb_emulation *e, double sum, double a, double b) {
  // product and sum rounded apart, as -ffp-contract=off has them
  double product = rounded(e, a * b);
  return rounded(e, sum + product);
}

// u_i = c - acting - G (y - y_d) at knot k, summed from the left, within limits
static double apply_law(const fb_emulation *e, const fb_output_feedback *w, int k, int i,
                        const double *y, double acting) {
  // G [ny] of input i, y_d [ny]
  size_t ny = (size_t)w->ny, at = (size_t)k * (size_t)w->f.nu + (size_t)i;
  const double *G = w->G + at * ny, *y_d = w->y_d + (size_t)k * ny;
  double sum = rounded(e, rounded(e, w->c[at]) - acting);
  for (size_t j = 0; j < ny; j++)
    // each number of a table is rounded as it is printed
    sum = add_rounded_product(e, sum, -rounded(e, G[j]), rounded(e, y[j] - rounded(e, y_d[j])));
  return rounded(e, cut_to_limits(e, i, sum));
}

// y_j less whole turns beside y_d
static double unwind_entry(const fb_emulation *e, double y, double y_d) {
  const double turn = rounded(e, FB_FULL_TURN);
  double x = rounded(e, rounded(e, rounded(e, y - y_d) * rounded(e, 1 / FB_FULL_TURN)) + 0.5);
  if (!(x > -FB_MOST_TURNS && x < FB_MOST_TURNS)) return y;
  double k = floor(x);
  return rounded(e, y - rounded(e, k * turn));
}

// |y - y_d|^2 at a knot, as the text sums it
static double measure_distance(const fb_emulation *e, const fb_output_feedback *w, int knot,
                               const double *y) {
  const double *y_d = w->y_d + (size_t)knot * (size_t)w->ny;
  double sum = 0;
  for (int j = 0; j < 2 * w->n; j++) {
    double off = rounded(e, y[j] - rounded(e, y_d[j]));
    if (fb_output_feedback_turns(w, j)) off = unwind_entry(e, off, 0);
    sum = rounded(e, sum + rounded(e, rounded(e, rounded(e, w->near[j]) * off) * off));
  }
  return sum;
}

// the knot by which the text's law acts in step k
static int find_text_knot(fb_emulation *e, const fb_output_feedback *w, int k, const double *y) {
  const int last = w->f.N - 1;
  int *at = &e->at[w->form];
  if (!w->near) return k;

  // at least a knot further each step
  if (k == 0) *at = 0;
  const int from = *at;
  if (k > 0 && from < last) ++*at;

  // the nearest of the next ones
  double least = measure_distance(e, w, *at, y);
  for (int j = from; j <= last && j <= from + FB_MOST_KNOTS; j++) {
    const double d = measure_distance(e, w, j, y);
    if (!(d < least)) continue;
    least = d;
    *at = j;
  }
  return *at;
}

// whether x'P x is beyond its bound at a knot, as the text sums it; not where y is no number
static bool exceeds_cost(const fb_emulation *e, const fb_output_feedback *w, int at,
                         const double *y) {
  const double *y_d = w->y_d + (size_t)at * (size_t)w->ny;
  const double *P = w->P + (size_t)at * (size_t)w->nm * ((size_t)w->nm + 1) / 2;

  // sum_i x_i sum_j<=i P_ij x_j, what is off the diagonal stored twice as large
  double sum = 0;
  for (int i = 0; i < w->nm; i++) {
    double part = 0, off = 0;
    for (int j = 0; j <= i; j++) {
      off = rounded(e, y[j] - rounded(e, y_d[j]));
      part = add_rounded_product(e, part, rounded(e, *P++), off);
    }
    if (!isfinite(off)) return false;
    sum = add_rounded_product(e, sum, part, off);
  }
  return w->nm && !(sum <= rounded(e, w->f.envelope->cost));
}

// at each knot: whether the places y are beyond the envelope now, or were before
static void watch_way(fb_emulation *e, int way, const fb_output_feedback *w, int k, int at,
                      const double *y) {
  const double *y_d = w->y_d + (size_t)at * (size_t)w->ny;
  if (k == 0) e->lost[way] = 0;
  for (int i = 0; w->f.envelope && i < w->n; i++) {
    double off = fabs(rounded(e, y[i] - rounded(e, y_d[i])));
    if (isfinite(off) && off > rounded(e, w->f.envelope->bound[i])) e->lost[way] = 1;
  }
  if (w->f.envelope && exceeds_cost(e, w, at, y)) e->lost[way] = 1;
}

// u_i of the fallback, v [n] as it is measured
static double brake_input(const fb_emulation *e, const fb_output_feedback *w, int i,
                          const double *v) {
  const fb_envelope *by = w->f.envelope;
  double brake = by->damping[i] != 0 ? rounded(e, rounded(e, by->damping[i]) * v[by->along[i]]) : 0;
  return rounded(e, cut_to_limits(e, i, isfinite(brake) ? 0 - brake : 0));
}

// the largest |text - library| so far; NAN stays
static void note_difference(fb_emulation *e, double text, double library) {
  double off = fabs(text - library);
  if (!(off <= e->difference)) e->difference = off; // also where off is NAN
}

// -- one knot

// u_i of a way, decided at knot k, no further from its last than the rate limit allows
static double slew_input(fb_emulation *e, int way, int k, int i, double u) {
  const fb_tvlqr *f = &e->runs->f;
  double *last = e->given + (size_t)way * (size_t)f->nu + i;
  if (!f->rate_limit) return u;
  const int at = way < FB_FORMS && f->path ? e->at[way] : 0;
  if (k == 0) *last = rounded(e, f->u[(size_t)at * (size_t)f->nu + (size_t)i]);
  const double step = rounded(e, f->rate_limit[i] * f->h);
  const double most = rounded(e, *last + step), least = rounded(e, *last - step);
  if (u > most) u = most;
  if (u < least) u = least;
  *last = rounded(e, cut_to_limits(e, i, u));
  return *last;
}

// y and u of one form at knot k into row; *end is where they end
static dm_status answer_form(fb_emulation *e, fb_output_feedback *w, int k, double *row,
                             double **end) {
  int nu = w->f.nu, ny = w->ny, n = w->n;
  const double *x = e->x + (size_t)k * (size_t)w->f.nx, *u = e->u + (size_t)k * (size_t)nu;
  double *wanted = row + ny; // u's place in the row

  // what is measured, and the library's answer to it; by velocity with p computed the row has v
  const bool computed = fb_codegen_computes_momentum(e->c, (int)w->form);
  fb_output_feedback_integrate(w, k, e->cut);
  if (fb_output_feedback_measure(w, k, x, k ? w->q : x, k ? u - nu : u) != DM_OK)
    return DM_SINGULAR;
  if (w->f.late) memcpy(w->y + ny - nu, u, (size_t)nu * sizeof *row);
  fb_output_feedback_law(w, fb_output_feedback_knot(w, k, w->y), w->y, wanted);
  fb_output_feedback_watch(w, k, wanted);
  memcpy(w->decided, wanted, (size_t)nu * sizeof *row);
  fb_output_feedback_slew(w, k, wanted);
  memcpy(row, w->y, (size_t)ny * sizeof *row);
  memcpy(w->q, row, (size_t)n * sizeof *row);
  if (computed) memcpy(row + n, w->v, (size_t)n * sizeof *row);

  // the text's answer; of the form that ran it is compared with what the loop's plant was given
  for (int j = 0; j < ny; j++) row[j] = rounded(e, row[j]);
  memcpy(e->y, row, (size_t)ny * sizeof *row);
  if (computed) fb_momentum_eval(e->c->momentum, e->c->set.single, row, row + n, e->y + n);
  const int knot = find_text_knot(e, w, k, e->y);
  const double *y_d = w->y_d + (size_t)knot * (size_t)ny;
  for (int j = 0; j < ny; j++)
    if (fb_output_feedback_turns(w, j)) e->y[j] = unwind_entry(e, e->y[j], rounded(e, y_d[j]));
  watch_way(e, (int)w->form, w, k, knot, e->y);
  for (int i = 0; i < nu; i++) {
    // a late input acts in the next step
    size_t step = (size_t)(k + w->f.late), at = step * (size_t)nu + (size_t)i;
    bool ran = w == e->runs && !e->c->estimator && step < (size_t)e->steps;
    double library = ran ? e->u[at] : cut_to_limits(e, i, wanted[i]);
    wanted[i] = apply_law(e, w, knot, i, e->y, 0);
    if (e->lost[w->form]) wanted[i] = brake_input(e, w, i, row + n);
    w->given[i] = library;
    wanted[i] = slew_input(e, (int)w->form, k, i, wanted[i]);
    note_difference(e, wanted[i], library);
  }
  *end = wanted + nu;
  return DM_OK;
}

// z <- z + L (encoder - q_d - z)
static void correct_estimate(fb_emulation *e, int k, const double *encoder) {
  const fb_estimator *w = e->c->estimator;
  const size_t nx = (size_t)w->f->nx, ny = (size_t)w->ny, nz = (size_t)w->nz, at = (size_t)k;
  const double *x_d = w->f->x + at * nx, *L = w->L + at * nz * ny;
  double *z = e->z, *next = e->next;

  // one encoder after the other, as the text sums them, each with the z of before all
  memcpy(next, z, nz * sizeof *z);
  for (size_t a = 0; a < ny; a++) {
    // off = (encoder - q_d) - z, rounded at each step
    int q = w->which[a];
    double off = rounded(e, rounded(e, encoder[a] - rounded(e, x_d[q])) - z[q]);
    if (w->f->turns && w->f->turns[q]) off = unwind_entry(e, off, 0);
    if (fb_estimator_gates(w))
      off = fb_estimator_gate(&e->missed[a], off, rounded(e, w->bound[at * ny + a]));
    for (size_t i = 0; i < nz; i++)
      next[i] = add_rounded_product(e, next[i], rounded(e, L[i * ny + a]), off);
  }
  memcpy(z, next, nz * sizeof *z);
  for (int j = 0; j < w->nd; j++) {
    double *d = &z[nx + (size_t)j];
    *d = fb_estimator_bounded(*d, rounded(e, w->d_max[j]));
    e->acting[w->disturbed[j]] = *d;
  }
}

// next by the model's step from the estimate y, as the text does it
static void predict_by_step(fb_emulation *e, int k, const double *u) {
  const fb_estimator *w = e->c->estimator;
  const size_t nx = (size_t)w->f->nx, nu = (size_t)w->f->nu;
  const double *x_d = w->f->x + (size_t)(k + 1) * nx, *A = w->f->A + (size_t)k * nx * nx;
  for (size_t j = 0; j < nu; j++) e->acts[j] = rounded(e, u[j] + e->acting[j]);
  for (size_t i = 0; i < nx; i++) e->x1[i] = rounded(e, rounded(e, x_d[i]) + e->next[i]);
  fb_prediction *by = w->predictor.self;
  by->single = e->c->set.single;
  fb_prediction_step(by, e->y, e->acts, A, e->x1);
  by->single = false;
  for (size_t i = 0; i < nx; i++) e->next[i] = rounded(e, e->x1[i] - rounded(e, x_d[i]));
}

// z <- A z + B (u - (u_d - d)), u [nu] being what acts in this step
static void predict_next(fb_emulation *e, int k, const double *u) {
  const fb_estimator *w = e->c->estimator;
  const size_t nx = (size_t)w->f->nx, nu = (size_t)w->f->nu, at = (size_t)k;
  const double *A = w->f->A + at * nx * nx, *B = w->f->B + at * nx * nu, *u_d = w->f->u + at * nu;
  double *z = e->z, *next = e->next;

  // row by row from the left, A's part and then B's, as the text sums them
  for (size_t i = 0; i < nx; i++) {
    next[i] = 0;
    for (size_t j = 0; j < nx; j++)
      next[i] = add_rounded_product(e, next[i], rounded(e, A[i * nx + j]), z[j]);
    for (size_t j = 0; j < nu; j++) {
      // off = u - u_d
      double off = rounded(e, u[j] - rounded(e, rounded(e, u_d[j]) - e->acting[j]));
      next[i] = add_rounded_product(e, next[i], rounded(e, B[i * nu + j]), off);
    }
  }
  if (w->predictor.step) predict_by_step(e, k, u);
  memcpy(z, next, nx * sizeof *z);
}

// y and u by encoders; the filter goes on to the next knot
static void answer_encoders(fb_emulation *e, int k, double *row) {
  const fb_estimator *w = e->c->estimator;
  const size_t nx = (size_t)w->f->nx, nu = (size_t)w->f->nu, ny = (size_t)w->ny, at = (size_t)k;
  const size_t late = (size_t)w->f->late, acts = at + late; // the step that u acts in
  // now: what is under way, before u where inputs are late
  double *y = e->y, *now = row + ny, *u = now + late * nu;

  // encoders' numbers, and the estimate after them
  fb_estimator_read(w, k, e->x + at * nx, row);
  for (size_t a = 0; a < ny; a++) row[a] = rounded(e, row[a]);
  correct_estimate(e, k, row);

  // the law on the estimated state, with what is under way where inputs are late
  const double *x_d = w->f->x + at * nx;
  for (size_t i = 0; i < nx; i++) y[i] = rounded(e, rounded(e, x_d[i]) + e->z[i]);
  for (size_t i = 0; i < late * nu; i++) {
    now[i] = rounded(e, e->u[at * nu + i]);
    y[nx + i] = now[i];
  }
  watch_way(e, FB_ENCODERS, e->c->law[FB_STATE], k, k, y);
  for (size_t i = 0; i < nu; i++) {
    u[i] = apply_law(e, e->c->law[FB_STATE], k, (int)i, y, e->acting[i]);
    if (e->lost[FB_ENCODERS]) u[i] = brake_input(e, e->c->law[FB_STATE], (int)i, y + nx / 2);
    u[i] = slew_input(e, FB_ENCODERS, k, (int)i, u[i]);
    // a step beyond the loop's end was not applied
    if (acts < (size_t)e->steps) note_difference(e, u[i], e->u[acts * nu + i]);
  }

  predict_next(e, k, now); // in time: now is u
}

dm_status fb_emulation_row(fb_emulation *e, int k, const double **row) {
  double *at = e->row;
  assert(row && k >= 0 && k < e->steps);

  // an integral stays where the loop's input is not the law's
  const size_t nu = (size_t)e->runs->f.nu;
  e->cut = k && memcmp(e->u + (size_t)(k - 1) * nu, e->runs->decided, nu * sizeof *e->u) != 0;
  for (int form = 0; form < FB_FORMS; form++)
    if (e->c->law[form]) DM_TRY(answer_form(e, e->c->law[form], k, at, &at));
  if (e->c->estimator) answer_encoders(e, k, at);
  *row = e->row;
  return DM_OK;
}

// -- the loop

// the closed loop on the discrete map, of sample 0, by the form that runs
static dm_status run_emulated_loop(fb_emulation *e, const dm_system *s, const double *x0) {
  const fb_codegen_settings *set = &e->c->set;
  const fb_sensor *sensor = e->runs->f.sensor;
  fb_plant plant;
  fb_closed_loop_result r = {.steps = 0};
  DM_TRY(fb_plant_discrete(&plant, s));
  if (sensor) sensor->begin(sensor->self, 0);
  // sample 0: the plan's own start and noise
  dm_status status =
      fb_closed_loop_run(&e->runs->f, &plant, x0, set->u_min, set->u_max, NULL, e->x, e->u, &r);
  e->steps = r.steps;
  fb_plant_free(&plant);
  return e->steps > 0 ? DM_OK : status; // a loop that fails on the way has rows up to there
}

static void lay_out_emulation(void *self, dm_block *b) {
  fb_emulation *e = self;
  size_t N = (size_t)e->runs->f.N, nx = (size_t)e->runs->f.nx, nu = (size_t)e->runs->f.nu;
  e->x = dm_block_alloc(b, (N + 1) * nx, sizeof *e->x);
  e->u = dm_block_alloc(b, N * nu, sizeof *e->u);
  e->row = dm_block_alloc(b, (size_t)e->columns, sizeof *e->row);
  e->given = dm_block_alloc(b, FB_WAYS * nu, sizeof *e->given);
  e->missed = dm_block_alloc(b, e->c->estimator ? (size_t)e->c->estimator->ny : 0, sizeof(int));
  const size_t nz = e->c->estimator ? (size_t)e->c->estimator->nz : 0; // with disturbances
  e->z = dm_block_alloc(b, nz, sizeof *e->z);
  e->next = dm_block_alloc(b, nz, sizeof *e->next);
  e->acting = dm_block_alloc(b, nu, sizeof *e->acting);
  e->acts = dm_block_alloc(b, nu, sizeof *e->acts);
  e->x1 = dm_block_alloc(b, e->c->estimator ? (size_t)e->c->estimator->f->nx : 0, sizeof *e->x1);
  e->y = dm_block_alloc(b, 2 * nx + 2 * nu, sizeof *e->y);
}

dm_status fb_emulation_new(fb_emulation **out, fb_codegen *c, const dm_system *s, fb_form runs,
                           const double *x0) {
  assert(out && (unsigned)runs < FB_FORMS && c->law[runs]);
  *out = NULL;

  fb_emulation count = {.c = c, .runs = c->law[runs], .columns = fb_replay_columns(c)};
  fb_emulation *e = dm_block_make(&count, sizeof count, lay_out_emulation);
  if (!e) return DM_NO_MEMORY;

  dm_status status = run_emulated_loop(e, s, x0);
  if (status != DM_OK) {
    fb_emulation_free(e);
    return status;
  }
  *out = e;
  return DM_OK;
}

void fb_emulation_free(fb_emulation *e) {
  dm_block_free(e);
}
