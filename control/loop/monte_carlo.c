#include "control/loop/monte_carlo.h"

#include "control/feedback/orbit.h"
#include "control/loop/mujoco.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"
#include "lib/mechanics/continuous.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void fb_monte_carlo_redraw(const fb_monte_carlo_settings *set, int n, int s, int again, double *dq,
                           double *dv) {
  // per draw, the first n numbers are for q, the next n for v
  const uint64_t first = 2 * (uint64_t)n * (uint64_t)again;
  for (int i = 0; i < n; i++)
    dq[i] = set->spread_q[i] * dm_random_uniform(set->seed, s, first + (uint64_t)i);
  for (int i = 0; i < n; i++)
    dv[i] = set->spread_v[i] * dm_random_uniform(set->seed, s, first + (uint64_t)(n + i));
}

void fb_monte_carlo_draw(const fb_monte_carlo_settings *set, int n, int s, double *dq, double *dv) {
  fb_monte_carlo_redraw(set, n, s, 0, dq, dv);
}

typedef struct sample_runner {
  const fb_tvlqr *f;
  const fb_plant *plant;
  const fb_monte_carlo_settings *set;
  const dm_system *s;
  dm_continuous *mechanics;
  int n;
  double *d;                 // [2n] start error in (q,v)
  double *x;                 // [(N+1) x 2n] a sample's states (q,p)
  double *u;                 // [N x nu] its inputs
  double *y;                 // [2n] (q,v)
  double *y_d;               // [(N+1) x 2n] desired (q,v)
  fb_orbit *orbit;           // of a law on an orbit; NULL: none
  double *x_d, *v_d;         // [2n] (q,p) and (q,v) of the orbit at a state's phase
  double *q;                 // [n] physical position
  double *q_plan;            // [n] the same at the plan's start
  double *least, *most;      // [n] errors of positions from the settled knot on
  double *allowed;           // [n] how far positions may exceed their limits
  int *outside;              // [n] number of draws of a start in which each was outside
  fb_excess *position;       // [n] of a sample, per coordinate
  fb_excess *speed;          // [n] the same
  fb_output_errors *outputs; // NULL: no output has a bound
} sample_runner;

static void lay_out_samples(void *self, dm_block *b) {
  sample_runner *w = self;
  size_t nx = 2 * (size_t)w->n, all = ((size_t)w->f->N + 1) * nx;

  // one sample's states and inputs, and the desired states
  w->d = dm_block_alloc(b, nx, sizeof *w->d);
  w->y = dm_block_alloc(b, nx, sizeof *w->y);
  w->x = dm_block_alloc(b, all, sizeof *w->x);
  w->u = dm_block_alloc(b, (size_t)w->f->N * (size_t)w->f->nu, sizeof *w->u);
  w->y_d = dm_block_alloc(b, all, sizeof *w->y_d);
  w->x_d = dm_block_alloc(b, nx, sizeof *w->x_d);
  w->v_d = dm_block_alloc(b, nx, sizeof *w->v_d);
  double **const vectors[] = {&w->q, &w->q_plan, &w->allowed, &w->least, &w->most};
  for (int i = 0; i < 5; i++) *vectors[i] = dm_block_alloc(b, (size_t)w->n, sizeof(double));
  w->outside = dm_block_alloc(b, (size_t)w->n, sizeof *w->outside);
  w->position = dm_block_alloc(b, (size_t)w->n, sizeof *w->position);
  w->speed = dm_block_alloc(b, (size_t)w->n, sizeof *w->speed);
}

// (q,v) from (q,p)
static dm_status find_state_velocity(sample_runner *w, const double *x, double *y) {
  size_t half = (size_t)w->n * sizeof *y;
  memcpy(y, x, half);
  memset(y + w->n, 0, half);

  // v from p by M^-1, without its component across the constraints
  DM_TRY(dm_velocity_of(w->mechanics, x, x + w->n, y + w->n));
  return dm_velocity_restrict(w->mechanics, x, y + w->n);
}

