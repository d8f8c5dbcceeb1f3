#include "control/loop/model_mismatch.h"

#include "control/feedback/plan_cubic.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *const fb_axis_names[FB_AXES] = {"start", "mass", "inertia", "length", "damping",
                                            "q",     "v",    "torque",  "limit",  "delay"};

struct fb_mismatch {
  const fb_tvlqr *f;
  const dm_system *s; // the model's
  fb_mismatch_settings set;
  fb_perturbed_models machines;
  const fb_sensor *inner;
  double level[FB_AXES];
  int part;                       // the one with an error, or -1: all are drawn
  dm_continuous *model;           // momenta in the model's terms
  dm_continuous *machine;         // and in those of the machine; NULL: it is the model
  const fb_plant *plant;          // the machine's
  bool stands;                    // the plant is the one that the levels ask for
  dm_status failed;               // what could not be made or measured
  int sample, k;                  // under way
  double *factor[FB_DAMPING + 1]; // [nj] by axis; of damping [n]
  int ago;                        // what is seen was there `ago` knots before, and the share
  double share;                   // in [0,1) of the step from there
  double *first;                  // [nx] the start
  double *past;                   // [(N+1) x nx] the states so far, each that share after its knot
  double *plan;                   // [6n] (q,v) of it at two knots and between
  double *y;                      // [nx] what is seen, (q,p)
  double *q, *v;                  // [n]
  double *x;                      // [nx] the machine's state
  double *u, *between;            // [nu] what acts, and in a part of the step
};

static void lay_out_mismatch(void *self, dm_block *b) {
  fb_mismatch *w = self;
  size_t nx = (size_t)w->f->nx, nj = (size_t)w->machines.nj;

  // factors by link, added damping by coordinate, all states of a run for what comes late
  for (int a = FB_MASS; a < FB_DAMPING; a++) w->factor[a] = dm_block_alloc(b, nj, sizeof(double));
  w->factor[FB_DAMPING] = dm_block_alloc(b, nx / 2, sizeof(double));
  w->first = dm_block_alloc(b, nx, sizeof *w->first);
  w->plan = dm_block_alloc(b, 3 * nx, sizeof *w->plan);
  w->between = dm_block_alloc(b, (size_t)w->f->nu, sizeof *w->between);
  w->past = dm_block_alloc(b, ((size_t)w->f->N + 1) * nx, sizeof *w->past);
  w->y = dm_block_alloc(b, nx, sizeof *w->y);
  w->q = dm_block_alloc(b, nx / 2, sizeof *w->q);
  w->v = dm_block_alloc(b, nx / 2, sizeof *w->v);
  w->x = dm_block_alloc(b, nx, sizeof *w->x);
  w->u = dm_block_alloc(b, (size_t)w->f->nu, sizeof *w->u);
}

dm_status fb_mismatch_new(fb_mismatch **out, const fb_tvlqr *f, const dm_system *s,
                          const fb_perturbed_models *machines, const fb_mismatch_settings *set,
                          const fb_sensor *inner) {
  fb_mismatch sizes = {.f = f, .s = s, .set = *set, .machines = *machines, .inner = inner};
  assert(out && f->nx == 2 * s->L.nq && machines->build && set->delay >= 0);
  fb_mismatch *w = dm_block_make(&sizes, sizeof sizes, lay_out_mismatch);
  if (!w) return DM_NO_MEMORY;

  // the model's mechanics, which p = M(q) v is of
  dm_status status = dm_continuous_new(&w->model, s);
  if (status != DM_OK) {
    fb_mismatch_free(w);
    return status;
  }
  fb_mismatch_levels(w, 1);
  *out = w;
  return DM_OK;
}

void fb_mismatch_free(fb_mismatch *w) {
  if (!w) return;
  dm_continuous_free(w->machine);
  dm_continuous_free(w->model);
  dm_block_free(w);
}

void fb_mismatch_levels(fb_mismatch *w, double level) {
  for (int a = 0; a < FB_AXES; a++) w->level[a] = level;
  w->part = -1;
  w->stands = false;
}

void fb_mismatch_level(fb_mismatch *w, fb_axis axis, double level, int part) {
  assert((unsigned)axis < FB_AXES);
  w->level[axis] = level;
  w->part = part;
  w->stands = false;
}

// each axis has numbers of its own
static uint64_t get_axis_seed(const fb_mismatch *w, fb_axis axis) {
  return w->set.seed + ((uint64_t)(axis + 1) << 40);
}

// whether the machine is another than the model
static bool has_model_errors(const fb_mismatch *w) {
  for (int a = FB_MASS; a <= FB_DAMPING; a++)
    if (w->level[a] * w->set.half[a] != 0) return true;
  return false;
}

