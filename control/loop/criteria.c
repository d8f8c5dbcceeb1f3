#include "control/loop/criteria.h"

#include "control/loop/closed_loop.h"
#include "lib/base/block.h"
#include "lib/base/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define NAME_WORD(name, word, part) word,
const char *const fb_varied_words[] = {FB_VARIED(NAME_WORD) NULL};
#undef NAME_WORD

fb_part_kind fb_varied_part(fb_varied what) {
#define NAME_PART(name, word, part) part,
  static const fb_part_kind kinds[] = {FB_VARIED(NAME_PART)};
#undef NAME_PART
  return kinds[what];
}

struct fb_criteria {
  const dm_system *model;
  fb_perturbed_models machines;
  fb_criteria_settings set;
  fb_trial *trial;
  const fb_tvlqr *law;
  fb_output_errors *outputs; // NULL: no output has a bound
  int n, nj, max_pushes;
  bool changed;           // the trial's machine differs from the model
  double *factor, *added; // [nj] per link; [n] per coordinate
  fb_push *push;          // [max_pushes]
  double *time, *y;       // [max_pushes] of pushes; [2n] end of a run
  double *encoder;        // [n] encoder steps of a level
  double *allowed;        // [n] how far positions may exceed their limits
};

static void lay_out_criteria(void *self, dm_block *b) {
  fb_criteria *w = self;
  w->factor = dm_block_alloc(b, (size_t)w->nj, sizeof *w->factor);
  w->added = dm_block_alloc(b, (size_t)w->n, sizeof *w->added);
  w->push = dm_block_alloc(b, (size_t)w->max_pushes, sizeof *w->push);
  w->time = dm_block_alloc(b, (size_t)w->max_pushes, sizeof *w->time);
  w->y = dm_block_alloc(b, 2 * (size_t)w->n, sizeof *w->y);
  w->encoder = dm_block_alloc(b, (size_t)w->n, sizeof *w->encoder);
  w->allowed = dm_block_alloc(b, (size_t)w->n, sizeof *w->allowed);
}

// the outputs along the plan, the reference for all runs
static dm_status plan_outputs(fb_criteria *w) {
  if (!w->set.outputs) return DM_OK;
  DM_TRY(fb_output_errors_new(&w->outputs, w->set.outputs, w->law->N, w->law->h));
  for (int k = 0; k <= w->law->N; k++) {
    DM_TRY(fb_trial_planned(w->trial, k, w->y));
    DM_TRY(fb_output_errors_plan(w->outputs, k, w->y, w->y + w->n));
  }
  return DM_OK;
}

