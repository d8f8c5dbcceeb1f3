// Runs of a controller with one disturbance each, and their score.
#include "control/loop/criteria.h"
#include "lib/multibody/contact_geometry.h"

#include "tests/support/balanced.h"

#include <string.h>

// plants with other parameters; the last one is kept
typedef struct works {
  const dm_model *model;
  dm_model *changed;
  dm_system system;
} works;

static dm_status make(void *self, const dm_change *c, const fb_plant **plant,
                      const dm_system **system) {
  works *w = self;
  dm_model_free(w->changed);
  w->changed = NULL;
  *plant = NULL;
  DM_TRY(dm_model_changed(&w->changed, w->model, c));
  w->system = dm_system_of(w->changed);
  *system = &w->system;
  return DM_OK;
}

// the final state of a run, with plant steps of at most `step` seconds
static void run(const balanced *z, double step, const fb_disturbance *d, double *y) {
  fb_trial *w;
  assert_int_equal(fb_trial_new(&w, z->f, &z->s, step), DM_OK);
  assert_int_equal(fb_trial_run(w, d, NULL, NULL, y), DM_OK);
  fb_trial_free(w);
}

static double distance(const double *a, const double *b) {
  double max = 0;
  for (int i = 0; i < 4; i++) max = fmax(max, fabs(a[i] - b[i]));
  return max;
}

static void undisturbed_it_stays_where_it_is_balanced(void **state) {
  (void)state;
  balanced z = balanced_open();
  const fb_disturbance none = fb_disturbance_none();
  fb_trial *w;
  double y[4];
  assert_int_equal(fb_trial_new(&w, z.f, &z.s, 2e-3), DM_OK);
  assert_int_equal(fb_trial_run(w, &none, NULL, NULL, y), DM_OK);
  assert_true(distance(y, fb_trial_end(w)) < 1e-9);
  assert_true(fabs(fb_trial_time(w) - z.f->N * z.f->h) < 1e-12);
  fb_trial_free(w);
  balanced_close(&z);
}

// from a start away from the equilibrium, before it has settled
static void the_plant_is_of_fourth_order(void **state) {
  (void)state;
  balanced z = balanced_open();
  const fb_disturbance none = fb_disturbance_none();
  double y[3][4];
  z.f->x[1] += 0.4;
  z.f->N = 20;
  for (int i = 0; i < 3; i++) run(&z, z.f->h / (1 << i), &none, y[i]);
  double first = distance(y[0], y[1]), second = distance(y[1], y[2]);
  assert_true(first > 1e-10);
  assert_true(fabs(log2(first / second) - 4) < 0.2);
  balanced_close(&z);
}

static void noise_is_the_sample_s_own(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_disturbance d = fb_disturbance_none();
  double y[3][4];
  d.noise_v = 0.01;
  d.noise_u = 0.01;
  d.seed = 3;
  run(&z, 1e-2, &d, y[0]);
  run(&z, 1e-2, &d, y[1]);
  d.sample = 1;
  run(&z, 1e-2, &d, y[2]);
  assert_memory_equal(y[0], y[1], sizeof y[0]);
  assert_true(distance(y[0], y[2]) > 1e-9);
  balanced_close(&z);
}

static void what_comes_late_disturbs_only_what_moves(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_disturbance d = fb_disturbance_none();
  const fb_push push = {.coord = 1, .at = 0.2, .width = 0.05, .height = 0.05};
  double y[4][4];
  run(&z, 1e-2, &d, y[0]);
  d.delay = 2 * z.f->h;
  run(&z, 1e-2, &d, y[1]);
  assert_true(distance(y[0], y[1]) < 1e-9);
  d.push = &push;
  d.pushes = 1;
  run(&z, 1e-2, &d, y[2]);
  d.delay = 0;
  run(&z, 1e-2, &d, y[3]);
  assert_true(distance(y[2], y[3]) > 1e-9);
  balanced_close(&z);
}