// factors 1 + level x half-width x uniform of masses, moments and lengths, and added damping; of
// one part alone 1 in the place of the uniform number
static void draw_factors(fb_mismatch *w, int sample) {
  for (int a = FB_MASS; a <= FB_DAMPING; a++) {
    int n = a == FB_DAMPING ? w->f->nx / 2 : w->machines.nj;
    double size = w->level[a] * w->set.half[a];
    for (int i = 0; i < n; i++) {
      double draw = dm_random_uniform(get_axis_seed(w, (fb_axis)a), sample, (uint64_t)i);
      if (w->part >= 0) draw = w->part == i;
      w->factor[a][i] = (a != FB_DAMPING) + size * draw;
    }
  }
}

// the machine of a sample
static dm_status make_machine(fb_mismatch *w, int sample) {
  // one that is no sample's own, the model or that of one part's error, is kept
  bool errors = has_model_errors(w);
  if (w->stands && (!errors || w->part >= 0)) return DM_OK;
  w->stands = false;

  // how it differs; lengths only where they do, since joints move with them
  draw_factors(w, sample);
  bool lengths = w->level[FB_LENGTH] * w->set.half[FB_LENGTH] != 0;
  const dm_change c = {w->factor[FB_MASS], w->factor[FB_INERTIA],
                       lengths ? w->factor[FB_LENGTH] : NULL, w->factor[FB_DAMPING]};

  // its plant, and its mechanics where they are not the model's
  const dm_system *system;
  dm_continuous_free(w->machine);
  w->machine = NULL;
  DM_TRY(w->machines.build(w->machines.self, errors ? &c : NULL, &w->plant, &system));
  if (errors) DM_TRY(dm_continuous_new(&w->machine, system));

  // until levels change, or the next sample draws
  w->stands = true;
  return DM_OK;
}

static void begin_machine(void *self, int sample) {
  fb_mismatch *w = self;
  w->sample = sample;
  w->failed = make_machine(w, sample);

  // the delay in steps: whole ones, less a share; 1e-9: rounding of a whole number
  double late = w->level[FB_DELAY] * w->set.delay / w->f->h;
  w->ago = (int)fmin(ceil(late - 1e-9), w->f->N + 1);
  w->share = fmax(w->ago - late, 0);
  if (w->share < 1e-9 || w->ago > w->f->N) w->share = 0;
  if (w->inner) w->inner->begin(w->inner->self, sample);
}

// (q,p) of one model from (q,p) of another, at the same (q,v): p' = M' M^-1 p; in place
static dm_status translate_momentum(fb_mismatch *w, dm_continuous *from, dm_continuous *to,
                                    double *x) {
  int n = w->f->nx / 2;
  memset(w->v, 0, (size_t)n * sizeof *w->v);
  DM_TRY(dm_configuration_of(from, x, w->q, w->v));
  return dm_state_of(to, w->q, w->v, x);
}

// normal number i [n] of an axis at knot k
static double draw_normal(const fb_mismatch *w, fb_axis axis, int k, int n, int i) {
  return dm_random_normal(get_axis_seed(w, axis), w->sample,
                          (uint64_t)k * (uint64_t)n + (uint64_t)i);
}

// the state of t - delay; before the start it stood there
static void recall_delayed_state(fb_mismatch *w, int k) {
  size_t nx = (size_t)w->f->nx;
  const double *x = k < w->ago ? w->first : dm_row(w->past, k - w->ago, nx);
  memcpy(w->y, x, nx * sizeof *x);
}

// (q,v) [2n] of the plan at knot k
static dm_status find_plan_motion(fb_mismatch *w, int k, double *y) {
  int n = w->f->nx / 2;
  memset(y + n, 0, (size_t)n * sizeof *y);
  return dm_configuration_of(w->model, dm_row(w->f->x, k, w->f->nx), y, y + n);
}

// y <- y_d(t) + y - y_d(t - delay), y_d by the cubic of (q,v) and the line of p between knots
static dm_status date_measurement(fb_mismatch *w, int k) {
  const int nx = w->f->nx, n = nx / 2, from = k < w->ago ? 0 : k - w->ago;
  const double part = k < w->ago ? 0 : w->share, h = w->f->h;
  const double *x = dm_row(w->f->x, k, nx), *x0 = dm_row(w->f->x, from, nx);
  double *at = w->plan, *next = at + nx, *then = next + nx;
  if (w->ago == 0 || w->set.dating == FB_UNDATED) return DM_OK;

  // y_d(t - delay) as (q,v)
  DM_TRY(find_plan_motion(w, from, at));
  DM_TRY(find_plan_motion(w, from + (part > 0), next));
  memcpy(then, at, (size_t)nx * sizeof *at);
  if (part > 0) fb_plan_cubic(n, h, part, at, at + n, next, next + n, then, then + n);

  // by (q,p): the q of a state is that of the plan, which may lag behind what is there
  if (w->set.dating == FB_DATED_STATE) {
    for (int i = 0; i < n; i++) w->y[i] += x[i] - (x0[i] + then[i] - at[i]);
    for (int i = n; i < nx; i++)
      w->y[i] += x[i] - x0[i] - (part > 0 ? part * (x0[nx + i] - x0[i]) : 0);
    return DM_OK;
  }

  // by (q,v): the plan's now, with the error of then
  memset(w->v, 0, (size_t)n * sizeof *w->v);
  DM_TRY(dm_configuration_of(w->model, w->y, w->q, w->v));
  DM_TRY(find_plan_motion(w, k, at));
  for (int i = 0; i < n; i++) w->q[i] += at[i] - then[i];
  for (int i = 0; i < n; i++) w->v[i] += at[n + i] - then[n + i];
  return dm_state_of(w->model, w->q, w->v, w->y);
}

