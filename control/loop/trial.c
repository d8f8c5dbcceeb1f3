#include "control/loop/trial.h"

#include "control/feedback/motor.h"
#include "control/onboard/onboard.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"
#include "lib/contact/stopped_motion.h"
#include "lib/mechanics/continuous.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct fb_trial {
  const fb_tvlqr *law;
  const dm_system *system;
  int n, nu, parts;             // coordinates; inputs; plant steps per step of the law
  double step;                  // of the plant [s]
  dm_continuous *model;         // converts measurements to the model's (q,p)
  dm_continuous *machine;       // of the machine's accelerations
  const dm_unilateral *stops;   // of the machine; NULL: none
  dm_stopped_motion *stopped;   // motion between stops
  const fb_disturbance *d;      // of the current run
  double *force;                // [n] pushes in the current step
  double *past;                 // [(N parts + 1) x 2n] (q,v) so far
  double *seen, *state;         // [2n] measured (q,v), and the same as (q,p)
  double *shown, *shown_before; // [n] encoder positions at this call and the previous one
  double *wanted, *acts;        // [nu] output of the law, and applied input
  double *y, *stage, *dy, *sum; // [2n] of the plant: current state, stage of a step, rates
  double *start, *end;          // [2n] planned (q,v)
};

fb_disturbance fb_disturbance_none(void) {
  return (fb_disturbance){.response = 1};
}

// add pushes to the machine's own forces
static dm_status add_pushes(const void *self, void *scratch, int order, const double *q,
                            const double *v, const double *u, dm_force_jet *out) {
  const fb_trial *w = self;
  (void)scratch;
  (void)q;
  (void)v;
  (void)u;
  assert(order == 1);
  (void)order;
  for (int i = 0; i < w->n; i++) out->f[i] += w->force[i];
  return DM_OK;
}

static void lay_out_trial(void *self, dm_block *b) {
  fb_trial *w = self;
  const size_t nx = 2 * (size_t)w->n, steps = (size_t)w->law->N * (size_t)w->parts;

  // all states of a run, for delayed measurements
  w->past = dm_block_alloc(b, (steps + 1) * nx, sizeof *w->past);
  w->force = dm_block_alloc(b, (size_t)w->n, sizeof *w->force);
  w->shown = dm_block_alloc(b, (size_t)w->n, sizeof *w->shown);
  w->shown_before = dm_block_alloc(b, (size_t)w->n, sizeof *w->shown_before);
  w->wanted = dm_block_alloc(b, (size_t)w->nu, sizeof *w->wanted);
  w->acts = dm_block_alloc(b, (size_t)w->nu, sizeof *w->acts);
  double **const rows[] = {&w->seen, &w->state, &w->y,     &w->stage,
                           &w->dy,   &w->sum,   &w->start, &w->end};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i] = dm_block_alloc(b, nx, sizeof(double));
}

void fb_trial_free(fb_trial *w) {
  if (!w) return;
  dm_stopped_motion_free(w->stopped);
  dm_continuous_free(w->machine);
  dm_continuous_free(w->model);
  dm_block_free(w);
}

dm_status fb_trial_planned(fb_trial *w, int k, double *y) {
  memset(y, 0, 2 * (size_t)w->n * sizeof *y);
  return dm_configuration_of(w->model, dm_row(w->law->x, k, w->law->nx), y, y + w->n);
}

static dm_status begin_trial(fb_trial *w) {
  DM_TRY(dm_continuous_new(&w->model, w->system));
  DM_TRY(fb_trial_machine(w, w->system));
  DM_TRY(fb_trial_planned(w, 0, w->start));
  return fb_trial_planned(w, w->law->N, w->end);
}

