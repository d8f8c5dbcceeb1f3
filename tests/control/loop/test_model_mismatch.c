// Plants that differ from their model, with disturbed measurements: the effect of each error alone.
#include "control/feedback/output_feedback.h"
#include "control/loop/model_mismatch.h"
#include "lib/base/block.h"

#include "control/loop/monte_carlo.h"
#include "lib/multibody/constraint.h"
#include "lib/multibody/tree_lagrangian.h"
#include "tests/support/mismatch.h"

// --- modified models ---

// L at a random state
static double energy(const dm_model *m, uint64_t seed) {
  enum { N = 8 };
  double q[N], v[N], L = 0, L_q[N], L_v[N];
  for (int i = 0; i < m->nq; i++) q[i] = models_random(&seed), v[i] = models_random(&seed);
  dm_lagrangian l = dm_tree_lagrangian(m);
  dm_block b = {0};
  dm_block_alloc(&b, l.scratch, 1);
  assert_int_equal(dm_block_new(&b), DM_OK);
  void *scratch = dm_block_alloc(&b, l.scratch, 1);
  dm_jet jet = {.L_q = L_q, .L_v = L_v};
  assert_int_equal(l.eval(m, scratch, 1, q, v, &jet), DM_OK);
  L = jet.L;
  dm_block_free(scratch);
  return L;
}

static void fill(double *x, double value) {
  for (int i = 0; i < 64; i++) x[i] = value;
}

static void energy_is_linear_in_masses_and_goes_back(void **state) {
  (void)state;
  double twice[64], half[64], longer[64], shorter[64];
  fill(twice, 2), fill(half, 0.5), fill(longer, 1.25), fill(shorter, 0.8);
  for (uint64_t seed = 1; seed < 6; seed++) {
    dm_model *m = models_random_tree(5, false, seed), *a, *b;
    double L = energy(m, seed);
    for (int i = 0; i < m->nq; i++) m->armature[i] = 0;
    L = energy(m, seed);
    assert_int_equal(dm_model_changed(&a, m, &(dm_change){.mass = twice, .inertia = twice}), DM_OK);
    assert_close(energy(a, seed), 2 * L, 1e-12 * fabs(L));
    assert_int_equal(
        dm_model_changed(&b, a, &(dm_change){.mass = half, .inertia = half, .length = longer}),
        DM_OK);
    assert_true(fabs(energy(b, seed) - L) > 1e-6 * fabs(L));
    dm_model *c;
    assert_int_equal(dm_model_changed(&c, b, &(dm_change){.length = shorter}), DM_OK);
    assert_close(energy(c, seed), L, 1e-12 * (1 + fabs(L)));
    dm_model_free(c), dm_model_free(b), dm_model_free(a), dm_model_free(m);
  }
}

// a chain k times as long, with moments of inertia k^2 times as large: at rest L = -V is k times,
// without gravity k^2 times as large
static void lengths_scale_a_chain(void **state) {
  (void)state;
  double k[64], kk[64];
  fill(k, 1.3), fill(kk, 1.69);
  dm_model *m = models_chain(3, 0.7, 0), *a;
  m->gravity = dm_v(0, 0, 0);
  assert_int_equal(dm_model_changed(&a, m, &(dm_change){.inertia = kk, .length = k}), DM_OK);
  for (uint64_t seed = 1; seed < 5; seed++)
    assert_close(energy(a, seed), 1.69 * energy(m, seed), 1e-12 * energy(a, seed));
  dm_model_free(a), dm_model_free(m);
}

static void factors_that_leave_nothing_are_refused(void **state) {
  (void)state;
  double zero[64];
  fill(zero, 0);
  dm_model *m = models_cart_pole(), *a;
  assert_int_equal(dm_model_changed(&a, m, &(dm_change){.mass = zero}), DM_BAD_INPUT);
  assert_int_equal(dm_model_changed(&a, m, &(dm_change){.length = zero}), DM_BAD_INPUT);
  dm_model_free(m);
}

// --- disturbances ---

