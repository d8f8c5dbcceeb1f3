// Generated code for the step of the map: compared with the library's step, and compiled in
// tests/cli/export.sh.
#include "control/codegen/prediction.h"

#include "lib/discrete/del.h"
#include "lib/discrete/linearize.h"
#include "tests/support/models.h"

enum { MOST = 12 };
static const double h = 0.01;

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

// maximum of |generated step - step of the map| from x0 + off, relative to the size of x; the same
// for the linear prediction
static double compare_step(const dm_model *m, const dm_system *s, const plan *w, double off,
                           uint64_t seed, bool single, double *linear) {
  const int nx = 2 * w->n;
  double x[2 * MOST], exact[2 * MOST], x1[2 * MOST], error = 0, size = 1;
  fb_prediction *p;
  dm_message msg = {""};
  if (fb_prediction_new(&p, m, s, h, &msg) != DM_OK) fail_msg("%s", msg.text);
  p->single = single;
  for (int i = 0; i < nx; i++) x[i] = w->x0[i] + off * models_random(&seed);
  step_map(s, x, w->u, exact);
  for (int i = 0; i < nx; i++) {
    x1[i] = w->x1[i];
    for (int j = 0; j < nx; j++) x1[i] += w->A[i * nx + j] * (x[j] - w->x0[j]);
  }
  *linear = 0;
  for (int i = 0; i < nx; i++) *linear = fmax(*linear, fabs(x1[i] - exact[i]));
  fb_prediction_step(p, x, w->u, w->A, x1);
  for (int i = 0; i < nx; i++) {
    error = fmax(error, fabs(x1[i] - exact[i]));
    size = fmax(size, fabs(exact[i]));
  }
  *linear /= size;
  fb_prediction_free(p);
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
      double error = compare_step(m, &s, &w, 0.02, seed, false, &linear);
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
  double linear[2], far = compare_step(m, &s, &w, 0.8, 9, false, &linear[0]);
  double near = compare_step(m, &s, &w, 0.2, 9, false, &linear[1]);
  assert_true(linear[0] > 1e-3 && linear[1] > 1e-4);
  assert_true(far < 0.05 * linear[0]);
  assert_true(near < 1e-6 * linear[1]);
  assert_true(compare_step(m, &s, &w, 0.02, 9, true, &linear[1]) < 1e-4);
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
    assert_true(compare_step(m, &s, &w, 0.02, 9, false, &linear) < 1e-11);
    memcpy(first[i], w.x1 + 2, sizeof first[i]);
    for (int j = 0; j < i; j++) assert_true(fabs(first[i][1] - first[j][1]) > 1e-4);
  }
  dm_model_free(m);
}

// steps that the text does not support are refused, with the reason
static void other_steps_are_refused(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system of[5];
  static const char *const why[] = {
      "it has a prescribed coordinate", "it has constraints, along which p is not M(q) v",
      "it has forces beside those of its motors: on bodies, of tendons, or of the caller",
      "it has springs, or a Lagrangian that is not a tree's", "its rule has nodes within the step"};
  for (int i = 0; i < COUNT(of); i++) of[i] = dm_system_of(m);
  of[0].nk = 1;
  of[1].hol.nc = 1;
  of[2].force.count = 1;
  of[3].L.self = of;
  of[4].rule.inner = 1;
  for (int i = 0; i < COUNT(of); i++) {
    fb_prediction *w;
    dm_message msg = {""};
    assert_int_equal(fb_prediction_new(&w, m, &of[i], h, &msg), DM_UNAVAILABLE);
    assert_string_equal(msg.text, why[i]);
    assert_null(w);
  }
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_step_is_the_maps),
      cmocka_unit_test(what_is_left_is_of_high_order),
      cmocka_unit_test(gears_and_damping_are_the_systems),
      cmocka_unit_test(other_steps_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