// the result for a delay of a fraction of a step lies between its neighbors: it differs from their
// mean only by second order
static void a_part_of_a_step_is_a_delay(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_disturbance d = fb_disturbance_none();
  const double part[] = {0.25, 0.375, 0.5, 1. / 3};
  double y[4][4], mean[4];
  z.f->x[1] += 0.4;
  z.f->N = 20;
  for (int i = 0; i < 4; i++) {
    d.delay = part[i] * z.f->h;
    run(&z, z.f->h / 4, &d, y[i]);
  }

  // the plant's steps are quarters: the second delay is between two of them, and so is the last
  for (int i = 0; i < 4; i++) mean[i] = (y[0][i] + y[2][i]) / 2;
  assert_true(distance(y[0], y[2]) > 1e-6);
  assert_true(distance(y[1], mean) < 0.1 * distance(y[0], y[2]));
  assert_true(distance(y[3], y[1]) < 0.5 * distance(y[0], y[2]) &&
              distance(y[3], y[1]) > 0.05 * distance(y[0], y[2]));
  balanced_close(&z);
}

// the mass matrix (3 entries) of a cart-pole at q
static void find_mass_matrix(const dm_model *m, const double *q, double *M) {
  dm_system s = dm_system_of(m);
  dm_continuous *w;
  double p[2];
  assert_int_equal(dm_continuous_new(&w, &s), DM_OK);
  assert_int_equal(dm_momentum_of(w, q, (const double[]){1, 0}, M), DM_OK);
  assert_int_equal(dm_momentum_of(w, q, (const double[]){0, 1}, p), DM_OK);
  M[2] = p[1];
  dm_continuous_free(w);
}

// for a cart-pole M = [cart + m, m c cos q; ., I]: scale the pole's m and m c, its I, its m c
static void parameters_about_the_joint_vary_alone(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double one[] = {1, 1}, half[] = {1, 0.5}, added[] = {0.2, 0.3}, q[] = {0.3, -0.7};
  const double *const factor[3][3] = {{half, one, one}, {one, half, one}, {one, one, half}};
  double M[3], N[3];
  find_mass_matrix(z.m, q, M);
  for (int i = 0; i < 3; i++) {
    const dm_change c = {.mass = factor[i][0],
                         .inertia = factor[i][1],
                         .length = factor[i][2],
                         .armature = added,
                         .about_joint = true};
    dm_model *m;
    assert_int_equal(dm_model_changed(&m, z.m, &c), DM_OK);
    find_mass_matrix(m, q, N);
    assert_true(fabs(N[0] - M[0] - added[0] + (i == 0 ? 0.5 * z.m->body[1].m : 0)) < 1e-14);
    assert_true(fabs(N[1] - M[1] * (i == 1 ? 1 : 0.5)) < 1e-14);
    assert_true(fabs(N[2] - M[2] * (i == 1 ? 0.5 : 1) - added[1]) < 1e-14);
    dm_model_free(m);
  }
  balanced_close(&z);
}

static const fb_criterion table[] = {
    {.name = "a", .vary = FB_VARY_MASS, .part = 1, .from = 1, .to = 1, .levels = 2, .repeats = 1},
    {.name = "b", .vary = FB_VARY_V, .part = -1, .to = 1e3, .levels = 4, .repeats = 3},
    {.name = "a", .vary = FB_VARY_DELAY, .part = -1, .to = 0, .levels = 6, .repeats = 1},
    {.name = "c",
     .vary = FB_VARY_PUSHES,
     .part = 1,
     .from = 1e-4,
     .to = 1e-3,
     .levels = 3,
     .repeats = 1,
     .count = 2,
     .gap = 0.1,
     .width = {0.05, 0.1}}};

static void a_level_is_survived_by_most_of_its_runs(void **state) {
  (void)state;
  balanced z = balanced_open();
  works shop = {.model = z.m};
  const fb_perturbed_models machines = {.self = &shop, .nj = z.m->nj, .build = make};
  const fb_criteria_settings set = {.seed = 1, .tolerance = 0.1};
  fb_criteria *w;
  int survived[4] = {0};
  assert_int_equal(fb_criteria_new(&w, z.f, &z.s, &machines, &set, 2, 1e-2), DM_OK);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < table[i].levels; k++) {
      bool once, again;
      assert_int_equal(fb_criteria_run(w, &table[i], k, &once), DM_OK);
      assert_int_equal(fb_criteria_run(w, &table[i], k, &again), DM_OK);
      assert_true(once == again);
      survived[i] += once;
    }

  // the model itself, no delay, small pushes: all; for noise only the level without noise
  const int want[] = {2, 1, 6, 3};
  assert_memory_equal(survived, want, sizeof want);
  fb_criteria_free(w);
  dm_model_free(shop.changed);
  balanced_close(&z);
}