static void at_level_zero_there_is_none(void **state) {
  (void)state;
  bench b;
  fb_sample with[12], without[12];
  fb_plant p;
  bench_open(&b);
  run(&b, 12, with);
  assert_int_equal(b.shop.made, 1);
  assert_int_equal(fb_plant_discrete(&p, &b.z.s), DM_OK);
  b.z.f->sensor = NULL;
  assert_int_equal(fb_monte_carlo_run(b.z.f, &b.z.s, &p, &drawn, without, 0, NULL, NULL, NULL),
                   DM_OK);
  assert_memory_equal(with, without, sizeof with);
  fb_plant_free(&p), bench_close(&b);
}

static void numbers_do_not_depend_on_their_number(void **state) {
  (void)state;
  bench b;
  fb_sample many[12], few[4];
  bench_open(&b);
  fb_mismatch_levels(b.w, 1);
  run(&b, 12, many);
  run(&b, 4, few);
  assert_memory_equal(many, few, sizeof few);
  assert_int_equal(b.shop.made, 16);
  for (int i = 1; i < 12; i++) assert_true(many[i].final_error != many[0].final_error);
  bench_close(&b);
}

// the motion of a plant with known inputs is the motion of its own model from the same (q,v)
static void a_machine_moves_as_its_own_model(void **state) {
  (void)state;
  bench b;
  const double twice[] = {1.1, 1}, one[] = {1, 1};
  bench_open(&b);
  fb_mismatch_level(b.w, FB_MASS, 1, 0); // the mass of the cart increases by a tenth
  b.sensor.begin(b.sensor.self, 0);
  dm_model *m;
  assert_int_equal(dm_model_changed(&m, b.z.m, &(dm_change){.mass = twice, .inertia = one}), DM_OK);
  dm_system own = dm_system_of(m);
  fb_plant p;
  dm_continuous *model, *machine;
  assert_int_equal(fb_plant_discrete(&p, &own), DM_OK);
  assert_int_equal(dm_continuous_new(&model, &b.z.s), DM_OK);
  assert_int_equal(dm_continuous_new(&machine, &own), DM_OK);
  double x[4] = {0.1, 3}, y[4] = {0.1, 3}, v[2] = {0.5, -0.3}, w[2] = {0}, u = 3;
  assert_int_equal(dm_momentum_of(model, x, v, x + 2), DM_OK);
  assert_int_equal(dm_momentum_of(machine, y, v, y + 2), DM_OK);
  for (int k = 0; k < 20; k++) {
    assert_int_equal(b.plant.step(b.plant.self, x, &u, 0.02), DM_OK);
    assert_int_equal(p.step(p.self, y, &u, 0.02), DM_OK);
  }
  assert_int_equal(dm_velocity_of(model, x, x + 2, v), DM_OK);
  assert_int_equal(dm_velocity_of(machine, y, y + 2, w), DM_OK);
  for (int i = 0; i < 2; i++) {
    assert_close(x[i], y[i], 1e-11);
    assert_close(v[i], w[i], 1e-11);
  }
  dm_continuous_free(model), dm_continuous_free(machine);
  fb_plant_free(&p), dm_model_free(m), bench_close(&b);
}

// the component of a momentum across a constraint does not move the model, nor a plant whose mass
// matrix is not a multiple of the model's
static void what_is_across_constraints_moves_no_machine(void **state) {
  (void)state;
  enum { n = 3 };
  balanced z = balanced_open();
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                       models_coord("a", false, 0, 1, 0)};
  dm_body b[] = {{"rod", -1, dm_identity, 0, 3, 1, {0.1, 0, -0.5}, {0.2, 0.3, 0.2}}};
  dm_constraint string = {
      .name = "string", .kind = DM_DISTANCE, .body = {0, -1}, .coord = {-1, -1}, .length = 1};
  shop w = {.model = models_make(&(dm_tree){
                .nbody = 1, .ncoord = n, .body = b, .coord = c, .gravity = {0, 0, -9.81}})};
  dm_constraints *pin;
  assert_int_equal(dm_constraints_new(&pin, w.model, 1, &string, NULL), DM_OK);
  w.hol = dm_constraints_holonomic(pin);
  dm_system s = dm_system_of(w.model);
  s.hol = w.hol;
  fb_tvlqr f = *z.f;
  f.nx = 2 * n, f.nu = 0;
  fb_mismatch_settings set = {.seed = 5, .size = {[FB_MASS] = 0.5}};
  fb_perturbed_models machines = {.self = &w, .nj = w.model->nj, .build = make};
  fb_mismatch *d;
  assert_int_equal(fb_mismatch_new(&d, &f, &s, &machines, &set, NULL), DM_OK);
  fb_sensor sensor = fb_mismatch_sensor(d);
  fb_plant plant = fb_mismatch_plant(d);
  sensor.begin(sensor.self, 0);
  // the string is along z
  double x[2][2 * n] = {{0, -1, 0.4, 0.3, 0, 0.1}, {0, -1, 0.4, 0.3, 2, 0.1}};
  for (int i = 0; i < 2; i++) assert_int_equal(plant.step(plant.self, x[i], NULL, 0.02), DM_OK);
  for (int i = 0; i < n; i++) assert_close(x[0][i], x[1][i], 1e-12);
  fb_mismatch_free(d);
  fb_plant_free(&w.plant);
  dm_model_free(w.changed), dm_constraints_free(pin), dm_model_free(w.model), balanced_close(&z);
}

