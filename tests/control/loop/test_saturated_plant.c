// Motors that lose torque with their speed: a step against its equation, a motor that spins up against
// its exponential, and the inputs that the plant below receives against the lines.
#include "tests/support/models.h"

#include "control/loop/saturated_plant.h"

// a flywheel: inertia 0.2 kg m2 about its axis, a torque at its joint
static dm_model *make_flywheel(void) {
  dm_coordinate c[] = {models_coord("wheel", false, 0, 0, 1)};
  dm_body b[] = {{"wheel", -1, dm_identity, 0, 1, 1, {0, 0, 0}, {0.2, 0.2, 0.2}}};
  dm_input u[] = {models_input("wheel", 0)};
  const dm_tree tree = {.nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u};
  return models_make(&tree);
}

static const int wheel[] = {0};
static const double J = 0.2, stall[] = {3}, slope[] = {0.15}, any[] = {INFINITY}, no[] = {0, 0};
static const dm_drive_limits line = {
    .n = 1, .nq = 1, .coord = wheel, .stall = stall, .slope = slope, .rate = any, .lag = no};

// with v = (p0 + h u/2)/J the mean speed: u = (stall - slope p0/J) / (1 + slope h / 2J)
static void a_step_beyond_the_line_solves_its_equation(void **state) {
  (void)state;
  dm_model *m = make_flywheel();
  const dm_system s = dm_system_of(m);
  fb_plant p;
  assert_int_equal(fb_plant_discrete(&p, &s), DM_OK);
  assert_int_equal(fb_plant_saturate(&p, &line), DM_OK);
  // the last one: the line changes by 75 times the torque within a step
  static const double steps[] = {1e-3, 0.1, 2, 200};
  for (int i = 0; i < COUNT(steps); i++)
    for (int side = -1; side < 2; side += 2) {
      const double h = steps[i], p0 = side * 0.7, u = side * 50.;
      const double want = (side * stall[0] - slope[0] * p0 / J) / (1 + slope[0] * h / (2 * J));
      double x[] = {0.3, p0};
      assert_int_equal(p.step(p.self, x, &u, h), DM_OK);
      assert_close(x[1], p0 + h * want, 1e-8 * (1 + h));
    }
  fb_plant_free(&p);
  dm_model_free(m);
}

// v = v0 (1 - exp(-t slope/J)) with v0 = stall/slope, to second order in the step
static void a_motor_spins_up_to_its_speed_without_load(void **state) {
  (void)state;
  dm_model *m = make_flywheel();
  const dm_system s = dm_system_of(m);
  double error[2];
  for (int i = 0; i < 2; i++) {
    fb_plant p;
    double x[] = {0, 0};
    const double u = 10;
    const int N = 10 << i;
    assert_int_equal(fb_plant_continuous(&p, &s, 1e-12), DM_OK);
    assert_int_equal(fb_plant_saturate(&p, &line), DM_OK);
    for (int k = 0; k < N; k++) assert_int_equal(p.step(p.self, x, &u, 1. / N), DM_OK);
    error[i] = fabs(x[1] / J - 20 * -expm1(-slope[0] / J));
    fb_plant_free(&p);
  }
  assert_close(error[0] / error[1], 4, 0.05);
  assert_true(error[1] < 2e-3);
  dm_model_free(m);
}

// -- the inputs below

typedef struct recorder {
  fb_plant inner;
  double u[2];
} recorder;

static dm_status step_recorded(void *self, double *x, const double *u, double h) {
  recorder *r = self;
  memcpy(r->u, u, sizeof r->u);
  return r->inner.step(r->inner.self, x, u, h);
}

// Each input is the wanted one or on its line, and its sum u + slope v is within the line; a step that
// needs no cut is the plant's own, up to rounding of its iterations.
static void inputs_are_wanted_or_on_their_lines(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("a", false, 0, 1, 0), models_coord("b", false, 0, 1, 0)};
  dm_body b[] = {{"a", -1, dm_identity, 0, 1, 1, {0, 0, -0.5}, {0.1, 0.1, 0.1}},
                 {"b",
                  0,
                  dm_pose_rpy((double[]){0, 0, 0}, (double[]){0, 0, -1}),
                  1,
                  1,
                  1,
                  {0, 0, -0.5},
                  {0.1, 0.1, 0.1}}};
  dm_input in[] = {models_input("a", 0), models_input("b", 1)};
  const dm_tree tree = {.nbody = 2,
                        .ncoord = 2,
                        .ninput = 2,
                        .body = b,
                        .coord = c,
                        .input = in,
                        .gravity = {0, 0, -9.81}};
  dm_model *m = models_make(&tree);
  const dm_system s = dm_system_of(m);
  static const int coord[] = {0, 1};
  static const double stalls[] = {8, 3}, slopes[] = {2, 0.6}, rates[] = {INFINITY, INFINITY};
  const dm_drive_limits d = {
      .n = 2, .nq = 2, .coord = coord, .stall = stalls, .slope = slopes, .rate = rates, .lag = no};
  recorder r = {.inner = {0}};
  fb_plant bare;
  assert_int_equal(fb_plant_discrete(&r.inner, &s), DM_OK);
  assert_int_equal(fb_plant_discrete(&bare, &s), DM_OK);
  fb_plant p = {.n = 2, .nu = 2, .self = &r, .step = step_recorded};
  assert_int_equal(fb_plant_saturate(&p, &d), DM_OK);

  double x[] = {0.4, -0.3, 1, 0.2};
  int cut = 0;
  for (int k = 0; k < 200; k++) {
    const double u[] = {10 * sin(0.07 * k), 4 * cos(0.11 * k)}, h = 0.02;
    double before[4], alone[4];
    memcpy(before, x, sizeof x);
    memcpy(alone, x, sizeof x);
    assert_int_equal(p.step(p.self, x, u, h), DM_OK);
    for (int i = 0; i < 2; i++) {
      const double sum = r.u[i] + slopes[i] * (x[i] - before[i]) / h;
      assert_true(fabs(sum) <= stalls[i] * (1 + 2e-9));
      const bool own = r.u[i] == u[i];
      cut += !own;
      if (!own) assert_close(fabs(sum), stalls[i], 1e-8);
    }
    if (memcmp(r.u, u, sizeof u) != 0) continue;
    assert_int_equal(bare.step(bare.self, alone, u, h), DM_OK);
    for (int i = 0; i < 4; i++) assert_close(alone[i], x[i], 1e-12);
  }
  assert_in_range(cut, 40, 360);
  fb_plant_free(&p);
  fb_plant_free(&r.inner);
  fb_plant_free(&bare);
  dm_model_free(m);
}

static void a_plant_without_lines_is_unchanged(void **state) {
  (void)state;
  static const double none[] = {0};
  const dm_drive_limits d = {
      .n = 1, .nq = 1, .coord = wheel, .stall = any, .slope = none, .rate = any, .lag = no};
  dm_model *m = make_flywheel();
  const dm_system s = dm_system_of(m);
  fb_plant p;
  assert_int_equal(fb_plant_discrete(&p, &s), DM_OK);
  const fb_plant before = p;
  assert_int_equal(fb_plant_saturate(&p, &d), DM_OK);
  assert_memory_equal(&before, &p, sizeof p);
  fb_plant_free(&p);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_beyond_the_line_solves_its_equation),
      cmocka_unit_test(a_motor_spins_up_to_its_speed_without_load),
      cmocka_unit_test(inputs_are_wanted_or_on_their_lines),
      cmocka_unit_test(a_plant_without_lines_is_unchanged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