static void a_score_is_the_mean_over_names(void **state) {
  (void)state;
  const int survived[] = {1, 1, 3, 3};
  int held;
  assert_int_equal(fb_criterion_sum(table, 4, 0, survived, &held), 8);
  assert_int_equal(held, 4);
  assert_int_equal(fb_criterion_sum(table, 4, 2, survived, &held), 0);
  assert_true(fabs(fb_criteria_score(table, 4, survived) - (0.5 + 0.25 + 1) / 3) < 1e-15);
  assert_true(fb_criterion_level(&table[1], 3) == 1e3 && fb_criterion_level(&table[1], 0) == 0);

  // a single level is the last; without criteria there is no score
  const fb_criterion one = {.name = "d", .from = 1, .to = 3, .levels = 1};
  const bool none[1] = {false};
  const double chance[1] = {0};
  double error = 0;
  assert_true(fb_criterion_level(&one, 0) == 3);
  assert_true(isnan(fb_criteria_score(table, 0, survived)));
  assert_true(isnan(fb_criteria_mean(table, 0, chance)));
  assert_true(isnan(fb_criteria_gain(table, 0, none, none, &error)) && isnan(error));
}

// 2 pushes on each of 3 coordinates need 7 gaps of 0.1 s, on one coordinate 3
static void pushes_have_room_between_gaps(void **state) {
  (void)state;
  fb_criterion row = table[3];
  assert_int_equal(fb_criterion_pushes(&row, 3), 2);
  assert_true(fb_criterion_fits(&row, 3, 0.301) && !fb_criterion_fits(&row, 3, 0.299));
  row.part = -1;
  assert_int_equal(fb_criterion_pushes(&row, 3), 6);
  assert_true(fb_criterion_fits(&row, 3, 0.701) && !fb_criterion_fits(&row, 3, 0.699));
  row.vary = FB_VARY_Q;
  assert_int_equal(fb_criterion_pushes(&row, 3), 0);
  assert_true(fb_criterion_fits(&row, 3, 0));
}

// number of a row's levels that succeed
static int count_survived(const balanced *z, const fb_criteria_settings *set,
                          const fb_criterion *row) {
  works shop = {.model = z->m};
  const fb_perturbed_models machines = {.self = &shop, .nj = z->m->nj, .build = make};
  fb_criteria *w;
  int survived = 0;
  assert_int_equal(fb_criteria_new(&w, z->f, &z->s, &machines, set, 8, 1e-2), DM_OK);
  for (int k = 0; k < row->levels; k++) {
    bool held;
    assert_int_equal(fb_criteria_run(w, row, k, &held), DM_OK);
    survived += held;
  }
  fb_criteria_free(w);
  dm_model_free(shop.changed);
  return survived;
}

static void a_machine_without_a_mass_matrix_is_not_survived(void **state) {
  (void)state;
  balanced z = balanced_open();
  const fb_criteria_settings set = {.seed = 1, .tolerance = 0.1};
  fb_criterion row = {.name = "m", .vary = FB_VARY_ROTOR, .part = -1, .levels = 2, .repeats = 1};
  row.from = -10; // more than the mass of cart and pole
  assert_int_equal(count_survived(&z, &set, &row), 1);

  // the pole's mass is farther out than its moments allow: M is indefinite
  const double one[] = {1, 1}, further[] = {1, 6};
  dm_model *m;
  const dm_change c = {.mass = one, .length = further, .about_joint = true};
  assert_int_equal(dm_model_changed(&m, z.m, &c), DM_BAD_INPUT);
  row = (fb_criterion){.name = "m", .vary = FB_VARY_CENTRE, .part = 1, .levels = 2, .repeats = 1};
  row.from = 6;
  row.to = 1;
  assert_int_equal(count_survived(&z, &set, &row), 1);
  balanced_close(&z);
}

// on each coordinate separately, and small as before; strong ones do not succeed, and with limits
// of 0 on all inputs the pole falls
static void pushes_reach_every_coordinate(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double none[] = {0};
  fb_criteria_settings set = {.seed = 1, .tolerance = 0.1};
  fb_criterion row = table[3];
  row.part = -1;
  assert_int_equal(count_survived(&z, &set, &row), 3);
  set.u_min = set.u_max = none;
  assert_int_equal(count_survived(&z, &set, &row), 0);
  set.u_min = set.u_max = NULL;
  row.from = row.to = 1e3;
  assert_int_equal(count_survived(&z, &set, &row), 0);
  balanced_close(&z);
}