// 0.05 s are two and a half steps: the measured state is the plant's, half a step after a knot
static void what_is_late_is_the_state_of_then(void **state) {
  (void)state;
  bench b;
  fb_plant p;
  double x[44], seen[40];
  bench_open(&b);
  assert_close(b.z.f->h, 0.02, 1e-15);
  fb_mismatch_level(b.w, FB_DELAY, 1, -1);
  move_and_see(&b, x, seen);
  assert_int_equal(fb_plant_discrete(&p, &b.z.s), DM_OK);
  for (int k = 0; k < 10; k++) {
    double then[4];
    memcpy(then, x + (k < 3 ? 0 : 4 * (k - 3)), sizeof then);
    const double u = sin(k - 3);
    if (k >= 3) assert_int_equal(p.step(p.self, then, &u, b.z.f->h / 2), DM_OK);
    for (int i = 0; i < 4; i++) assert_close(seen[4 * k + i], then[i], 1e-11);
  }
  fb_plant_free(&p), bench_close(&b);
}

// a moving plan with consistent momentum: q = (t, 3 - t^2) at the bench's knots
static void plan_motion(const balanced *z, fb_tvlqr *f, double *x_d) {
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &z->s), DM_OK);
  for (int k = 0; k <= f->N; k++) {
    double t = k * f->h, v[] = {1, -2 * t}, *x = x_d + 4 * k;
    x[0] = t, x[1] = 3 - t * t;
    assert_int_equal(dm_momentum_of(c, x, v, x + 2), DM_OK);
  }
  f->x = x_d;
  dm_continuous_free(c);
}

// the controller's input for the measurements of a plant at x [4] or, if NULL, on its plan; in step
// k, with measurements `late` steps old
static double answer(const balanced *z, fb_output_feedback *law, const double *x, double late,
                     int k) {
  spy m = {.system = &z->s, .plant = {.n = 2, .nu = 1, .self = &m, .step = stand}};
  fb_perturbed_models machines = {.self = &m, .nj = 2, .build = note};
  fb_mismatch_settings set = {.seed = 5, .size[FB_DELAY] = late * law->f.h};
  fb_mismatch *w;
  double y[4], u = 0;
  assert_int_equal(fb_mismatch_new(&w, &law->f, &z->s, &machines, &set, NULL), DM_OK);
  fb_sensor sensor = fb_mismatch_sensor(w);
  fb_plant plant = fb_mismatch_plant(w);
  sensor.begin(sensor.self, 0);
  for (int j = 0; j <= k; j++) {
    memcpy(y, x ? x : law->f.x + 4 * j, sizeof y);
    const double *seen = sensor.measure(sensor.self, j, y);
    assert_int_equal(law->controller.input(law, j, seen, &u), DM_OK);
    assert_int_equal(plant.step(plant.self, y, &u, law->f.h), DM_OK);
  }
  fb_mismatch_free(w);
  return u;
}

