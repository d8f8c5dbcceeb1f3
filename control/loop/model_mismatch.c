#include "control/loop/model_mismatch.h"

#include "control/feedback/motor.h"
#include "control/loop/push.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define X(name, word, what) word,
const char *const fb_axis_names[FB_AXES] = {FB_AXIS_LIST(X)};
#undef X

bool fb_axis_is(fb_axis axis, int flags) {
#define X(name, word, what) what,
  static const int is[FB_AXES] = {FB_AXIS_LIST(X)};
#undef X
  return (is[axis] & flags) == flags;
}

double fb_mismatch_size(const fb_mismatch_settings *set, fb_axis axis) {
  const double *const by[FB_AXES] = {
      [FB_MEASURED_Q] = set->q,      [FB_MEASURED_V] = set->v,      [FB_TORQUE] = set->torque,
      [FB_QUANTIZED] = set->encoder, [FB_READINGS] = set->readings, [FB_FRICTION] = set->friction};
  if (axis == FB_PUSHES) return set->pushes.count > 0;
  if (axis == FB_PART) return set->nparts > 0;
  if (axis == FB_FIT) return set->fit != NULL;
  return by[axis] ? 1 : set->size[axis];
}

double fb_mismatch_share(const fb_mismatch_settings *set, fb_axis axis) {
  double most = 0;
  if (axis == FB_MASS || axis == FB_INERTIA || axis == FB_LENGTH || axis == FB_GRIP)
    return set->size[axis];
  for (int i = 0; axis == FB_PART && i < set->nparts; i++)
    if (!set->part[i].at.parameter->added) most = fmax(most, set->part[i].size);
  return most;
}

struct fb_mismatch {
  const fb_tvlqr *f;
  const dm_system *s; // of the model
  fb_mismatch_settings set;
  fb_perturbed_models machines;
  const fb_sensor *inner;
  double level[FB_AXES];
  int part;                       // the part with an error, or -1: all parts are drawn
  dm_continuous *model;           // momenta of the model
  dm_continuous *machine;         // momenta of the machine; NULL: it is the model
  const fb_plant *plant;          // of the machine
  bool stands;                    // the plant matches the current levels
  dm_status failed;               // failure while making a machine or measuring
  int sample, k;                  // current sample and step
  double *factor[FB_DAMPING + 1]; // [nj] by axis; [n] for damping
  double *friction;               // [n] per coordinate
  dm_part_error *error;           // [nparts + those of the fit] of parameters of parts
  fb_fitted_draw drawn;           // the machine of a fit
  double *response;               // [nu] factors of forces
  fb_push *pushes;                // [n x count]
  double *past;                   // [(N+1) x nx] the states so far
  double *old, *new;              // [N x nu] inputs before the call of a step takes effect, and
                                  // after
  double *cut;                    // [N] the fraction of the step at which it takes effect
  double *motor;                  // [(N+1) x nu] motor outputs at the knots
  double seen, seen_before;       // time of the current and the previous measurement, in steps
  double *shown, *shown_before;   // [n] positions for differences, current and previous
  double *y;                      // [nx] measured state, (q,p)
  double *q, *v;                  // [n]
  double *x, *part_x;             // [nx] the machine's state; a state within a step
  double *u, *torque;             // [nu] input during a part of a step; motor output at its end
  double *kick;                   // [2n] pushes in a part of a step: first half, second half
};