static double find_largest_error(int n, const double *d) {
  double max = 0;
  for (int i = 0; i < n; i++) max = fmax(max, fabs(d[i]));
  return max;
}

// the physical position of a state y = (q,v): its q lags if damping is stiff
// (lib/discrete/stiff_damping.h)
static void find_world_place(const sample_runner *w, const double *y, double *q) {
  const double *lag = w->s->lag;
  for (int i = 0; i < w->n; i++) q[i] = y[i] + (lag ? lag[i] * y[w->n + i] : 0);
}

// the start error of sample s after `again` rejected draws; false: there is no other draw
static bool draw_start(sample_runner *w, int s, int again) {
  const fb_monte_carlo_settings *set = w->set;
  if (!set->from)
    fb_monte_carlo_redraw(set, w->n, s, again, w->d, w->d + w->n);
  else if (again == 0)
    set->draw(set->from, w->n, s, w->d);
  else if (set->redraw)
    set->redraw(set->from, w->n, s, again, w->d);
  return again == 0 || !set->from || set->redraw;
}

// the coordinate of the start in w->y that is outside its limits; -1: none, or limits are ignored
static int find_start_outside(sample_runner *w) {
  const fb_monte_carlo_settings *set = w->set;
  if (!set->limit || set->limit_use == FB_LIMITS_IGNORE) return -1;
  find_world_place(w, w->y, w->q);
  return fb_limits_outside(set->limit->q, w->n, w->q, w->q_plan);
}

// sample s has no start within the limits: report the coordinate that was outside most often
static void refuse_start(const sample_runner *w, int s) {
  fb_start_refusal why = {.sample = s, .draws = FB_DRAWS};
  for (int i = 0; i < w->n; i++)
    if (w->outside[i] > w->outside[why.coord]) why.coord = i;
  why.times = w->outside[why.coord];
  if (w->set->refused) *w->set->refused = why;
}

// Draw the start state (q,p) of sample s into w->x until it is within the limits. *drawable: there
// is a start. Returns DM_OK, or the reason why there is no state.
static dm_status start_sample(sample_runner *w, int s, fb_sample *row, bool *drawable) {
  memset(w->outside, 0, (size_t)w->n * sizeof *w->outside);
  row->outside = -1;
  *drawable = true;
  draw_start(w, s, 0);
  for (;;) {
    // the state of the start error in w->d, on the constraints: (q,v) in w->y, (q,p) in w->x
    const int n = w->n;
    row->start_q_error = row->start_v_error = INFINITY;
    for (int i = 0; i < 2 * n; i++)
      if (!isfinite(w->d[i])) return DM_NOT_FINITE;
    memcpy(w->y, w->y_d, 2 * (size_t)n * sizeof *w->y);
    dm_status status = fb_closed_loop_start(w->s, w->mechanics, w->d, w->y, w->x);

    // keep errors in q; errors in v are projected already
    bool moved = status == DM_OK && (w->s->hol.nc || w->s->contacts);
    for (int i = 0; moved && i < n; i++) w->d[i] = w->y[i] - w->y_d[i];
    row->start_q_error = find_largest_error(n, w->d);
    row->start_v_error = find_largest_error(n, w->d + n);
    DM_TRY(status);

    const int outside = find_start_outside(w);
    if (outside < 0) return DM_OK;

    // another draw, if there is one
    row->outside = outside;
    w->outside[outside]++;
    *drawable = row->redrawn + 1 < FB_DRAWS;
    if (!*drawable || !draw_start(w, s, row->redrawn + 1)) return DM_OK;
    row->redrawn++;
  }
}

// compare the state y = (q,v), at its physical position, with the limits
static void compare_sample_with_limits(sample_runner *w, const double *y, double t,
                                       fb_sample *row) {
  const dm_limits *l = w->set->limit;
  double by = 0;
  if (!l) return;
  fb_excess_add_each(w->position, w->n, w->q, l->q.low, l->q.high, t);
  fb_excess_add_each_size(w->speed, w->n, y + w->n, l->v.high, t);

  // if several are exceeded, the one furthest beyond its allowance at that time
  if (w->set->limit_use != FB_LIMITS_FAIL) return;
  const int passed = fb_limits_passed(l->q, w->n, w->q, w->allowed, &by);
  if (passed < 0 || by <= row->passed_by) return;
  row->passed = passed;
  row->passed_by = by;
}