// a plant on its plan stays on it, for any age of the measurement and in both coordinates; a
// controller that does not know the age misinterprets the measurement
static void a_late_measurement_is_compared_with_the_plan_of_then(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_tvlqr f = *z.f;
  double *x_d = calloc(((size_t)f.N + 1) * 4, sizeof *x_d);
  assert_non_null(x_d);
  plan_motion(&z, &f, x_d);
  static const struct {
    fb_form form;
    bool exact;
  } laws[] = {{FB_STATE, false}, {FB_VELOCITY, false}, {FB_VELOCITY, true}};
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    fb_output_feedback *law;
    dm_message msg;
    assert_int_equal(fb_output_feedback_new(&law, &f, &z.s, laws[i].form, laws[i].exact, &msg),
                     DM_OK);
    for (int k = 0; k < 10; k++) assert_close(answer(&z, law, NULL, 3, k), f.u[k], 1e-9);
    law->controller.date = NULL;
    assert_true(fabs(answer(&z, law, NULL, 3, 9) - f.u[9]) > 0.1);
    fb_output_feedback_free(law);
  }
  free(x_d), balanced_close(&z);
}

// half a step: the cubic through knots of a parabola is the parabola, therefore a plant on it is on
// its plan
static void the_plan_of_then_is_a_cubic(void **state) {
  (void)state;
  balanced z = balanced_open();
  dm_continuous *c;
  fb_tvlqr f = *z.f;
  double *x_d = calloc(((size_t)f.N + 1) * 4, sizeof *x_d);
  assert_non_null(x_d);
  plan_motion(&z, &f, x_d);
  assert_int_equal(dm_continuous_new(&c, &z.s), DM_OK);
  // at the plan's position in the middle of step 4
  double t = 4.5 * f.h, y[4] = {t, 3 - t * t}, rate[] = {1, -2 * t};
  assert_int_equal(dm_momentum_of(c, y, rate, y + 2), DM_OK);
  fb_output_feedback *law;
  dm_message msg;
  assert_int_equal(fb_output_feedback_new(&law, &f, &z.s, FB_VELOCITY, false, &msg), DM_OK);
  assert_close(answer(&z, law, y, 1.5, 6), f.u[6], 1e-9);
  fb_output_feedback_free(law), dm_continuous_free(c);
  free(x_d), balanced_close(&z);
}

// deviations of the measurements, over many samples, agree within five of their standard deviations
static void noise_has_the_size_that_was_asked_for(void **state) {
  (void)state;
  enum { N = 4000 };
  bench b;
  dm_continuous *c;
  double square[4] = {0}, cross = 0;
  bench_open(&b);
  fb_mismatch_level(b.w, FB_MEASURED_Q, 2, -1);
  fb_mismatch_level(b.w, FB_MEASURED_V, 1, -1);
  assert_int_equal(dm_continuous_new(&c, &b.z.s), DM_OK);
  double x[4] = {0.3, 2.5}, v[2] = {0.4, 0.7};
  assert_int_equal(dm_momentum_of(c, x, v, x + 2), DM_OK);
  for (int s = 0; s < N; s++) {
    b.sensor.begin(b.sensor.self, s);
    const double *y = b.sensor.measure(b.sensor.self, 7, x);
    double w[2] = {0}, e[4];
    assert_int_equal(dm_velocity_of(c, y, y + 2, w), DM_OK);
    for (int i = 0; i < 2; i++)
      e[i] = (y[i] - x[i]) / (2 * q_std[i]), e[2 + i] = (w[i] - v[i]) / v_std[i];
    for (int i = 0; i < 4; i++) square[i] += e[i] * e[i] / N;
    cross += e[0] * e[3] / N;
  }
  for (int i = 0; i < 4; i++) assert_true(fabs(square[i] - 1) < 5 * sqrt(2. / N));
  assert_true(fabs(cross) < 5 / sqrt(N));
  dm_continuous_free(c), bench_close(&b);
}