static void lay_out_mismatch(void *self, dm_block *b) {
  fb_mismatch *w = self;
  size_t nx = (size_t)w->f->nx, nj = (size_t)w->machines.nj;
  size_t N = (size_t)w->f->N, nu = (size_t)w->f->nu;

  // factors by link, added damping by coordinate, all states of a run for late measurements
  for (int a = FB_MASS; a < FB_DAMPING; a++) w->factor[a] = dm_block_alloc(b, nj, sizeof(double));
  w->factor[FB_DAMPING] = dm_block_alloc(b, nx / 2, sizeof(double));
  w->friction = dm_block_alloc(b, nx / 2, sizeof *w->friction);
  const fb_fitted *fit = w->set.fit;
  w->error = dm_block_alloc(b, (size_t)(w->set.nparts + (fit ? fit->n : 0)), sizeof *w->error);
  fb_fitted_lay_out(fit, &w->drawn, b);
  w->response = dm_block_alloc(b, nu, sizeof *w->response);
  w->pushes = dm_block_alloc(b, nx / 2 * (size_t)w->set.pushes.count, sizeof *w->pushes);

  // a run: states, applied inputs, and positions as encoders showed them
  w->past = dm_block_alloc(b, (N + 1) * nx, sizeof *w->past);
  w->old = dm_block_alloc(b, N * nu, sizeof *w->old);
  w->new = dm_block_alloc(b, N * nu, sizeof *w->new);
  w->cut = dm_block_alloc(b, N, sizeof *w->cut);
  w->motor = dm_block_alloc(b, (N + 1) * nu, sizeof *w->motor);
  w->shown = dm_block_alloc(b, nx / 2, sizeof *w->shown);
  w->shown_before = dm_block_alloc(b, nx / 2, sizeof *w->shown_before);

  // scratch
  w->y = dm_block_alloc(b, nx, sizeof *w->y);
  w->q = dm_block_alloc(b, nx / 2, sizeof *w->q);
  w->v = dm_block_alloc(b, nx / 2, sizeof *w->v);
  w->x = dm_block_alloc(b, nx, sizeof *w->x);
  w->part_x = dm_block_alloc(b, nx, sizeof *w->part_x);
  w->u = dm_block_alloc(b, nu, sizeof *w->u);
  w->torque = dm_block_alloc(b, nu, sizeof *w->torque);
  w->kick = dm_block_alloc(b, nx, sizeof *w->kick);
}

dm_status fb_mismatch_new(fb_mismatch **out, const fb_tvlqr *f, const dm_system *s,
                          const fb_perturbed_models *machines, const fb_mismatch_settings *set,
                          const fb_sensor *inner) {
  fb_mismatch sizes = {.f = f, .s = s, .set = *set, .machines = *machines, .inner = inner};
  assert(out && f->nx == 2 * s->L.nq && machines->build && set->size[FB_DELAY] >= 0);
  assert(set->size[FB_OFF] >= 0 && set->size[FB_OFF] < 1 && set->pushes.count >= 0);
  *out = NULL;
  if (!fb_pushes_fit(&set->pushes, f->N * f->h)) return DM_BAD_INPUT;
  fb_mismatch *w = dm_block_make(&sizes, sizeof sizes, lay_out_mismatch);
  if (!w) return DM_NO_MEMORY;

  // the model's mechanics, which define p = M(q) v
  dm_status status = dm_continuous_new(&w->model, s);
  if (status != DM_OK) {
    fb_mismatch_free(w);
    return status;
  }
  fb_mismatch_levels(w, 1);
  *out = w;
  return DM_OK;
}