// noise in (q,v), told as (q,p)
static dm_status add_sensor_noise(fb_mismatch *w, int k) {
  int n = w->f->nx / 2;
  const double *q = w->level[FB_MEASURED_Q] != 0 ? w->set.q : NULL;
  const double *v = w->level[FB_MEASURED_V] != 0 ? w->set.v : NULL;
  if (!q && !v) return DM_OK;

  // through the model's velocity, since it is v that is noisy
  memset(w->v, 0, (size_t)n * sizeof *w->v);
  DM_TRY(dm_configuration_of(w->model, w->y, w->q, w->v));
  for (int i = 0; i < n; i++) {
    if (q) w->q[i] += w->level[FB_MEASURED_Q] * q[i] * draw_normal(w, FB_MEASURED_Q, k, n, i);
    if (v) w->v[i] += w->level[FB_MEASURED_V] * v[i] * draw_normal(w, FB_MEASURED_V, k, n, i);
  }
  return dm_state_of(w->model, w->q, w->v, w->y);
}

// what the law is given of the state x: late, noisy, and through what sees by it
static const double *measure_machine(void *self, int k, const double *x) {
  fb_mismatch *w = self;
  size_t nx = (size_t)w->f->nx;

  // record x, so that later knots may see it, or, in the step, what it becomes; a failure shows
  // there
  w->k = k;
  if (k == 0) memcpy(w->first, x, nx * sizeof *x);
  memcpy(dm_row(w->past, k, nx), x, nx * sizeof *x);
  recall_delayed_state(w, k);
  if (w->failed == DM_OK) w->failed = add_sensor_noise(w, k);
  if (w->failed == DM_OK) w->failed = date_measurement(w, k);
  return w->inner ? w->inner->measure(w->inner->self, k, w->y) : w->y;
}

static void pass_input_on(void *self, int k, const double *u, double *x) {
  fb_mismatch *w = self;
  if (w->inner) w->inner->act(w->inner->self, k, u, x);
}

// a step of the machine from x, in the model's momenta: x stays where any of it fails
static dm_status move_machine(fb_mismatch *w, double *x, const double *u, double h) {
  if (!w->machine) return w->plant->step(w->plant->self, x, u, h);

  // from the model's momenta to the machine's and back
  memcpy(w->x, x, (size_t)w->f->nx * sizeof *x);
  dm_status s = translate_momentum(w, w->model, w->machine, w->x);
  if (s == DM_OK) s = w->plant->step(w->plant->self, w->x, u, h);
  if (s == DM_OK) s = translate_momentum(w, w->machine, w->model, w->x);
  if (s == DM_OK) memcpy(x, w->x, (size_t)w->f->nx * sizeof *x);
  return s;
}

// where the machine is at that share of its step from x under w->u, into its past
static dm_status record_between(fb_mismatch *w, const double *x) {
  const dm_system *s = w->s;
  const int n = w->f->nx / 2, nu = w->f->nu;
  double *past = dm_row(w->past, w->k, w->f->nx), *u = w->between;

  // what is told a place goes that share of the way
  memcpy(u, w->u, (size_t)nu * sizeof *u);
  for (int i = 0, j = s->nu; i < n && s->nk; i++) {
    if (!s->kinematic[i]) continue;
    u[j] = x[i] + w->share * (u[j] - x[i]);
    j++;
  }
  return move_machine(w, past, u, w->share * w->f->h);
}

// the plant's step: what could not be made or measured shows here, since a sensor cannot fail
static dm_status step_machine(void *self, double *x, const double *u, double h) {
  fb_mismatch *w = self;
  int nu = w->f->nu;
  double size = w->set.torque ? w->level[FB_TORQUE] : 0;
  if (w->failed != DM_OK) return w->failed;

  // what motors give
  for (int i = 0; i < nu; i++) {
    double noise = size != 0 ? size * w->set.torque[i] * draw_normal(w, FB_TORQUE, w->k, nu, i) : 0;
    w->u[i] = u[i] + noise;
  }
  if (w->share > 0) DM_TRY(record_between(w, x));
  return move_machine(w, x, w->u, h);
}

fb_plant fb_mismatch_plant(fb_mismatch *w) {
  return (fb_plant){.n = w->f->nx / 2, .nu = w->f->nu, .self = w, .step = step_machine};
}

fb_sensor fb_mismatch_sensor(fb_mismatch *w) {
  return (fb_sensor){
      .self = w, .begin = begin_machine, .measure = measure_machine, .act = pass_input_on};
}