// one number of each kind that a sample draws, each of variance 1: factors of two links,
// measurement errors of two coordinates and process noise, at two knots
enum { DRAWN = 8 + 2 * 5 };
static const double half[] = {0.1, 0.2, 0.3, 0.4};
static void draw_all(fb_mismatch *w, dm_continuous *c, const spy *m, int sample, double z[DRAWN]) {
  fb_sensor sensor = fb_mismatch_sensor(w);
  fb_plant plant = fb_mismatch_plant(w);
  double x[4] = {0.3, 2.5}, v[2] = {0.4, 0.7}, u = 3;
  int at = 0;
  assert_int_equal(dm_momentum_of(c, x, v, x + 2), DM_OK);
  sensor.begin(sensor.self, sample);
  for (int a = 0; a < 4; a++)
    for (int j = 0; j < 2; j++) z[at++] = sqrt(3) * (m->factor[a][j] - (a < 3)) / half[a];
  for (int k = 6; k < 8; k++) {
    double seen[2] = {0};
    const double *y = sensor.measure(sensor.self, k, x);
    assert_int_equal(dm_velocity_of(c, y, y + 2, seen), DM_OK);
    for (int i = 0; i < 2; i++) z[at++] = (y[i] - x[i]) / (2 * q_std[i]);
    for (int i = 0; i < 2; i++) z[at++] = (seen[i] - v[i]) / (3 * v_std[i]);
    assert_int_equal(plant.step(plant.self, x, &u, 0.02), DM_OK);
    z[at++] = (m->u - u) / (4 * u_std[0]);
  }
}

// all are independent of each other, and of the previous sample
static void whatever_is_drawn_is_drawn_anew(void **state) {
  (void)state;
  enum { N = 4000 };
  balanced z = balanced_open();
  spy m = {.system = &z.s, .plant = {.n = 2, .nu = 1, .self = &m, .step = stand}};
  fb_mismatch_settings set = {.seed = 5, .q = q_std, .v = v_std, .torque = u_std};
  for (int a = 0; a < 4; a++) set.size[FB_MASS + a] = half[a];
  fb_perturbed_models machines = {.self = &m, .nj = 2, .build = note};
  fb_mismatch *w;
  dm_continuous *c;
  assert_int_equal(fb_mismatch_new(&w, z.f, &z.s, &machines, &set, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&c, &z.s), DM_OK);
  fb_mismatch_level(w, FB_MEASURED_Q, 2, -1);
  fb_mismatch_level(w, FB_MEASURED_V, 3, -1);
  fb_mismatch_level(w, FB_TORQUE, 4, -1);
  static double past[DRAWN], now[DRAWN], mean[DRAWN], same[DRAWN][DRAWN], before[DRAWN][DRAWN];
  for (int s = 0; s < N; s++) {
    draw_all(w, c, &m, s, now);
    for (int i = 0; i < DRAWN; i++) {
      assert_true(i >= 8 || fabs(now[i]) <= sqrt(3) + 1e-12);
      mean[i] += now[i] / N;
      for (int j = 0; j < DRAWN; j++)
        same[i][j] += now[i] * now[j] / N, before[i][j] += now[i] * past[j] / N;
    }
    memcpy(past, now, sizeof now);
  }
  assert_int_equal(m.made, N);
  for (int i = 0; i < DRAWN; i++) {
    assert_close(mean[i], 0, 5 / sqrt(N));
    for (int j = 0; j < DRAWN; j++) {
      assert_close(same[i][j], i == j, 5 * sqrt((i == j ? 2. : 1.) / N));
      assert_close(before[i][j], 0, 5 / sqrt(N));
    }
  }
  dm_continuous_free(c);
  fb_mismatch_free(w), balanced_close(&z);
}

// a link may have several coordinates: each has its own damping
static void coordinates_are_damped_not_links(void **state) {
  (void)state;
  balanced z = balanced_open();
  spy m = {.system = &z.s, .plant = {.n = 2, .nu = 1, .self = &m, .step = stand}, .links = 1};
  fb_mismatch_settings set = {.seed = 5};
  set.size[FB_DAMPING] = 1;
  fb_perturbed_models machines = {.self = &m, .nj = 1, .build = note};
  fb_mismatch *w;
  assert_int_equal(fb_mismatch_new(&w, z.f, &z.s, &machines, &set, NULL), DM_OK);
  fb_sensor sensor = fb_mismatch_sensor(w);
  sensor.begin(sensor.self, 0);
  assert_true(m.factor[3][0] != 0 && m.factor[3][1] != 0 && m.factor[3][0] != m.factor[3][1]);
  fb_mismatch_free(w), balanced_close(&z);
}

