// The mechanics on board: compared with the library's p, D1, D2 and step on trees of all kinds. The
// same code in an exported controller is compiled in tests/cli/controller.py and exported.sh.
#include "control/feedback/mechanics.h"

#include "control/onboard/onboard.h"
#include "lib/base/block.h"
#include "lib/discrete/del.h"
#include "lib/discrete/interval.h"
#include "lib/discrete/linearize.h"
#include "lib/mechanics/continuous.h"
#include "tests/support/hoist.h"
#include "tests/support/springs.h"

enum { MOST = 12 };
static const double h = 0.01;

static fb_mechanics *make_mechanics(const dm_model *m, const dm_springs *springs,
                                    const dm_system *s, fb_mechanics_of what) {
  fb_mechanics *w;
  dm_message msg = {""};
  if (fb_mechanics_new(&w,
                       &(dm_robot){.tree = (dm_model *)m,
                                   .model = (dm_model *)m,
                                   .springs = (dm_springs *)springs},
                       s, h, what, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  return w;
}

// -- momenta

// p of the on-board code in a precision
static void find_momentum(const fb_precision *by, const fb_mechanics *w, int n, const double *q,
                          const double *v, double *p) {
  const tables T = {
      .steps = 1, .nq = n, .ny = 2 * n, .h = h, .rate = 1 / h, .tree = fb_mechanics_tables(w)};
  fb_onboard *o = by->make(&T);
  assert_non_null(o);
  by->momentum(o, q, v, p);
  dm_block_free(o);
}

// maximum of |p on board - p of the library| relative to the size of p
static double find_error(const dm_model *m, bool single, uint64_t *seed) {
  dm_system s = dm_system_of(m);
  fb_mechanics *w = make_mechanics(m, NULL, &s, FB_OF_VELOCITIES);
  dm_continuous *c = NULL;
  double q[120], v[120], p[120], wanted[120], error = 0, size = 1e-300;
  assert_true(m->nq <= 120);
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  for (int i = 0; i < m->nq; i++) {
    // numbers that both precisions represent exactly
    q[i] = (double)(float)(3 * models_random(seed));
    v[i] = (double)(float)(2 * models_random(seed));
  }
  assert_int_equal(dm_momentum_of(c, q, v, wanted), DM_OK);
  find_momentum(single ? &fb_precision_single : &fb_precision_double, w, m->nq, q, v, p);
  for (int i = 0; i < m->nq; i++) {
    error = fmax(error, fabs(p[i] - wanted[i]));
    size = fmax(size, fabs(wanted[i]));
  }
  dm_continuous_free(c);
  fb_mechanics_free(w);
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

// its own sine and cosine, through a pole: p = l cos(q) v of a cart, at any number of turns
static void turns_are_those_of_libm(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  fb_mechanics *w = make_mechanics(m, NULL, &s, FB_OF_VELOCITIES);
  double at[2], p[2], size;
  fb_mechanics_momentum(w, (double[]){0, 0}, (double[]){0, 1}, at);
  size = at[0];
  for (int i = -4000; i <= 4000; i++) {
    const double q = i * 0.37 + (i % 7 == 0 ? 1e5 : 0);
    fb_mechanics_momentum(w, (double[]){0, q}, (double[]){0, 1}, p);
    assert_close(p[0] / size, cos(q), 4e-16);
  }
  fb_mechanics_momentum(w, (double[]){0, NAN}, (double[]){0, 1}, p);
  assert_true(isnan(p[0]));
  fb_mechanics_momentum(w, (double[]){0, 1e300}, (double[]){0, 1}, p);
  assert_true(isfinite(p[0]));
  fb_mechanics_free(w);
  dm_model_free(m);
}

// momenta that depend on more than the tree are refused with a reason
static void other_systems_are_refused(void **state) {
  (void)state;
  static const char *const why[] = {
      "it has constraints, along which p is not M(q) v",
      "it has a joint whose damping decays within a step, whose p is of more than the robot's "
      "inertia",
      "it has a joint whose damping decays within a step, whose p is of more than the robot's "
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
    fb_mechanics *w = NULL;
    dm_message msg = {""};
    dm_model with = *m;
    with.nball = i == 3;
    assert_int_equal(fb_mechanics_new(&w, &(dm_robot){.tree = &with, .model = &with}, &of[i], h,
                                      FB_OF_VELOCITIES, &msg),
                     DM_UNAVAILABLE);
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
  fb_mechanics *p = make_mechanics(w.m, NULL, &s, FB_OF_VELOCITIES);
  const double q[] = {0.1, -1, 0.2, 0.9}, v[] = {0.3, 0.4, -0.5, 0.7};
  double of[HOIST_N];
  fb_mechanics_momentum(p, q, v, of);
  for (int i = 0; i < HOIST_N; i++) assert_true(fabs(of[i] - v[i]) < 1e-15); // a load of 1 kg
  fb_mechanics_free(p);
  hoist_close(&w);
}

// -- steps

// D1 and D2 of random steps equal those of the library, with joint springs, damping and gears, and
// for each rule
static void impulses_are_those_of_the_library(void **state) {
  (void)state;
  static const char *const rules[] = {"midpoint", "trapezoid", "gauss-2", "simpson"};
  static const double damping[MOST] = {0.3, 0.1, 0, 0.2}, gear[MOST] = {2, 1, 1, 3};
  uint64_t seed = 3;
  for (int bodies = 1; bodies <= 8; bodies++) {
    dm_model *m = models_random_tree(bodies, false, 7 * (uint64_t)bodies);
    if (m->nq > MOST) {
      dm_model_free(m);
      continue;
    }
    const int first = 0, last = m->nq - 1;
    dm_spring list[] = {springs_on(&first, 5, 0.3), springs_on(&last, 3, -0.2)};
    list[0].tendon.factor = (const double[]){2};
    dm_springs *springs = springs_make(m, 2, list);
    for (int r = 0; r < COUNT(rules); r++) {
      dm_system s = dm_system_of(m);
      dm_interval *d;
      double q0[MOST], q1[MOST], u[MOST], D1[MOST], D2[MOST], size = 1;
      s.L = dm_springs_lagrangian(springs);
      s.damping = damping;
      s.input_gear = gear;
      assert_int_equal(dm_rule_set(&s.rule, rules[r], 0.5, "midpoint", NULL), DM_OK);
      fb_mechanics *w = make_mechanics(m, springs, &s, FB_OF_STEPS);
      assert_int_equal(dm_interval_new(&d, &s), DM_OK);
      for (int i = 0; i < m->nq; i++) q0[i] = models_random(&seed);
      for (int i = 0; i < m->nq; i++) q1[i] = q0[i] + h * models_random(&seed);
      for (int i = 0; i < m->nu; i++) u[i] = 20 * models_random(&seed);
      assert_int_equal(dm_interval_eval(d, 1, q0, q1, u, h), DM_OK);
      fb_mechanics_impulses(w, q0, q1, u, D1, D2);
      for (int i = 0; i < m->nq; i++) size = fmax(size, fabs(d->D2[i]));
      for (int i = 0; i < m->nq; i++) {
        assert_close(D1[i], d->D1[i], 1e-13 * size);
        assert_close(D2[i], d->D2[i], 1e-13 * size);
      }
      dm_interval_free(d);
      fb_mechanics_free(w);
    }
    dm_springs_free(springs);
    dm_model_free(m);
  }
}

// a plan's step from x0 to x1 with input u, with A and B; another initial state, and its prediction
typedef struct plan {
  int n, nu;
  double x0[2 * MOST], x1[2 * MOST], u[MOST], A[4 * MOST * MOST], B[2 * MOST * MOST];
} plan;

static void step_map(const dm_system *s, const double *x0, const double *u, double *x1) {
  const int n = s->L.nq;
  dm_del_info info;
  dm_del *d;
  assert_int_equal(dm_del_new(&d, s, NULL), DM_OK);
  memcpy(x1, x0, (size_t)n * sizeof *x1);
  assert_int_equal(dm_del_step(d, x0, x0 + n, u, h, x1, x1 + n, &info), DM_OK);
  dm_del_free(d);
}

static plan make_plan(const dm_system *s, uint64_t *seed) {
  plan w = {.n = s->L.nq, .nu = s->nu};
  dm_linearize *l;
  assert_true(w.n <= MOST);
  for (int i = 0; i < 2 * w.n; i++) w.x0[i] = models_random(seed);
  for (int i = 0; i < w.nu; i++) w.u[i] = models_random(seed);
  step_map(s, w.x0, w.u, w.x1);
  assert_int_equal(dm_linearize_new(&l, s), DM_OK);
  assert_int_equal(dm_linearize_step(l, w.x0, w.x1, w.u, NULL, h, w.A, w.nu ? w.B : NULL), DM_OK);
  dm_linearize_free(l);
  return w;
}

// maximum of |step on board - step of the map| from x0 + off, relative to the size of x; the same
// for the linear prediction
static double compare_step(const dm_model *m, const dm_system *s, const plan *w, double off,
                           uint64_t seed, double *linear) {
  const int nx = 2 * w->n;
  double x[2 * MOST], exact[2 * MOST], x1[2 * MOST], error = 0, size = 1;
  fb_mechanics *p = make_mechanics(m, NULL, s, FB_OF_STEPS);
  for (int i = 0; i < nx; i++) x[i] = w->x0[i] + off * models_random(&seed);
  step_map(s, x, w->u, exact);
  for (int i = 0; i < nx; i++) {
    x1[i] = w->x1[i];
    for (int j = 0; j < nx; j++) x1[i] += w->A[i * nx + j] * (x[j] - w->x0[j]);
  }
  *linear = 0;
  for (int i = 0; i < nx; i++) *linear = fmax(*linear, fabs(x1[i] - exact[i]));
  fb_mechanics_step(p, x, w->u, w->A, x1);
  for (int i = 0; i < nx; i++) {
    error = fmax(error, fabs(x1[i] - exact[i]));
    size = fmax(size, fabs(exact[i]));
  }
  *linear /= size;
  fb_mechanics_free(p);
  return error / size;
}

// near a plan equal up to rounding, for all trees, damping and rules
static void the_step_is_the_maps(void **state) {
  (void)state;
  static const char *const rules[] = {"midpoint", "trapezoid", "gauss-2", "simpson"};
  uint64_t seed = 1;
  for (int bodies = 1; bodies <= 8; bodies++) {
    dm_model *m = models_random_tree(bodies, bodies % 2, 7 * (uint64_t)bodies);
    for (int r = 0; r < COUNT(rules) && m->nq <= MOST; r++) {
      dm_system s = dm_system_of(m);
      double linear;
      assert_int_equal(dm_rule_set(&s.rule, rules[r], 0.5, "midpoint", NULL), DM_OK);
      plan w = make_plan(&s, &seed);
      double error = compare_step(m, &s, &w, 0.02, seed, &linear);
      if (!(error < 1e-11)) fail_msg("%d bodies, %s: off by %.3g", bodies, rules[r], error);
    }
    dm_model_free(m);
  }
}

// farther away, each iteration removes a fraction of the deviation: the error is of high order
static void what_is_left_is_of_high_order(void **state) {
  (void)state;
  uint64_t seed = 5;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  plan w = make_plan(&s, &seed);
  double linear[2], far = compare_step(m, &s, &w, 0.8, 9, &linear[0]);
  double near = compare_step(m, &s, &w, 0.2, 9, &linear[1]);
  assert_true(linear[0] > 1e-3 && linear[1] > 1e-4);
  assert_true(far < 0.05 * linear[0]);
  assert_true(near < 1e-6 * linear[1]);
  dm_model_free(m);
}

// gears multiply the inputs, and damping is optional
static void gears_and_damping_are_the_systems(void **state) {
  (void)state;
  const double gear[] = {3}, damping[] = {0.4, 0.7};
  const struct {
    const double *gear, *damping;
  } rows[] = {{NULL, NULL}, {gear, NULL}, {NULL, damping}, {gear, damping}};
  dm_model *m = models_acrobot();
  double first[4][2];
  for (int i = 0; i < COUNT(rows); i++) {
    dm_system s = dm_system_of(m);
    uint64_t seed = 5;
    double linear;
    s.input_gear = rows[i].gear;
    s.damping = rows[i].damping;
    plan w = make_plan(&s, &seed);
    assert_true(compare_step(m, &s, &w, 0.02, 9, &linear) < 1e-11);
    memcpy(first[i], w.x1 + 2, sizeof first[i]);
    for (int j = 0; j < i; j++) assert_true(fabs(first[i][1] - first[j][1]) > 1e-4);
  }
  dm_model_free(m);
}

// steps that the on-board code does not support are refused, with the reason
static void other_steps_are_refused(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system of[5];
  static const char *const why[] = {
      "it has a prescribed coordinate", "it has constraints, along which p is not M(q) v",
      ("it has forces beside those of its motors, its friction and those at points of bodies: of "
       "formulas, or of the caller"),
      "it has a Lagrangian that is not a tree's", "its rule has nodes within the step"};
  for (int i = 0; i < COUNT(of); i++) of[i] = dm_system_of(m);
  of[0].nk = 1;
  of[1].hol.nc = 1;
  of[2].force.count = 1;
  of[3].L.self = of;
  of[4].rule.inner = 1;
  for (int i = 0; i < COUNT(of); i++) {
    fb_mechanics *w;
    dm_message msg = {""};
    assert_int_equal(
        fb_mechanics_new(&w, &(dm_robot){.tree = m, .model = m}, &of[i], h, FB_OF_STEPS, &msg),
        DM_UNAVAILABLE);
    assert_string_equal(msg.text, why[i]);
    assert_null(w);
  }
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momenta_are_those_of_the_library),
      cmocka_unit_test(turns_are_those_of_libm),
      cmocka_unit_test(other_systems_are_refused),
      cmocka_unit_test(momenta_of_prescribed_coordinates_are_speeds),
      cmocka_unit_test(impulses_are_those_of_the_library),
      cmocka_unit_test(the_step_is_the_maps),
      cmocka_unit_test(what_is_left_is_of_high_order),
      cmocka_unit_test(gears_and_damping_are_the_systems),
      cmocka_unit_test(other_steps_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