// "a" has 8 levels in two rows, "b" 4
static void a_gain_is_that_of_the_scores(void **state) {
  (void)state;
  bool was[64] = {false}, is[64] = {false};
  double chance[64], error;
  int first[4], levels = 0, before[4] = {0}, after[4] = {0};
  for (int i = 0; i < 4; i++) {
    first[i] = levels;
    levels += table[i].levels;
  }
  assert_true(levels <= 64);

  // two levels won and one lost for "a", one won for "b"
  was[first[0]] = is[first[0] + 1] = is[first[2]] = is[first[1]] = true;
  for (int i = 0; i < 4; i++)
    for (int l = first[i]; l < first[i] + table[i].levels; l++) {
      before[i] += was[l];
      after[i] += is[l];
    }
  const double gain = fb_criteria_gain(table, 4, was, is, &error);
  assert_true(fabs(gain - fb_criteria_score(table, 4, after) +
                   fb_criteria_score(table, 4, before)) < 1e-15);

  // the variance of the mean of n differences d: (<d^2> - <d>^2)/n
  const double a = (3. / 8 - 1. / 64) / 8, b = (1. / 4 - 1. / 16) / 4;
  assert_true(fabs(error - sqrt(a + b) / 3) < 1e-15);

  // probabilities 0 and 1 are the levels themselves
  for (int l = 0; l < levels; l++) chance[l] = is[l];
  assert_true(fabs(fb_criteria_mean(table, 4, chance) - fb_criteria_score(table, 4, after)) <
              1e-15);
  assert_true(fb_criteria_gain(table, 4, is, is, &error) == 0 && error == 0);
}

// the pole's angle
static dm_status eval_pole(const void *self, void *scratch, const double *q, double *y,
                           double *y_q) {
  (void)self;
  (void)scratch;
  y[0] = q[1];
  for (int j = 0; y_q && j < 2; j++) y_q[j] = j == 1;
  return DM_OK;
}

// regardless of the final state, a level succeeds if the outputs stay within their bounds in its
// own run
static void outputs_have_bounds(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_output_bound bound = {.rows = 1, .within = 1e-3};
  const dm_holonomic pole = {.nc = 1, .eval = eval_pole};
  const fb_output_bounds outputs = {.y = dm_output_map_of(pole, 2), .count = 1, .bound = &bound};
  const fb_criteria_settings set = {.seed = 1, .tolerance = 1e9, .outputs = &outputs};
  fb_criterion row = {.name = "t", .vary = FB_VARY_TORQUE, .part = -1, .levels = 2, .repeats = 1};
  row.from = 1;
  assert_int_equal(count_survived(&z, &set, &row), 1); // with noise, then without
  bound.within = 1;
  assert_int_equal(count_survived(&z, &set, &row), 2);
  balanced_close(&z);
}

// a level without its own plant uses the model, regardless of previous levels
static void the_next_level_is_of_the_model_again(void **state) {
  (void)state;
  balanced z = balanced_open();
  works shop = {.model = z.m};
  const fb_perturbed_models machines = {.self = &shop, .nj = z.m->nj, .build = make};
  const fb_criteria_settings set = {.seed = 1, .tolerance = 0.1};
  fb_criterion heavy = {.name = "m", .vary = FB_VARY_ROTOR, .part = -1, .levels = 1, .repeats = 1};
  fb_criterion late = {.name = "d", .vary = FB_VARY_DELAY, .part = -1, .levels = 1, .repeats = 1};
  fb_criteria *w;
  bool held[3];
  heavy.to = 1e3;
  z.f->x[1] += 0.2; // away from its equilibrium, at which every plant stays
  assert_int_equal(fb_criteria_new(&w, z.f, &z.s, &machines, &set, 0, 1e-2), DM_OK);
  assert_int_equal(fb_criteria_run(w, &late, 0, &held[0]), DM_OK);
  assert_int_equal(fb_criteria_run(w, &heavy, 0, &held[1]), DM_OK);
  assert_int_equal(fb_criteria_run(w, &late, 0, &held[2]), DM_OK);
  assert_true(held[0] && !held[1] && held[2]);
  fb_criteria_free(w);
  dm_model_free(shop.changed);
  balanced_close(&z);
}