dm_status fb_trial_new(fb_trial **out, const fb_tvlqr *law, const dm_system *model, double step) {
  assert(out && step > 0 && law->nx == 2 * model->L.nq);
  *out = NULL;
  if (model->nk || law->sensor) return DM_UNAVAILABLE;

  // equal steps, at most as long as requested; 1e-9: rounding of a whole number
  fb_trial sizes = {.law = law, .system = model, .n = model->L.nq, .nu = law->nu};
  sizes.parts = (int)ceil(law->h / step - 1e-9);
  sizes.step = law->h / sizes.parts;
  fb_trial *w = dm_block_make(&sizes, sizeof sizes, lay_out_trial);
  if (!w) return DM_NO_MEMORY;
  dm_status status = begin_trial(w);
  if (status != DM_OK) {
    fb_trial_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

dm_status fb_trial_machine(fb_trial *w, const dm_system *machine) {
  dm_system s = *machine;
  assert(s.L.nq == w->n && s.nu == w->nu);
  dm_system_add_force(&s, (dm_force){.self = w, .eval = add_pushes});
  dm_continuous_free(w->machine);
  dm_stopped_motion_free(w->stopped);
  w->machine = NULL;
  w->stopped = NULL;
  DM_TRY(dm_continuous_new(&w->machine, &s));
  return w->stops ? dm_stopped_motion_new(&w->stopped, &s, w->stops) : DM_OK;
}

dm_status fb_trial_stops(fb_trial *w, const dm_unilateral *stops) {
  w->stops = stops;
  return fb_trial_machine(w, w->system);
}

const double *fb_trial_state(const fb_trial *w, int k) {
  return dm_row(w->past, k * w->parts, 2 * w->n);
}

const double *fb_trial_end(const fb_trial *w) {
  return w->end;
}

double fb_trial_time(const fb_trial *w) {
  return w->law->N * w->law->h;
}

// -- a step of the plant

// (q,v)' = (v, a)
static dm_status find_rate(void *self, const double *y, double *dy) {
  fb_trial *w = self;
  memcpy(dy, y + w->n, (size_t)w->n * sizeof *dy);
  return dm_acceleration(w->machine, y, y + w->n, w->acts, dy + w->n);
}

// one step of the fourth-order Runge-Kutta method
static dm_status take_step(void *self, dm_motion_rate *f, void *of, double h, double *y) {
  static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  fb_trial *w = self;
  const int nx = 2 * w->n;
  double size = 0;

  // k_s = f(y + part h k_(s-1)), y <- y + h sum weight k_s
  memset(w->sum, 0, (size_t)nx * sizeof *w->sum);
  memset(w->dy, 0, (size_t)nx * sizeof *w->dy);
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < nx; i++) w->stage[i] = y[i] + part[s] * h * w->dy[i];
    DM_TRY(f(of, w->stage, w->dy));
    for (int i = 0; i < nx; i++) w->sum[i] += weight[s] * w->dy[i];
  }
  for (int i = 0; i < nx; i++) y[i] += h * w->sum[i];
  for (int i = 0; i < nx; i++) size += y[i];
  return isfinite(size) ? DM_OK : DM_NOT_FINITE;
}

// with constant inputs and pushes
static dm_status step_plant(fb_trial *w) {
  if (!w->stopped) return take_step(w, find_rate, w, w->step, w->y);
  return dm_stopped_motion_step(w->stopped, w->acts, w->step, w->y, take_step, w);
}

static double cut_input(double u, const double *u_min, const double *u_max, int i) {
  if (u_max && u > u_max[i]) u = u_max[i];
  if (u_min && u < u_min[i]) u = u_min[i];
  return u;
}

// each noise signal has its own random numbers
enum { NOISE_Q, NOISE_V, NOISE_U, NOISE_READINGS };

static double draw_noise(const fb_trial *w, int stream, int k, int count, int i) {
  return dm_random_normal(w->d->seed + ((uint64_t)(stream + 1) << 40), w->d->sample,
                          (uint64_t)k * (uint64_t)count + (uint64_t)i);
}

// motor outputs in step j of the plant
static void move_motors(fb_trial *w, int j, const double *u_min, const double *u_max) {
  const fb_disturbance *d = w->d;
  const double share = fb_motor_part(d->response, w->step, FB_RESPONSE_TIME);
  for (int i = 0; i < w->nu; i++) {
    const double lag = w->law->lag ? w->law->lag[i] : 0;
    double u = fb_motor_move(w->acts[i], w->wanted[i], share * fb_motor_share(lag, w->step));
    if (d->noise_u > 0) u += d->noise_u * draw_noise(w, NOISE_U, j, w->nu, i);
    w->acts[i] = cut_input(u, u_min, u_max, i);
  }
  if (w->law->drives) dm_drive_limits_cut(w->law->drives, w->y + w->n, w->acts);
}

// -- the law

// position q as encoder i shows it in measurement `call`
static double read_encoder(const fb_trial *w, int call, int i, double q) {
  const fb_disturbance *d = w->d;
  if (d->readings) q += d->readings[i] * draw_noise(w, NOISE_READINGS, call, w->n, i);
  const double step = d->encoder ? d->encoder[i] : 0;
  return step > 0 ? step * round(q / step) : q;
}