dm_status fb_criteria_new(fb_criteria **out, const fb_tvlqr *law, const dm_system *model,
                          const fb_perturbed_models *machines, const fb_criteria_settings *set,
                          int max_pushes, double step) {
  fb_criteria sizes = {.model = model, .machines = *machines, .set = *set, .law = law};
  sizes.n = model->L.nq;
  sizes.nj = machines->nj;
  sizes.max_pushes = max_pushes;
  *out = NULL;
  fb_criteria *w = dm_block_make(&sizes, sizeof sizes, lay_out_criteria);
  if (!w) return DM_NO_MEMORY;
  dm_status status = fb_trial_new(&w->trial, law, model, step);
  if (set->limit) fb_limits_allow(set->limit->q, w->n, set->tolerance, set->scale, w->allowed);
  if (status == DM_OK && set->stops) status = fb_trial_stops(w->trial, set->stops);
  if (status == DM_OK) status = plan_outputs(w);
  if (status != DM_OK) {
    fb_criteria_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void fb_criteria_free(fb_criteria *w) {
  if (!w) return;
  fb_output_errors_free(w->outputs);
  fb_trial_free(w->trial);
  dm_block_free(w);
}

double fb_criterion_level(const fb_criterion *row, int k) {
  if (row->levels < 2) return row->to;
  return row->from + (row->to - row->from) * k / (row->levels - 1);
}

int fb_criterion_pushes(const fb_criterion *row, int n) {
  if (row->vary != FB_VARY_PUSHES) return 0;
  return row->count * (row->part < 0 ? n : 1);
}

// the slack that gaps leave [s]; below 0: none
static double find_room(const fb_criterion *row, int pushes, double T) {
  return T - (pushes + 1) * row->gap;
}

bool fb_criterion_fits(const fb_criterion *row, int n, double T) {
  const int pushes = fb_criterion_pushes(row, n);
  return !pushes || find_room(row, pushes, T) >= 0;
}

// -- the machine of a level

// a value for the varied part, another one elsewhere
static void fill_part(double *x, int n, int part, double value, double other) {
  for (int i = 0; i < n; i++) x[i] = part < 0 || part == i ? value : other;
}

// the change that a level asks for; false: this row does not vary the machine
static bool find_change(fb_criteria *w, const fb_criterion *row, double at, dm_change *c) {
  const struct {
    fb_varied what;
    const double **goes_to;
  } fields[] = {{FB_VARY_MASS, &c->mass},       {FB_VARY_CENTRE, &c->length},
                {FB_VARY_INERTIA, &c->inertia}, {FB_VARY_ROTOR, &c->armature},
                {FB_VARY_DAMPING, &c->damping}, {FB_VARY_FRICTION, &c->friction}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (fields[i].what != row->vary) continue;

    // factors of links, 1 elsewhere; values added to coordinates, 0 elsewhere
    bool link = fb_varied_part(row->vary) == FB_PART_LINK;
    double *x = link ? w->factor : w->added;
    fill_part(x, link ? w->nj : w->n, row->part, at, link);
    *fields[i].goes_to = x;
    return true;
  }
  return false;
}

// give the law the machine of a level; *exists: the machine exists
static dm_status take_machine(fb_criteria *w, const fb_criterion *row, double at, bool *exists) {
  const fb_plant *plant;
  const dm_system *system;
  dm_change c = {.about_joint = true};
  bool varied = find_change(w, row, at, &c);
  *exists = true;

  // back to the model
  if (!varied && !w->changed) return DM_OK;
  if (!varied) {
    w->changed = false;
    return fb_trial_machine(w->trial, w->model);
  }

  // parameters without a positive definite mass matrix are not a machine
  w->changed = true;
  dm_status s = w->machines.build(w->machines.self, &c, &plant, &system);
  *exists = s == DM_OK;
  if (s != DM_OK) return s == DM_NO_MEMORY ? s : DM_OK;
  return fb_trial_machine(w->trial, system);
}

// -- other disturbances

static double draw_between(double low, double high, uint64_t seed, int sample, int i) {
  return low + (high - low) * (1 + dm_random_uniform(seed, sample, (uint64_t)i)) / 2;
}

// times separated by a gap plus a random share of the slack, in random order
static void draw_times(double *time, int count, double gap, double room, uint64_t seed,
                       int sample) {
  for (int i = 0; i < count; i++) {
    double before = i ? time[i - 1] : 0;
    time[i] = before + gap + draw_between(0, room, seed, sample, i);
  }

  // Fisher and Yates
  for (int i = count - 1; i > 0; i--) {
    int j = (int)fmin(draw_between(0, i + 1, seed, sample, count + i), i);
    double swap = time[i];
    time[i] = time[j];
    time[j] = swap;
  }
}

// the pushes of a run within T
static void draw_pushes(fb_criteria *w, const fb_criterion *row, double T, fb_disturbance *d) {
  const int all = fb_criterion_pushes(row, w->n);
  const uint64_t seed = d->seed + ((uint64_t)9 << 40);
  assert(all <= w->max_pushes);
  draw_times(w->time, all, row->gap, fmax(0, find_room(row, all, T) / all), seed, d->sample);

  // per coordinate, with either sign
  for (int i = 0; i < all; i++) {
    int at = 2 * all + 3 * i;
    fb_push *p = &w->push[i];
    p->coord = row->part < 0 ? i / row->count : row->part;
    p->at = w->time[i];
    p->width = draw_between(row->width[0], row->width[1], seed, d->sample, at);
    p->height = draw_between(row->from, row->to, seed, d->sample, at + 1);
    if (dm_random_uniform(seed, d->sample, (uint64_t)at + 2) < 0) p->height = -p->height;
  }
  d->push = w->push;
  d->pushes = all;
}

// the disturbances of a level other than its machine
static void set_disturbance(fb_criteria *w, const fb_criterion *row, double at, double T,
                            fb_disturbance *d) {
  double *const numbers[FB_VARIED_COUNT] = {[FB_VARY_Q] = &d->noise_q,
                                            [FB_VARY_V] = &d->noise_v,
                                            [FB_VARY_TORQUE] = &d->noise_u,
                                            [FB_VARY_RESPONSE] = &d->response,
                                            [FB_VARY_DELAY] = &d->delay};
  d->encoder = w->set.encoder;
  d->readings = w->set.readings;
  d->differences = w->set.differences;
  if (numbers[row->vary]) *numbers[row->vary] = at;
  if (row->vary == FB_VARY_PUSHES) draw_pushes(w, row, T, d);
  if (row->vary != FB_VARY_ENCODERS) return;

  // the same step for all encoders, instead of the step common to all runs
  for (int i = 0; i < w->n; i++) w->encoder[i] = at;
  d->encoder = w->encoder;
}

// -- a level

// whether the remaining runs can still decide the majority
static bool is_undecided(const fb_criterion *row, int ran, int held) {
  return ran < row->repeats && 2 * held <= row->repeats &&
         2 * (held + row->repeats - ran) > row->repeats;
}

// whether a knot of the run exceeded a position limit
static bool has_passed_limit(const fb_criteria *w) {
  double by;
  if (!w->set.limit || w->set.limit_use != FB_LIMITS_FAIL) return false;
  for (int k = 0; k <= w->law->N; k++)
    if (fb_limits_passed(w->set.limit->q, w->n, fb_trial_state(w->trial, k), w->allowed, &by) >= 0)
      return true;
  return false;
}

// whether the run that ended at w->y succeeded
static bool is_run_survived(fb_criteria *w) {
  if (has_passed_limit(w)) return false;
  const double error =
      fb_closed_loop_error(2 * w->n, w->y, fb_trial_end(w->trial), w->set.scale, NULL);
  if (!(error <= w->set.tolerance)) return false;
  if (!w->outputs) return true;
  fb_output_errors_begin(w->outputs);
  for (int k = 0; k <= w->law->N; k++) {
    const double *y = fb_trial_state(w->trial, k);
    if (fb_output_errors_add(w->outputs, k, y, y + w->n) != DM_OK) return false;
  }
  return fb_output_errors_within(w->set.outputs, w->outputs->error);
}

dm_status fb_criteria_run(fb_criteria *w, const fb_criterion *row, int level, bool *survived) {
  const double at = fb_criterion_level(row, level);
  const double T = fb_trial_time(w->trial);
  bool exists;
  int held = 0;
  *survived = false;
  DM_TRY(take_machine(w, row, at, &exists));

  // runs of one level differ by their random draws; stop when the majority is decided
  for (int r = 0; exists && is_undecided(row, r, held); r++) {
    fb_disturbance d = fb_disturbance_none();
    d.seed = w->set.seed + ((uint64_t)(row->vary + 1) << 48);
    d.sample = level * row->repeats + r;
    set_disturbance(w, row, at, T, &d);
    if (fb_trial_run(w->trial, &d, w->set.u_min, w->set.u_max, w->y) != DM_OK) continue;
    held += is_run_survived(w);
  }
  *survived = 2 * held > row->repeats;
  return DM_OK;
}

// -- the score

int fb_criterion_sum(const fb_criterion *row, int rows, int i, const int *survived, int *held) {
  int levels = 0;
  *held = 0;
  for (int j = 0; j < rows; j++) {
    if (strcmp(row[j].name, row[i].name) != 0) continue;
    if (j < i) return 0;
    levels += row[j].levels;
    if (survived) *held += survived[j];
  }
  return levels;
}

double fb_criteria_mean(const fb_criterion *row, int rows, const double *chance) {
  double sum = 0;
  int criteria = 0, none;
  for (int i = 0; i < rows; i++) {
    // the levels of all rows with one name, row by row
    const int levels = fb_criterion_sum(row, rows, i, NULL, &none);
    const double *level = chance;
    for (int j = 0; levels && j < rows; level += row[j++].levels)
      for (int l = 0; !strcmp(row[j].name, row[i].name) && l < row[j].levels; l++)
        sum += level[l] / levels;
    criteria += levels > 0;
  }
  return criteria ? sum / criteria : NAN;
}

double fb_criteria_score(const fb_criterion *row, int rows, const int *survived) {
  double sum = 0;
  int criteria = 0, held;
  for (int i = 0; i < rows; i++) {
    int levels = fb_criterion_sum(row, rows, i, survived, &held);
    if (!levels) continue;
    sum += (double)held / levels;
    criteria++;
  }
  return criteria ? sum / criteria : NAN;
}

double fb_criteria_gain(const fb_criterion *row, int rows, const bool *before, const bool *after,
                        double *error) {
  double gain = 0, square = 0;
  int criteria = 0, none;
  for (int i = 0; i < rows; i++) {
    const int levels = fb_criterion_sum(row, rows, i, NULL, &none);
    int won = 0, lost = 0, at = 0;
    for (int j = 0; levels && j < rows; at += row[j++].levels)
      for (int l = at; !strcmp(row[j].name, row[i].name) && l < at + row[j].levels; l++) {
        won += after[l] && !before[l];
        lost += before[l] && !after[l];
      }
    if (!levels) continue;

    // the mean of differences -1, 0, 1 over the levels, and its variance
    const double mean = (double)(won - lost) / levels;
    gain += mean;
    square += ((double)(won + lost) / levels - mean * mean) / levels;
    criteria++;
  }
  *error = criteria ? sqrt(square) / criteria : NAN;
  return criteria ? gain / criteria : NAN;
}
