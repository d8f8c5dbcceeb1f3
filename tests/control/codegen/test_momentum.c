// Generated code for p = M(q) v: compared with the library's p on trees of all kinds, and compiled
// in tests/cli/export.sh.
#include "control/codegen/momentum.h"

#include "lib/mechanics/continuous.h"
#include "tests/support/hoist.h"

// maximum of |p of the text - p of the library| relative to the size of p
static double find_error(const dm_model *m, bool single, uint64_t *seed) {
  dm_system s = dm_system_of(m);
  fb_momentum *w = NULL;
  dm_continuous *c = NULL;
  dm_message msg = {""};
  double q[120], v[120], p[120], wanted[120], error = 0, size = 1e-300;
  assert_true(m->nq <= 120);
  if (fb_momentum_new(&w, m, &s, false, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  for (int i = 0; i < m->nq; i++) {
    // numbers that both precisions represent exactly
    q[i] = (double)(float)(3 * models_random(seed));
    v[i] = (double)(float)(2 * models_random(seed));
  }
  assert_int_equal(dm_momentum_of(c, q, v, wanted), DM_OK);
  fb_momentum_eval(w, single, q, v, p);
  for (int i = 0; i < m->nq; i++) {
    error = fmax(error, fabs(p[i] - wanted[i]));
    size = fmax(size, fabs(wanted[i]));
  }
  dm_continuous_free(c);
  fb_momentum_free(w);
  return error / size;
}

static void momenta_are_those_of_the_library(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int bodies = 1; bodies <= 30; bodies++) {
    dm_model *m = models_random_tree(bodies, bodies % 2, 7 * (uint64_t)bodies);
    double error = find_error(m, false, &seed), coarse = find_error(m, true, &seed);
    if (!(error < 1e-13)) fail_msg("%d bodies: off by %.3g", bodies, error);
    assert_true(coarse < 1e-4 && coarse > 1e-12);
    dm_model_free(m);
  }
}

// constants 0 and 1 of a robot need no operation
static void operations_are_those_that_the_robot_needs(void **state) {
  (void)state;
  dm_system s;
  dm_message msg;
  fb_momentum *w = NULL;
  dm_model *m = models_pendulum(); // p = 1.0 v: nothing to compute
  s = dm_system_of(m);
  assert_int_equal(fb_momentum_new(&w, m, &s, false, &msg), DM_OK);
  assert_int_equal(w->sums + w->products + w->turns, 0);
  fb_momentum_free(w);
  dm_model_free(m);

  // a cart and a pole: [M, b; b, I] v
  uint64_t seed = 3;
  m = models_cart_pole();
  s = dm_system_of(m);
  assert_int_equal(fb_momentum_new(&w, m, &s, false, &msg), DM_OK);
  assert_true(w->sums + w->products <= 16 && w->turns == 2 && w->slots <= 8);
  assert_true(find_error(m, false, &seed) < 1e-15);
  fb_momentum_free(w);
  dm_model_free(m);
}

// the text has one statement per operation, and computes p from q and v
static void text_has_each_operation_once(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  fb_momentum *w = NULL;
  dm_message msg;
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_int_equal(fb_momentum_new(&w, m, &s, false, &msg), DM_OK);
  fb_momentum_write(f, w, true, NULL);
  fclose(f);
  int lines = 0, floats = 0;
  for (const char *c = text; *c; c++) {
    lines += *c == '\n';
    floats += *c == 'F';
  }
  assert_int_equal(lines, 1 + 2 + w->sums + w->products + w->turns + 2);
  assert_true(floats > 0 && strstr(text, "cosf(q[1])") && strstr(text, "  p[1] = w["));
  free(text);
  fb_momentum_free(w);
  dm_model_free(m);
}

// momenta that depend on more than the tree are refused with a reason
static void other_systems_are_refused(void **state) {
  (void)state;
  static const char *const why[] = {
      "it has constraints, along which p is not M(q) v",
      "it has a joint whose damping is over within a step, whose p is of more than the robot's "
      "inertia",
      "it has a joint whose damping is over within a step, whose p is of more than the robot's "
      "inertia",
      "it has a ball joint, whose momenta are of quaternions"};
  dm_model *m = models_cart_pole();
  dm_system of[4];
  const double lag[2] = {0};
  for (int i = 0; i < COUNT(of); i++) of[i] = dm_system_of(m);
  of[0].hol.nc = 1;
  of[1].physical = &of[1].L;
  of[2].lag = lag;
  for (int i = 0; i < COUNT(of); i++) {
    fb_momentum *w = NULL;
    dm_message msg = {""};
    dm_model with = *m;
    with.nball = i == 3;
    assert_int_equal(fb_momentum_new(&w, &with, &of[i], false, &msg), DM_UNAVAILABLE);
    assert_string_equal(msg.text, why[i]);
    assert_null(w);
  }
  dm_model_free(m);
}

// a prescribed coordinate has its velocity in place of a momentum
static void momenta_of_prescribed_coordinates_are_speeds(void **state) {
  (void)state;
  hoist w = hoist_open();
  dm_system s = dm_system_of(w.m); // without its string
  fb_momentum *p = NULL;
  dm_message msg = {""};
  const double q[] = {0.1, -1, 0.2, 0.9}, v[] = {0.3, 0.4, -0.5, 0.7};
  double of[HOIST_N];
  if (fb_momentum_new(&p, w.m, &s, false, &msg) != DM_OK) fail_msg("%s", msg.text);
  fb_momentum_eval(p, false, q, v, of);
  for (int i = 0; i < HOIST_N; i++) assert_true(fabs(of[i] - v[i]) < 1e-15); // a load of 1 kg
  fb_momentum_free(p);
  hoist_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momenta_are_those_of_the_library),
      cmocka_unit_test(operations_are_those_that_the_robot_needs),
      cmocka_unit_test(text_has_each_operation_once),
      cmocka_unit_test(other_systems_are_refused),
      cmocka_unit_test(momenta_of_prescribed_coordinates_are_speeds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