// summarize a sample at the limits: the worst over all coordinates, and each one
static void add_sample_excess(const fb_excess *each, int n, int sample, fb_excess *worst,
                              fb_excess_count *sum) {
  static const double ROUNDING = 1e-9; // of a limit's size
  for (int i = 0; i < n; i++) {
    fb_excess_count one = {each[i], fb_excess_beyond(&each[i], ROUNDING)};
    *worst = fb_excess_worse(worst, &each[i]);
    if (one.worst.index < 0 || !sum) continue;
    one.worst.sample = sample;
    fb_excess_count_add(&sum[i], &one);
  }
  worst->sample = worst->index < 0 ? -1 : sample;
}

// the errors of positions at a settled knot, and those at rest so far
static void judge_rest(sample_runner *w, int k, fb_sample *row) {
  const double *y_d = w->y_d + (size_t)k * 2 * (size_t)w->n;
  row->standing = row->swing = 0;
  for (int i = 0; i < w->n; i++) {
    const double scale = w->set->scale ? w->set->scale[i] : 1, off = (w->y[i] - y_d[i]) / scale;
    w->least[i] = k > w->set->settled ? fmin(w->least[i], off) : off;
    w->most[i] = k > w->set->settled ? fmax(w->most[i], off) : off;
    const double middle = fabs(w->most[i] + w->least[i]) / 2,
                 swing = (w->most[i] - w->least[i]) / 2;
    if (middle >= row->standing) row->stands = i;
    if (swing >= row->swing) row->swings = i;
    row->standing = fmax(row->standing, middle);
    row->swing = fmax(row->swing, swing);
  }
}

// the desired (q,v) of a state x at knot k: of that time, or of its phase on the orbit
static dm_status find_desired(sample_runner *w, int k, const double *x, const double **y_d) {
  *y_d = w->orbit ? w->v_d : w->y_d + k * 2 * w->n;
  if (!w->orbit) return DM_OK;
  fb_orbit_find(w->orbit, x, w->x_d);
  return find_state_velocity(w, w->x_d, w->v_d);
}

// the errors of the states in w->x at knots 0 to last
static dm_status judge_states(sample_runner *w, int last, fb_sample *row) {
  int nx = 2 * w->n;
  double bound = w->set->tolerance;
  if (w->orbit) fb_orbit_begin(w->orbit);
  for (int k = 0; k <= last; k++) {
    // the error in (q,v), by scale; at the last knot it is the final error
    const double *y_d;
    DM_TRY(find_desired(w, k, w->x + k * nx, &y_d));
    DM_TRY(find_state_velocity(w, w->x + k * nx, w->y));
    row->final_error = fb_closed_loop_error(nx, w->y, y_d, w->set->scale, &row->worst_state);
    if (!isfinite(row->final_error)) return DM_NOT_FINITE;
    row->worst_error = fmax(row->worst_error, row->final_error);
    if (k <= 3 * w->f->N / 4) row->late_error = row->final_error;
    if (w->set->settled && k >= w->set->settled) judge_rest(w, k, row);
    find_world_place(w, w->y, w->q);
    compare_sample_with_limits(w, w->y, k * w->f->h, row);
    if (w->outputs) DM_TRY(fb_output_errors_add(w->outputs, k, w->q, w->y + w->n));

    // the first knot at which it is lost: the error exceeds a multiple of the tolerance, or of the
    // start's error
    if (k == 0) bound = FB_LOST * fmax(bound, row->final_error);
    if (row->lost >= 0 || row->final_error <= bound) continue;
    row->lost = k;
    row->lost_state = row->worst_state;
  }
  return DM_OK;
}