bool fb_pushes_fit(const fb_pushes *p, double T) {
  return p->count < 1 || (p->count - 1) * p->apart <= T;
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

// each axis has its own random numbers
static uint64_t get_axis_seed(const fb_mismatch *w, fb_axis axis) {
  return w->set.seed + ((uint64_t)(axis + 1) << 40);
}

// whether machines have the parameters of a fit
static bool has_fit(const fb_mismatch *w) {
  return w->set.fit && w->level[FB_FIT] != 0;
}

// whether the machine differs from the model
static bool has_model_errors(const fb_mismatch *w) {
  for (int a = FB_MASS; a <= FB_DAMPING; a++)
    if (w->level[a] * w->set.size[a] != 0) return true;
  for (int a = FB_GROUND; a <= FB_GRIP; a++)
    if (w->level[a] * w->set.size[a] != 0) return true;
  return (w->set.friction && w->level[FB_FRICTION] != 0) || (w->set.fit && w->level[FB_FIT] != 0) ||
         (w->set.nparts > 0 && w->level[FB_PART] != 0);
}

// the error of the ground, or of the grip, of a sample
static double draw_contact_error(const fb_mismatch *w, fb_axis axis, int sample) {
  const double draw = w->part >= 0 ? 1 : dm_random_uniform(get_axis_seed(w, axis), sample, 0);
  return w->level[axis] * w->set.size[axis] * draw;
}

// Draw the parameters of a fit; the errors of others then change them.
static dm_status draw_fit(fb_mismatch *w, int sample, dm_change *c) {
  const fb_fitted_draw *x = &w->drawn;
  if (!has_fit(w)) return DM_OK;
  DM_TRY(
      fb_fitted_machine(w->set.fit, get_axis_seed(w, FB_FIT), sample, w->level[FB_FIT], &w->drawn));
  for (int i = 0; i < w->f->nx / 2; i++) {
    w->factor[FB_DAMPING][i] += x->by_coord[FB_FITTED_DAMPING][i];
    w->friction[i] += x->by_coord[FB_FITTED_FRICTION][i];
  }
  for (int j = 0; x->changes_lengths && j < w->machines.nj; j++)
    w->factor[FB_LENGTH][j] *= x->length[j];
  memcpy(w->error, x->error, (size_t)x->nerror * sizeof *w->error);
  c->body = x->body;
  c->armature = x->by_coord[FB_FITTED_ARMATURE];
  c->nparts = x->nerror;
  return DM_OK;
}

// Draw factors 1 + level x half-width x uniform of masses, moments and lengths, and added damping;
// for one part alone, 1 replaces the uniform number.
static void draw_factors(fb_mismatch *w, int sample) {
  for (int a = FB_MASS; a <= FB_DAMPING; a++) {
    int n = a == FB_DAMPING ? w->f->nx / 2 : w->machines.nj;
    double size = w->level[a] * w->set.size[a];
    for (int i = 0; i < n; i++) {
      double draw = dm_random_uniform(get_axis_seed(w, (fb_axis)a), sample, (uint64_t)i);
      if (w->part >= 0) draw = w->part == i;
      if (a == FB_DAMPING && w->set.undamped && w->set.undamped[i]) draw = 0;
      w->factor[a][i] = (a != FB_DAMPING) + size * draw;
    }
  }
}

// the machine of a sample
static dm_status make_machine(fb_mismatch *w, int sample) {
  // a machine that does not depend on the sample (the model, or a single part's error) is kept
  bool errors = has_model_errors(w);
  if (w->stands && (!errors || w->part >= 0)) return DM_OK;
  w->stands = false;

  draw_factors(w, sample);
  for (int i = 0; i < w->f->nx / 2; i++)
    w->friction[i] = w->set.friction ? w->level[FB_FRICTION] * w->set.friction[i] : 0;
  dm_change c = {0};
  DM_TRY(draw_fit(w, sample, &c));

  // errors of the parameters of parts, likewise
  const int nparts = w->level[FB_PART] != 0 ? w->set.nparts : 0;
  for (int i = 0; i < nparts; i++) {
    const fb_part_size *x = &w->set.part[i];
    double draw = dm_random_uniform(get_axis_seed(w, FB_PART), sample, (uint64_t)i);
    if (w->part >= 0) draw = w->part == i;
    const double error = w->level[FB_PART] * x->size * draw;
    w->error[c.nparts++] =
        (dm_part_error){.at = x->at, .amount = x->at.parameter->added ? error : 1 + error};
  }

  bool lengths = w->level[FB_LENGTH] * w->set.size[FB_LENGTH] != 0;
  lengths |= has_fit(w) && w->drawn.changes_lengths;
  c.mass = w->factor[FB_MASS];
  c.inertia = w->factor[FB_INERTIA];
  c.length = lengths ? w->factor[FB_LENGTH] : NULL;
  c.damping = w->factor[FB_DAMPING];
  c.friction = w->set.friction || has_fit(w) ? w->friction : NULL;
  c.part = w->error;
  c.ground = draw_contact_error(w, FB_GROUND, sample);
  c.grip = draw_contact_error(w, FB_GRIP, sample);

  // its plant, and its mechanics if they differ from the model's
  const dm_system *system;
  dm_continuous_free(w->machine);
  w->machine = NULL;
  DM_TRY(w->machines.build(w->machines.self, errors ? &c : NULL, &w->plant, &system));
  if (errors) DM_TRY(dm_continuous_new(&w->machine, system));

  // valid until the levels change or the next sample draws
  w->stands = true;
  return DM_OK;
}

// uniform number i in [0,1) for an axis
static double draw_share(const fb_mismatch *w, fb_axis axis, uint64_t i) {
  return (1 + dm_random_uniform(get_axis_seed(w, axis), w->sample, i)) / 2;
}

// the pushes on one coordinate: uniform among all sequences with the minimum separation
static void draw_pushes(const fb_mismatch *w, int i, fb_push *p) {
  const fb_pushes *set = &w->set.pushes;
  const double room = w->f->N * w->f->h - (set->count - 1) * set->apart;
  const double factor = set->factor ? set->factor[i] : 1;
  for (int j = 0; j < set->count; j++) {
    uint64_t at = 3 * ((uint64_t)i * (uint64_t)set->count + (uint64_t)j);
    double size = dm_random_uniform(get_axis_seed(w, FB_PUSHES), w->sample, at);
    p[j].coord = i;
    p[j].height =
        factor * copysign(set->size[0] + (set->size[1] - set->size[0]) * fabs(size), size);
    p[j].width = set->width[0] + (set->width[1] - set->width[0]) * draw_share(w, FB_PUSHES, at + 1);

    // sort by insertion; then add the minimum separation
    double time = room * draw_share(w, FB_PUSHES, at + 2);
    int before = j;
    for (; before > 0 && p[before - 1].at > time; before--) p[before].at = p[before - 1].at;
    p[before].at = time;
  }
  for (int j = 0; j < set->count; j++) p[j].at += j * set->apart;
}

static void begin_machine(void *self, int sample) {
  fb_mismatch *w = self;
  const int nu = w->f->nu;
  w->sample = sample;
  w->failed = make_machine(w, sample);
  w->k = 0;

  // factors of the motor outputs
  double size = w->level[FB_RESPONSE] * w->set.size[FB_RESPONSE];
  for (int i = 0; i < w->f->nu; i++) {
    double draw = dm_random_uniform(get_axis_seed(w, FB_RESPONSE), w->sample, (uint64_t)i);
    if (w->part >= 0) draw = 1;
    w->response[i] = i < w->s->nu ? 1 + size * draw : 1;
  }

  for (int i = 0; i < w->f->nx / 2; i++) draw_pushes(w, i, w->pushes + i * w->set.pushes.count);

  // motors start at the plan's first output
  const double *first = w->f->lag ? w->f->motor : w->f->u;
  for (int i = 0; i < nu && w->f->N > 0; i++) w->motor[i] = w->response[i] * first[i];
  if (w->inner) w->inner->begin(w->inner->self, sample);
}

// convert (q,p) of one model to (q,p) of another at the same (q,v): p' = M' M^-1 p; in place
static dm_status translate_momentum(fb_mismatch *w, dm_continuous *from, dm_continuous *to,
                                    double *x) {
  int n = w->f->nx / 2;
  memset(w->v, 0, (size_t)n * sizeof *w->v);
  DM_TRY(dm_configuration_of(from, x, w->q, w->v));
  return dm_state_of(to, w->q, w->v, x);
}

// normal number i [n] for an axis at knot k
static double draw_normal(const fb_mismatch *w, fb_axis axis, int k, int n, int i) {
  return dm_random_normal(get_axis_seed(w, axis), w->sample,
                          (uint64_t)k * (uint64_t)n + (uint64_t)i);
}

// a step of the machine from x, in the model's momenta, with pushes at both ends; x is unchanged on
// failure
static dm_status move_machine(fb_mismatch *w, double *x, const double *u, double h,
                              const double *kick) {
  const int n = w->f->nx / 2;
  memcpy(w->x, x, 2 * (size_t)n * sizeof *x);

  // from the model's momenta to the machine's, half of the pushes, the step, the other half
  if (w->machine) DM_TRY(translate_momentum(w, w->model, w->machine, w->x));
  for (int i = 0; kick && i < n; i++) w->x[n + i] += kick[i];
  DM_TRY(w->plant->step(w->plant->self, w->x, u, h));
  for (int i = 0; kick && i < n; i++) w->x[n + i] += kick[n + i];

  // and back
  if (w->machine) DM_TRY(translate_momentum(w, w->machine, w->model, w->x));
  memcpy(x, w->x, 2 * (size_t)n * sizeof *x);
  return DM_OK;
}

// the impulses of all pushes on coordinate i from a to b [s]
static double find_impulse(const fb_mismatch *w, int i, double a, double b) {
  const fb_push *p = w->pushes + i * w->set.pushes.count;
  double sum = 0;
  for (int j = 0; j < w->set.pushes.count; j++) sum += fb_push_impulse(&p[j], a, b);
  return w->level[FB_PUSHES] * sum;
}

// move x from one fraction of step k to another, under the command `told`
static dm_status move_part(fb_mismatch *w, int k, double from, double to, const double *told,
                           double *x) {
  const int n = w->f->nx / 2;
  const double h = w->f->h, a = (k + from) * h, b = (k + to) * h;
  const double *offset = has_fit(w) ? w->drawn.by_coord[FB_FITTED_OFFSET] : NULL;
  const bool pushed = offset || (w->set.pushes.count > 0 && w->level[FB_PUSHES] != 0);
  if (!(to > from)) return DM_OK;

  // w->u: the input on x between two fractions of step k, for the command `told`; updates w->torque
  const int nu = w->f->nu;
  const double more = w->level[FB_LAG] * w->set.size[FB_LAG], time = (to - from) * w->f->h;
  const double size = w->set.torque ? w->level[FB_TORQUE] : 0;

  // forces: the mean of T m' = u - m, which has the same impulse; without a lag, the command
  for (int i = 0; i < w->s->nu; i++) {
    const double lag = more + (w->f->lag ? w->f->lag[i] : 0);
    w->u[i] = fb_motor_mean(w->torque[i], told[i], lag, time);
    w->torque[i] = fb_motor_move(w->torque[i], told[i], fb_motor_share(lag, time));
  }
  for (int i = w->s->nu; i < nu; i++) w->u[i] = told[i];
  for (int i = 0; size != 0 && i < nu; i++)
    w->u[i] += size * w->set.torque[i] * draw_normal(w, FB_TORQUE, k, nu, i);

  // a commanded position is reached at the end of the step, so a part of the step covers its share
  // of the distance
  for (int i = 0, j = w->s->nu; to < 1 && w->s->nk && i < n; i++) {
    if (!w->s->kinematic[i]) continue;
    w->u[j] = x[i] + (to - from) / (1 - from) * (w->u[j] - x[i]);
    j++;
  }

  for (int i = 0; pushed && i < n; i++) {
    w->kick[i] = find_impulse(w, i, a, (a + b) / 2);
    w->kick[n + i] = find_impulse(w, i, (a + b) / 2, b);
    w->kick[i] += offset ? offset[i] * (b - a) / 2 : 0;
    w->kick[n + i] += offset ? offset[i] * (b - a) / 2 : 0;
  }
  return move_machine(w, x, w->u, from > 0 || to < 1 ? (to - from) * h : h,
                      pushed ? w->kick : NULL);
}

// move x from knot k to a fraction of the step: first under the previous command, then under the
// new one
static dm_status move_from_knot(fb_mismatch *w, int k, double to, double *x) {
  const size_t nu = (size_t)w->f->nu;
  const double cut = fmin(w->cut[k], to);
  memcpy(w->torque, dm_row(w->motor, k, nu), nu * sizeof *w->torque);
  DM_TRY(move_part(w, k, 0, cut, dm_row(w->old, k, nu), x));
  return move_part(w, k, cut, to, dm_row(w->new, k, nu), x);
}

// the fraction of step k at which the controller runs
static double find_call(const fb_mismatch *w, int k) {
  return w->level[FB_OFF] * w->set.size[FB_OFF] * draw_share(w, FB_OFF, (uint64_t)k);
}

// the state at the time of the measurement; before the start, the start state
static dm_status recall_state(fb_mismatch *w) {
  const size_t nx = (size_t)w->f->nx;
  const double t = fmax(w->seen, 0);
  const int from = (int)t;
  memcpy(w->part_x, dm_row(w->past, from, nx), nx * sizeof *w->part_x);
  dm_status s = t > from ? move_from_knot(w, from, t - from, w->part_x) : DM_OK;
  if (s == DM_OK) memcpy(w->y, w->part_x, nx * sizeof *w->y);
  return s;
}

// add noise in (q,v) to (q,p)
static dm_status add_sensor_noise(fb_mismatch *w, int k) {
  int n = w->f->nx / 2;
  const double *q = w->level[FB_MEASURED_Q] != 0 ? w->set.q : NULL;
  const double *v = w->level[FB_MEASURED_V] != 0 ? w->set.v : NULL;
  const double *zero = has_fit(w) ? w->drawn.by_coord[FB_FITTED_ENCODER] : NULL;
  if (!q && !v && !zero) return DM_OK;

  // through the model's velocity, since v carries the noise
  memset(w->v, 0, (size_t)n * sizeof *w->v);
  DM_TRY(dm_configuration_of(w->model, w->y, w->q, w->v));
  for (int i = 0; i < n; i++) {
    if (zero) w->q[i] += zero[i];
    if (q) w->q[i] += w->level[FB_MEASURED_Q] * q[i] * draw_normal(w, FB_MEASURED_Q, k, n, i);
    if (v) w->v[i] += w->level[FB_MEASURED_V] * v[i] * draw_normal(w, FB_MEASURED_V, k, n, i);
  }
  return dm_state_of(w->model, w->q, w->v, w->y);
}

// q as encoders show it, in place: with noise, rounded to their steps
static void read_encoders(const fb_mismatch *w, int k, double *q) {
  const int n = w->f->nx / 2;
  const double *noise = w->level[FB_READINGS] != 0 ? w->set.readings : NULL;
  for (int i = 0; i < n; i++) {
    double step = w->set.encoder ? w->level[FB_QUANTIZED] * w->set.encoder[i] : 0;
    if (noise) q[i] += w->level[FB_READINGS] * noise[i] * draw_normal(w, FB_READINGS, k, n, i);
    if (step > 0) q[i] = step * round(q[i] / step);
  }
}

// whether encoders have steps or noise
static bool has_encoders(const fb_mismatch *w) {
  return (w->set.encoder && w->level[FB_QUANTIZED] != 0) ||
         (w->set.readings && w->level[FB_READINGS] != 0);
}

// replace the state by the encoders' measurement, as (q,p)
static dm_status show_encoders(fb_mismatch *w, int k) {
  const int n = w->f->nx / 2;
  const double h = w->f->h, t = fmin(w->seen, 0);
  const size_t bytes = (size_t)n * sizeof(double);
  if (!has_encoders(w)) return DM_OK;

  // before the start, the robot moved at its start velocity; the first call uses a measurement one
  // step earlier
  memset(w->v, 0, bytes);
  DM_TRY(dm_configuration_of(w->model, w->y, w->q, w->v));
  memcpy(w->shown_before, w->shown, bytes);
  for (int i = 0; i < n; i++) w->shown[i] = w->q[i] + t * h * w->v[i];
  if (k == 0) {
    for (int i = 0; i < n; i++) w->shown_before[i] = w->shown[i] - h * w->v[i];
    w->seen_before = w->seen - 1;
    read_encoders(w, w->f->N, w->shown_before);
  }
  read_encoders(w, k, w->shown);
  read_encoders(w, k, w->q);

  // v = (q_k - q_k-1) / (t_k - t_k-1)
  const double time = (w->seen - w->seen_before) * h;
  for (int i = 0; w->set.differences && time > 0 && i < n; i++)
    w->v[i] = (w->shown[i] - w->shown_before[i]) / time;
  return dm_state_of(w->model, w->q, w->v, w->y);
}

// the time of step k's call and the age of its measurement, passed to the sensor and the controller
static void tell_times(const fb_mismatch *w) {
  const double call = w->k + find_call(w, w->k);
  const double t = call * w->f->h, age = (call - w->seen) * w->f->h;
  const fb_controller *by = w->f->by;
  if (w->inner && w->inner->date) w->inner->date(w->inner->self, t, age);
  if (by && by->date) by->date(by->self, t, age);
}

// for a law that uses the previous step: the measurement then, if the last call did not provide it
static dm_status look_back(fb_mismatch *w, int k) {
  const fb_controller *by = w->f->by;
  const double t = w->seen;
  if (!by || !by->look_back || k == 0 || fabs(t - w->seen_before - 1) < 1e-9) return DM_OK;

  // an independent measurement, with random numbers beyond those of calls
  const int draw = w->f->N + 1 + k;
  w->seen = t - 1;
  dm_status s = recall_state(w);
  w->seen = t;
  if (s == DM_OK) s = add_sensor_noise(w, draw);
  if (s == DM_OK && has_encoders(w)) {
    memset(w->v, 0, (size_t)w->f->nx / 2 * sizeof *w->v);
    s = dm_configuration_of(w->model, w->y, w->q, w->v);
    if (s == DM_OK) read_encoders(w, draw, w->q);
    if (s == DM_OK) s = dm_state_of(w->model, w->q, w->v, w->y);
  }
  if (s == DM_OK) by->look_back(by->self, w->y);
  return s;
}

// the law's measurement of the state x: delayed, noisy, and passed through the inner sensor
static const double *measure_machine(void *self, int k, const double *x) {
  fb_mismatch *w = self;
  const size_t nx = (size_t)w->f->nx, nu = (size_t)w->f->nu;

  // record x for later measurements; before the call, the last command acts; a failure shows in the
  // step
  w->k = k;
  memcpy(dm_row(w->past, k, nx), x, nx * sizeof *x);
  const double *told = k > 0 ? dm_row(w->new, k - 1, nu) : w->motor;
  memcpy(dm_row(w->old, k, nu), told, nu * sizeof *told);
  w->cut[k] = 1;
  w->seen_before = w->seen;
  // the time of the measurement in step k's call, in steps; 1e-9: rounding of a whole number
  double t = k + find_call(w, k) - w->level[FB_DELAY] * w->set.size[FB_DELAY] / w->f->h;
  w->seen = fabs(t - round(t)) < 1e-9 ? round(t) : t;
  if (w->failed == DM_OK) w->failed = look_back(w, k);
  if (w->failed == DM_OK) w->failed = recall_state(w);
  if (w->failed == DM_OK) w->failed = add_sensor_noise(w, k);
  if (w->failed == DM_OK) w->failed = show_encoders(w, k);

  // the inner sensor gets the measurement time
  tell_times(w);
  return w->inner ? w->inner->measure(w->inner->self, k, w->y) : w->y;
}

static void pass_input_on(void *self, int k, const double *u, double *x) {
  fb_mismatch *w = self;
  if (w->inner) w->inner->act(w->inner->self, k, u, x);
}

// the plant's step: failures to make a machine or measure are returned here, since a sensor cannot
// fail
static dm_status step_machine(void *self, double *x, const double *u, double h) {
  fb_mismatch *w = self;
  const size_t nu = (size_t)w->f->nu;
  (void)h;
  if (w->failed != DM_OK) return w->failed;

  // the inputs of step k: until when the previous command acts, and the next command
  const int k = w->k;
  double *old = dm_row(w->old, k, nu), *new = dm_row(w->new, k, nu);
  const double *before = k > 0 ? dm_row(w->new, k - 1, nu) : w->motor;
  const double missing = w->level[FB_MISSING] * w->set.size[FB_MISSING];
  const double late = w->level[FB_LATE] * w->set.size[FB_LATE];
  memcpy(old, before, nu * sizeof *old);
  for (size_t i = 0; i < nu; i++) new[i] = w->response[i] * u[i];

  // the call is off its time from when it ran; late by a share of the rest of the step; or missing,
  // if there was a call before
  w->cut[k] = find_call(w, k);
  if (draw_share(w, FB_LATE, 2 * (uint64_t)k) < late)
    w->cut[k] += (1 - w->cut[k]) * draw_share(w, FB_LATE, 2 * (uint64_t)k + 1);
  if (k > 0 && draw_share(w, FB_MISSING, (uint64_t)k) < missing) memcpy(new, old, nu * sizeof *new);

  DM_TRY(move_from_knot(w, w->k, 1, x));
  memcpy(dm_row(w->motor, w->k + 1, nu), w->torque, nu * sizeof *w->torque);
  return DM_OK;
}

fb_plant fb_mismatch_plant(fb_mismatch *w) {
  return (fb_plant){.n = w->f->nx / 2, .nu = w->f->nu, .self = w, .step = step_machine};
}

fb_sensor fb_mismatch_sensor(fb_mismatch *w) {
  return (fb_sensor){.self = w,
                     .begin = begin_machine,
                     .measure = measure_machine,
                     .act = pass_input_on,
                     .acting = w->inner ? w->inner->acting : NULL,
                     .motor = w->inner ? w->inner->motor : NULL};
}