// final error of a run with the given pushes
static double find_error_under(const balanced *z, const fb_push *push, int pushes) {
  fb_disturbance d = fb_disturbance_none();
  fb_trial *w;
  double y[4];
  d.push = push;
  d.pushes = pushes;
  assert_int_equal(fb_trial_new(&w, z->f, &z->s, 1e-2), DM_OK);
  assert_int_equal(fb_trial_run(w, &d, NULL, NULL, y), DM_OK);
  const double error = fb_closed_loop_error(4, y, fb_trial_end(w), NULL, NULL);
  fb_trial_free(w);
  return error;
}

// if the gaps leave no freedom, the pushes have fixed times: a level succeeds up to a bound between
// the smallest and the largest error of the possible draws
static void pushes_are_where_gaps_leave_them(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double T = z.f->N * z.f->h;
  for (int part = -1; part < 2; part++) {
    const int count = part < 0 ? 2 : 1;
    fb_criterion row = {.name = "p", .vary = FB_VARY_PUSHES, .part = part, .levels = 1};
    row.repeats = row.count = 1;
    row.from = row.to = 0.5;
    row.gap = T / (count + 1);
    row.width[0] = row.width[1] = 0.1;

    // either sign of each, and either order
    double least = INFINITY, most = 0;
    for (int drawn = 0; drawn < 8; drawn++) {
      fb_push push[2];
      for (int i = 0; i < count; i++) {
        const int turn = drawn & 4 ? count - i : i + 1;
        push[i] = (fb_push){.coord = part < 0 ? i : part, .at = turn * row.gap, .width = 0.1};
        push[i].height = drawn & (1 << i) ? 0.5 : -0.5;
      }
      const double error = find_error_under(&z, push, count);
      least = fmin(least, error);
      most = fmax(most, error);
    }
    fb_criteria_settings set = {.seed = 1, .tolerance = 0.999 * least};
    assert_int_equal(count_survived(&z, &set, &row), 0);
    set.tolerance = 1.001 * most;
    assert_int_equal(count_survived(&z, &set, &row), 1);
    assert_true(most < (part < 0 ? 30 : 1.1) * least);
  }
  balanced_close(&z);
}

// records the measurements of a controller that uses its gain schedule
typedef struct witness {
  const fb_tvlqr *f;
  dm_continuous *c;
  double step, before[2];
  bool differences;
} witness;

static void assert_multiple(double x, double step) {
  assert_true(fabs(x / step - round(x / step)) < 1e-6);
}

static dm_status see(void *self, int k, const double *x, double *u) {
  witness *w = self;
  double q[2], v[2] = {0};
  assert_int_equal(dm_configuration_of(w->c, x, q, v), DM_OK);
  for (int i = 0; i < 2; i++) {
    assert_multiple(q[i], w->step);
    if (w->differences) assert_multiple(v[i] * w->f->h, w->step);
    if (w->differences && k > 0) assert_close(v[i], (q[i] - w->before[i]) / w->f->h, 1e-9);
    w->before[i] = q[i];
  }
  fb_tvlqr_input(w->f, k, x, u);
  return DM_OK;
}

// encoders return multiples of their resolution, and velocities are differences of these
static void encoders_show_their_steps(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double steps[] = {1e-3, 1e-3}, any[] = {0, 0}, noise[] = {1e-4, 1e-4};
  witness w = {.f = z.f, .step = 1e-3};
  const fb_controller by = {.self = &w, .input = see};
  double y[4], plain[4];
  assert_int_equal(dm_continuous_new(&w.c, &z.s), DM_OK);
  z.f->x[1] += 0.1;
  fb_disturbance d = fb_disturbance_none();
  run(&z, 1e-2, &d, plain);
  d.encoder = any;
  run(&z, 1e-2, &d, y);
  assert_memory_equal(y, plain, sizeof y);
  z.f->by = &by;
  d.encoder = steps, d.noise_v = 0.01;
  run(&z, 1e-2, &d, y);
  assert_true(distance(y, plain) > 1e-9);
  w.differences = d.differences = true;
  run(&z, 1e-2, &d, y);
  d.readings = noise;
  run(&z, 1e-2, &d, plain);
  assert_true(distance(y, plain) > 1e-9);

  // the noise of v has no effect
  d.readings = NULL, d.noise_v = 0;
  run(&z, 1e-2, &d, plain);
  assert_memory_equal(y, plain, sizeof y);
  z.f->by = NULL;
  dm_continuous_free(w.c);
  balanced_close(&z);
}