// the errors of outputs, infinite if the plant failed. Returns whether all are within their bounds
static bool judge_outputs(sample_runner *w, bool failed, fb_sample *row, double *kept) {
  const fb_output_bounds *set = w->set->outputs;
  row->output = -1;
  if (!w->outputs) return true;
  for (int i = 0; i < set->count; i++) {
    if (failed) w->outputs->error[i] = INFINITY;
    if (kept) kept[i] = w->outputs->error[i];
  }
  row->output = fb_output_errors_worst(set, w->outputs->error);
  if (row->output >= 0) row->output_error = w->outputs->error[row->output];
  return fb_output_errors_within(set, w->outputs->error);
}

// an empty row
static void begin_row(sample_runner *w, fb_sample *row) {
  row->lost = row->lost_state = row->worst_state = -1;
  row->position = row->speed = fb_excess_none();
  row->left = row->passed = row->stands = row->swings = row->wheel = -1;
  for (int i = 0; i < w->n; i++) w->position[i] = w->speed[i] = fb_excess_none();
  if (w->outputs) fb_output_errors_begin(w->outputs);
}

// Returns DM_OK, whatever the sample's result, or DM_BAD_INPUT if it has no start.
static dm_status run_sample(sample_runner *w, int sample, fb_sample *row, double *output_errors,
                            double *end) {
  const fb_monte_carlo_settings *set = w->set;
  fb_closed_loop_result r = {0};
  begin_row(w, row);

  // the closed loop from its start
  bool drawable;
  dm_status s = start_sample(w, sample, row, &drawable);
  if (!drawable) refuse_start(w, sample);
  if (!drawable) return DM_BAD_INPUT;
  const fb_sensor *sensor = w->f->sensor;
  if (sensor) sensor->begin(sensor->self, sample);
  bool begun = s == DM_OK;
  const long met = set->met ? *set->met : 0;
  if (begun)
    s = fb_closed_loop_run(w->f, w->plant, w->x, set->u_min, set->u_max, NULL, w->x, w->u, &r);
  row->steps = r.steps;
  row->saturated = r.saturated;
  row->stopped = set->met ? (int)(*set->met - met) : 0;
  if (begun && set->slip) {
    row->wheel = set->slip->wheel;
    row->slip = set->slip->length;
  }
  if (begun && w->f->excursion) {
    row->left = w->f->excursion->left;
    row->reach = w->f->excursion->reach;
    row->cost = w->f->excursion->cost;
  }
  if (begun && w->f->horizons) row->horizons = *w->f->horizons;

  // its errors up to its last step; a sample whose plant failed is lost there at the latest
  dm_status judged = begun ? judge_states(w, r.steps, row) : DM_OK;
  if (s == DM_OK) s = judged;
  if (s != DM_OK) {
    if (row->lost < 0) row->lost_state = row->worst_state;
    if (row->lost < 0) row->lost = r.steps;
    row->final_error = row->worst_error = row->late_error = INFINITY;
    row->worst_state = -1;
  }

  if (end) {
    // the final state of a sample, which judge_states left in w->y
    const bool failed = s != DM_OK;
    for (int i = 0; i < 2 * w->n; i++) end[i] = failed ? NAN : w->y[i];
  }

  // the verdict
  const bool within = judge_outputs(w, s != DM_OK, row, output_errors);
  row->arrived = s == DM_OK && within && row->final_error <= set->tolerance;
  row->succeeded = row->arrived && row->passed < 0 && !(set->slip && row->slip > set->slip_limit);
  add_sample_excess(w->position, w->n, sample, &row->position, set->positions);
  add_sample_excess(w->speed, w->n, sample, &row->speed, set->speeds);
  return DM_OK;
}

// q of a sample at all knots, NAN after a failed step
static void record_fan(const sample_runner *w, int steps, double *fan) {
  int n = w->n;
  for (int k = 0; k <= w->f->N; k++)
    for (int i = 0; i < n; i++) fan[k * n + i] = k <= steps ? w->x[2 * k * n + i] : NAN;
}