// the encoder measurement at knot k replaces w->seen; the first call extrapolates back to a
// previous measurement
static void show_encoders(fb_trial *w, int k) {
  const fb_disturbance *d = w->d;
  const double h = w->law->h;
  double *q = w->seen, *v = w->seen + w->n;
  if (!d->encoder && !d->readings) return;
  for (int i = 0; i < w->n; i++) {
    w->shown_before[i] = k > 0 ? w->shown[i] : read_encoder(w, w->law->N, i, q[i] - h * v[i]);
    q[i] = w->shown[i] = read_encoder(w, k, i, q[i]);
    if (d->differences) v[i] = (w->shown[i] - w->shown_before[i]) / h;
  }
}

// the law's input at knot k, within limits; on entry wanted holds the previous knot's input
static dm_status ask_law(fb_trial *w, int k, const double *u_min, const double *u_max) {
  const fb_controller *by = w->law->by;

  // the law's measurement at its knot k, as the model's (q,p)
  const fb_disturbance *d = w->d;

  // (q,v) at a time `delay` before plant step `now`; before the start, the start state
  const int now = k * w->parts;
  const int n = w->n, nx = 2 * n;
  const double ago = fmax(now - w->d->delay / w->step, 0), whole = round(ago);

  // at a step, up to rounding of the quotient, its state; between two steps, their cubic
  const bool between = fabs(ago - whole) > 1e-9 * (1 + now);
  const int from = (int)(between ? floor(ago) : whole);
  const double *a = dm_row(w->past, from, nx), *b = a + nx;
  memcpy(w->seen, a, (size_t)nx * sizeof *w->seen);
  if (between) fb_onboard_cubic(n, w->step, ago - from, a, a + n, b, b + n, w->seen, w->seen + n);

  for (int i = 0; d->noise_q > 0 && i < w->n; i++)
    w->seen[i] += d->noise_q * draw_noise(w, NOISE_Q, k, w->n, i);
  for (int i = 0; d->noise_v > 0 && i < w->n; i++)
    w->seen[w->n + i] += d->noise_v * draw_noise(w, NOISE_V, k, w->n, i);
  show_encoders(w, k);
  DM_TRY(dm_state_of(w->model, w->seen, w->seen + w->n, w->state));

  if (by)
    DM_TRY(by->input(by->self, k, w->state, w->wanted));
  else
    fb_tvlqr_input(w->law, k, w->state, w->wanted);
  for (int i = 0; i < w->nu; i++) w->wanted[i] = cut_input(w->wanted[i], u_min, u_max, i);
  return DM_OK;
}

dm_status fb_trial_run(fb_trial *w, const fb_disturbance *d, const double *u_min,
                       const double *u_max, double *y) {
  const size_t nx = 2 * (size_t)w->n;
  w->d = d;

  // from the planned start, with motors at rest
  memcpy(w->y, w->start, nx * sizeof *w->y);
  memset(w->acts, 0, (size_t)w->nu * sizeof *w->acts);
  for (int i = 0; w->law->lag && i < w->nu; i++)
    if (w->law->lag[i] > 0) w->acts[i] = w->law->motor[i];
  memset(w->wanted, 0, (size_t)w->nu * sizeof *w->wanted);

  // step j of the plant; the law is evaluated at the first of each of its own steps
  for (int j = 0; j < w->law->N * w->parts; j++) {
    memcpy(dm_row(w->past, j, nx), w->y, nx * sizeof *w->y);
    if (j % w->parts == 0) DM_TRY(ask_law(w, j / w->parts, u_min, u_max));
    move_motors(w, j, u_min, u_max);

    // the pushes at time t
    const double t = j * w->step;
    memset(w->force, 0, (size_t)w->n * sizeof *w->force);
    for (int i = 0; i < w->d->pushes; i++) {
      const fb_push *p = &w->d->push[i];
      w->force[p->coord] += fb_push_force(p, t);
    }

    const dm_status s = step_plant(w);
    if (s != DM_OK) return s;
  }
  memcpy(dm_row(w->past, w->law->N * w->parts, nx), w->y, nx * sizeof *w->y);
  memcpy(y, w->y, nx * sizeof *y);
  return DM_OK;
}