// a level sets the resolution in place of the one for all runs; coarse encoders do not succeed
static void coarse_encoders_are_not_survived(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double coarse[] = {1, 1};
  fb_criteria_settings set = {.seed = 1, .tolerance = 0.05, .encoder = coarse, .differences = true};
  fb_criterion row = {.name = "e", .vary = FB_VARY_ENCODERS, .part = -1, .levels = 2, .repeats = 1};
  z.f->x[1] += 0.1;
  row.to = 1;
  assert_int_equal(count_survived(&z, &set, &row), 1);
  row.vary = FB_VARY_DELAY, row.to = 0;
  assert_int_equal(count_survived(&z, &set, &row), 0);
  set.encoder = NULL;
  assert_int_equal(count_survived(&z, &set, &row), 2);
  balanced_close(&z);
}

// the maximum displacement of the cart from a start away from upright
static double find_furthest(const balanced *z, const dm_unilateral *stops) {
  const fb_disturbance none = fb_disturbance_none();
  fb_trial *w;
  double y[4], most = 0;
  assert_int_equal(fb_trial_new(&w, z->f, &z->s, 2e-3), DM_OK);
  assert_int_equal(fb_trial_stops(w, stops), DM_OK);
  assert_int_equal(fb_trial_run(w, &none, NULL, NULL, y), DM_OK);
  for (int k = 0; k <= z->f->N; k++) most = fmax(most, fb_trial_state(w, k)[0]);
  fb_trial_free(w);
  return most;
}

// a run that exceeds a limit fails, unless limits are ignored; stops cannot be passed
static void limits_of_positions_end_runs(void **state) {
  (void)state;
  balanced z = balanced_open();
  z.f->x[1] += 0.1;
  const double furthest = find_furthest(&z, NULL);
  const double low[] = {-INFINITY, -INFINITY}, high[] = {0.9 * furthest, INFINITY};
  const dm_limits limit = {.q = {low, high}};
  fb_criteria_settings set = {.seed = 1, .tolerance = 0.05 * furthest, .limit = &limit};
  fb_criterion row = {.name = "t", .vary = FB_VARY_DELAY, .part = -1, .levels = 1, .repeats = 1};
  assert_true(furthest > 0.02);
  assert_int_equal(count_survived(&z, &set, &row), 0);
  set.limit_use = FB_LIMITS_IGNORE;
  assert_int_equal(count_survived(&z, &set, &row), 1);
  set.limit_use = FB_LIMITS_FAIL, set.tolerance = 0.2 * furthest; // allows the same excess
  assert_int_equal(count_survived(&z, &set, &row), 1);

  dm_contacts *stops;
  dm_message msg;
  const dm_contact stop = {.name = "end", .kind = DM_NOT_ABOVE, .coord = 0, .length = high[0]};
  assert_int_equal(dm_contacts_new(&stops, z.m, 1, &stop, &msg), DM_OK);
  const dm_unilateral g = dm_contacts_unilateral(stops);
  assert_close(find_furthest(&z, &g), high[0], 2e-9);
  dm_contacts_free(stops);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(undisturbed_it_stays_where_it_is_balanced),
      cmocka_unit_test(the_plant_is_of_fourth_order),
      cmocka_unit_test(noise_is_the_sample_s_own),
      cmocka_unit_test(what_comes_late_disturbs_only_what_moves),
      cmocka_unit_test(a_part_of_a_step_is_a_delay),
      cmocka_unit_test(parameters_about_the_joint_vary_alone),
      cmocka_unit_test(a_level_is_survived_by_most_of_its_runs),
      cmocka_unit_test(a_score_is_the_mean_over_names),
      cmocka_unit_test(pushes_have_room_between_gaps),
      cmocka_unit_test(a_machine_without_a_mass_matrix_is_not_survived),
      cmocka_unit_test(pushes_reach_every_coordinate),
      cmocka_unit_test(outputs_have_bounds),
      cmocka_unit_test(encoders_show_their_steps),
      cmocka_unit_test(coarse_encoders_are_not_survived),
      cmocka_unit_test(limits_of_positions_end_runs),
      cmocka_unit_test(the_next_level_is_of_the_model_again),
      cmocka_unit_test(pushes_are_where_gaps_leave_them),
      cmocka_unit_test(a_gain_is_that_of_the_scores),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