// an estimator behind the measurement
typedef struct inner {
  int sample, seen, acted;
  double y[4], x[4];
} inner;
static void inner_begin(void *self, int sample) {
  ((inner *)self)->sample = sample;
}
static const double *inner_see(void *self, int k, const double *y) {
  inner *w = self;
  w->seen = k;
  memcpy(w->y, y, sizeof w->y);
  return w->x;
}
static void inner_act(void *self, int k, const double *u, double *x) {
  inner *w = self;
  w->acted = u[0] == 7 ? k : -1;
  x[0]++;
}

static void what_sees_through_it_sees_the_disturbed_alone(void **state) {
  (void)state;
  balanced z = balanced_open();
  spy m = {.system = &z.s, .plant = {.n = 2, .nu = 1, .self = &m, .step = stand}};
  fb_mismatch_settings set = {.seed = 5, .size[FB_DELAY] = 0.02};
  fb_perturbed_models machines = {.self = &m, .nj = 2, .build = note};
  inner own = {.sample = -1};
  const fb_sensor through = {
      .self = &own, .begin = inner_begin, .measure = inner_see, .act = inner_act};
  fb_mismatch *w;
  assert_int_equal(fb_mismatch_new(&w, z.f, &z.s, &machines, &set, &through), DM_OK);
  fb_sensor sensor = fb_mismatch_sensor(w);
  double first[4] = {1, 2, 3, 4}, x[4] = {5, 6, 7, 8}, u = 7;
  sensor.begin(sensor.self, 9);
  assert_ptr_equal(sensor.measure(sensor.self, 0, first), own.x);
  assert_ptr_equal(sensor.measure(sensor.self, 1, x), own.x);
  assert_memory_equal(own.y, first, sizeof first); // one step late
  sensor.act(sensor.self, 1, &u, x);
  assert_true(own.sample == 9 && own.seen == 1 && own.acted == 1 && x[0] == 6);
  fb_mismatch_free(w), balanced_close(&z);
}

// the earlier measurement of a controller that uses two steps
typedef struct looker {
  int times;
  double y[4];
} looker;
static void take_look(void *self, const double *x) {
  looker *w = self;
  w->times++;
  memcpy(w->y, x, sizeof w->y);
}

typedef struct reading {
  double off;                          // of calls, at most, in steps
  const double *steps, *noise, *extra; // of encoders; standard deviations of the measurements, of q
} reading;

// a position [2] as measured by encoders: rounded to their resolution, with noise if there is any
static void expect_reading(const reading *r, const double *place, const double *y) {
  const double off = y[1] - place[1];
  assert_close(y[0], r->steps ? 0.5 * round(place[0] / 0.5) : place[0], 1e-15);
  if (r->noise || r->extra)
    assert_true(off != 0 && fabs(off) < 5e-3);
  else
    assert_close(off, 0, 1e-15);
}

// four calls of a plant at rest between knots, at positions that are not multiples of the
// resolution
static void look_back_four_times(fb_mismatch *w, const reading *r, double h, const looker *seen) {
  fb_sensor sensor = fb_mismatch_sensor(w);
  fb_plant plant = fb_mismatch_plant(w);
  sensor.begin(sensor.self, 0);
  for (int k = 0; k < 4; k++) {
    double x[4] = {0.7 * k, 0.3 * k, 0, 0}, u = 0;
    const double then[] = {0.7 * (k - 1), 0.3 * (k - 1)};
    const double *y = sensor.measure(sensor.self, k, x);
    assert_int_equal(seen->times, r->off > 0 ? k : 0);
    expect_reading(r, x, y);
    if (seen->times) expect_reading(r, then, seen->y);
    if (seen->times && r->noise) assert_true(seen->y[1] - then[1] != y[1] - x[1]);
    assert_int_equal(plant.step(plant.self, x, &u, h), DM_OK);
  }
}