static dm_status run_samples(sample_runner *w, fb_sample *rows, int nfan, double *fan,
                             bool (*progress)(void *, int done), void *user) {
  size_t samples = (size_t)w->set->samples, one = ((size_t)w->f->N + 1) * (size_t)w->n;
  memset(rows, 0, samples * sizeof *rows);
  if (fan) memset(fan, 0, (size_t)nfan * one * sizeof *fan);

  // how far limits may be exceeded, and the desired (q,v), the reference for all samples
  if (w->set->limit)
    fb_limits_allow(w->set->limit->q, w->n, w->set->tolerance, w->set->scale, w->allowed);
  for (int k = 0; k <= w->f->N; k++) {
    dm_status s = find_state_velocity(w, w->f->x + k * 2 * w->n, w->y_d + k * 2 * w->n);
    if (s != DM_OK) return s;
    const double *y_d = w->y_d + k * 2 * w->n;
    find_world_place(w, y_d, w->q);
    if (k == 0) memcpy(w->q_plan, w->q, (size_t)w->n * sizeof *w->q);
    if (w->outputs) DM_TRY(fb_output_errors_plan(w->outputs, k, w->q, y_d + w->n));
  }

  // the caller may stop between samples, but not after the last
  for (int s = 0; s < w->set->samples; s++) {
    double *kept = w->outputs ? w->set->output_errors : NULL;
    if (kept) kept += (size_t)s * (size_t)w->set->outputs->count;
    double *end = w->set->ends ? dm_row(w->set->ends, s, 2 * w->n) : NULL;
    DM_TRY(run_sample(w, w->set->first + s, &rows[s], kept, end));
    if (fan && s < nfan) record_fan(w, rows[s].steps, dm_row(fan, s, one));
    if (progress && !progress(user, s + 1) && s + 1 < w->set->samples) return DM_INTERRUPTED;
  }
  return DM_OK;
}

dm_status fb_monte_carlo_run(const fb_tvlqr *f, const dm_system *s, const fb_plant *plant,
                             const fb_monte_carlo_settings *set, fb_sample *rows, int nfan,
                             double *fan, bool (*progress)(void *, int done), void *user) {
  sample_runner sizes = {.f = f, .plant = plant, .set = set, .s = s, .n = s->L.nq};
  assert(f->nx == 2 * s->L.nq && set->samples >= 0 && (rows || !set->samples));
  assert(!set->from || set->draw);
  sample_runner *w = dm_block_make(&sizes, sizeof sizes, lay_out_samples);
  if (!w) return DM_NO_MEMORY;

  // errors are in (q,v), so that each knot needs a velocity
  dm_status status = dm_continuous_new(&w->mechanics, s);
  if (status == DM_OK && set->outputs)
    status = fb_output_errors_new(&w->outputs, set->outputs, f->N, f->h);
  if (status == DM_OK && f->sections) status = fb_orbit_new(&w->orbit, f);
  if (status == DM_OK) status = run_samples(w, rows, nfan, fan, progress, user);
  dm_continuous_free(w->mechanics);
  fb_output_errors_free(w->outputs);
  fb_orbit_free(w->orbit);
  dm_block_free(w);
  return status;
}

fb_verdict fb_monte_carlo_verdict(const fb_sample *rows, int samples) {
  // a plant that failed has no worst state; its errors are infinite
  fb_verdict v = {.worst = samples > 0 ? 0 : -1};
  for (int s = 0; s < samples; s++) {
    v.succeeded += rows[s].succeeded;
    v.failed += rows[s].worst_state < 0;
    v.saturated += rows[s].saturated > 0;
    v.passed += rows[s].passed >= 0;
    v.redrawn += rows[s].redrawn;
    v.worst_error = fmax(v.worst_error, rows[s].worst_error);
    if (rows[s].final_error > rows[v.worst].final_error) v.worst = s;
  }
  if (samples > 0) v.worst_final_error = rows[v.worst].final_error;
  return v;
}