// between knots a controller gets the position one full step earlier, with the encoder's resolution
// and separate noise; at knots it has measured that position itself
static void a_look_back_is_a_reading_of_a_step_before(void **state) {
  (void)state;
  static const double steps[] = {0.5, 0}, noise[] = {0, 1e-3};
  static const reading rows[] = {{0, NULL, NULL, NULL},     {0.5, NULL, NULL, NULL},
                                 {0.5, steps, NULL, NULL},  {0.5, NULL, noise, NULL},
                                 {0.5, steps, noise, NULL}, {0.5, NULL, NULL, noise}};
  balanced z = balanced_open();
  spy m = {.system = &z.s, .plant = {.n = 2, .nu = 1, .self = &m, .step = stand}};
  fb_perturbed_models machines = {.self = &m, .nj = 2, .build = note};
  for (int i = 0; i < COUNT(rows); i++) {
    looker seen = {0};
    const fb_controller by = {.self = &seen, .look_back = take_look};
    fb_mismatch_settings set = {.seed = 5, .size[FB_OFF] = rows[i].off, .q = rows[i].extra};
    set.encoder = rows[i].steps;
    set.readings = rows[i].noise;
    fb_mismatch *w;
    z.f->by = &by;
    assert_int_equal(fb_mismatch_new(&w, z.f, &z.s, &machines, &set, NULL), DM_OK);
    look_back_four_times(w, &rows[i], z.f->h, &seen);
    z.f->by = NULL;
    fb_mismatch_free(w);
  }
  balanced_close(&z);
}

// with an error in a single parameter the plant is the same for all samples, and is made once
static void one_part_is_off_and_no_other(void **state) {
  (void)state;
  balanced z = balanced_open();
  spy m = {.system = &z.s, .plant = {.n = 2, .nu = 1, .self = &m, .step = stand}};
  fb_mismatch_settings set = {.seed = 5};
  for (int a = 0; a < 4; a++) set.size[FB_MASS + a] = half[a];
  fb_perturbed_models machines = {.self = &m, .nj = 2, .build = note};
  fb_mismatch *w;
  assert_int_equal(fb_mismatch_new(&w, z.f, &z.s, &machines, &set, NULL), DM_OK);
  fb_sensor sensor = fb_mismatch_sensor(w);
  for (int a = 0; a < 4; a++)
    for (int part = 0; part < 2; part++) {
      m.made = 0;
      for (int i = 0; i < 2; i++) m.factor[2][i] = 1; // not given if no length is changed
      fb_mismatch_levels(w, 0);
      fb_mismatch_level(w, (fb_axis)(FB_MASS + a), -1.5, part);
      for (int s = 0; s < 5; s++) sensor.begin(sensor.self, s);
      assert_int_equal(m.made, 1);
      for (int b = 0; b < 4; b++)
        for (int i = 0; i < 2; i++)
          assert_close(m.factor[b][i], (b < 3) - (a == b && i == part ? 1.5 * half[a] : 0), 1e-15);
    }
  fb_mismatch_free(w), balanced_close(&z);
}

static void a_machine_that_cannot_be_fails_its_samples_alone(void **state) {
  (void)state;
  bench b;
  fb_sample rows[3];
  bench_open(&b);
  fb_mismatch_level(b.w, FB_MASS, -10, 1); // the pole has no mass left
  run(&b, 3, rows);
  for (int i = 0; i < 3; i++) assert_true(!rows[i].succeeded && rows[i].worst_state < 0);
  fb_mismatch_levels(b.w, 0);
  run(&b, 3, rows);
  for (int i = 0; i < 3; i++) assert_true(rows[i].succeeded);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_is_linear_in_masses_and_goes_back),
      cmocka_unit_test(lengths_scale_a_chain),
      cmocka_unit_test(factors_that_leave_nothing_are_refused),
      cmocka_unit_test(at_level_zero_there_is_none),
      cmocka_unit_test(numbers_do_not_depend_on_their_number),
      cmocka_unit_test(a_machine_moves_as_its_own_model),
      cmocka_unit_test(what_is_across_constraints_moves_no_machine),
      cmocka_unit_test(what_is_late_is_the_state_of_then),
      cmocka_unit_test(a_late_measurement_is_compared_with_the_plan_of_then),
      cmocka_unit_test(the_plan_of_then_is_a_cubic),
      cmocka_unit_test(noise_has_the_size_that_was_asked_for),
      cmocka_unit_test(whatever_is_drawn_is_drawn_anew),
      cmocka_unit_test(what_sees_through_it_sees_the_disturbed_alone),
      cmocka_unit_test(a_look_back_is_a_reading_of_a_step_before),
      cmocka_unit_test(coordinates_are_damped_not_links),
      cmocka_unit_test(one_part_is_off_and_no_other),
      cmocka_unit_test(a_machine_that_cannot_be_fails_its_samples_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
