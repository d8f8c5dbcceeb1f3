// How far a point is from an optimum, and which points are acceptable as one.
#include "optim/nlp/ipopt.h"
#include "optim/nlp/optimality.h"
#include "tests/support/models.h"

// minimize c (x - 2)^2 / 2 + c y  subject to  x + y = 3,  x <= 1,  y >= 0,  x - y <= 10: (1, 2),
// where lambda = -c, z_u = 2 c and the rest is 0
typedef struct small {
  double c;
} small;

static dm_status small_f(void *self, const double *x, double *f) {
  const small *s = self;
  *f = s->c * ((x[0] - 2) * (x[0] - 2) / 2 + x[1]);
  return DM_OK;
}
static dm_status small_grad(void *self, const double *x, double *grad) {
  const small *s = self;
  grad[0] = s->c * (x[0] - 2);
  grad[1] = s->c;
  return DM_OK;
}
static dm_status small_g(void *self, const double *x, double *g) {
  (void)self;
  g[0] = x[0] + x[1];
  g[1] = x[0] - x[1];
  return DM_OK;
}
static dm_status small_jac(void *self, const double *x, oc_triplets *s) {
  (void)self;
  (void)x;
  oc_put(s, 0, 0, 1);
  oc_put(s, 0, 1, 1);
  oc_put(s, 1, 0, 1);
  oc_put(s, 1, 1, -1);
  return DM_OK;
}

static const double low[] = {-INFINITY, 0}, high[] = {1, INFINITY};
static const double g_low[] = {3, -INFINITY}, g_high[] = {3, 10};

static oc_nlp small_program(small *s) {
  return (oc_nlp){.n = 2,
                  .m = 2,
                  .jac_nnz = 4,
                  .x_min = low,
                  .x_max = high,
                  .g_min = g_low,
                  .g_max = g_high,
                  .self = s,
                  .f = small_f,
                  .grad = small_grad,
                  .g = small_g,
                  .jac = small_jac};
}

// the optimum, then each number of it moved by `by`: is that still acceptable?
static bool accepts(double c, int moved, double by) {
  small s = {c};
  oc_nlp nlp = small_program(&s);
  double at[] = {1, 2, -c, 0, 0, 0, 2 * c, 0}; // x, lambda, z_l, z_u
  oc_point point = {.x = at, .lambda = at + 2, .z_l = at + 4, .z_u = at + 6};
  oc_optimality o;
  if (moved >= 0) at[moved] += by;
  assert_int_equal(oc_optimality_measure(&nlp, &point, &o), DM_OK);
  return oc_optimality_accept(&o, 1e-9);
}

static void an_optimum_is_measured_in_closed_form(void **state) {
  (void)state;
  small s = {1};
  oc_nlp nlp = small_program(&s);
  double at[] = {0.75, 2.5, -1, 0.25, 0, 0.5, 2, 0};
  oc_point point = {.x = at, .lambda = at + 2, .z_l = at + 4, .z_u = at + 6};
  oc_optimality o;
  assert_int_equal(oc_optimality_measure(&nlp, &point, &o), DM_OK);
  assert_true(fabs(o.objective - (1.25 * 1.25 / 2 + 2.5)) < 1e-15);
  assert_true(fabs(o.violation - 0.25) < 1e-15);
  assert_true(fabs(o.dual - 0.75) < 1e-15); // of y: 1 - 1 - 0.25 - 0.5
  // z_u of x, z_l of y, and the second row, which is 11.75 below its bound
  assert_true(fabs(o.gap - (2 * 0.25 + 0.5 * 2.5 + 0.25 * 11.75)) < 1e-14);
  assert_true(o.size == 2 && o.scale == 1 && o.bounds == 3);
}

// whatever the objective's unit, and by each of the numbers that make an optimum
static void what_is_off_is_not_acceptable(void **state) {
  (void)state;
  for (double c = 1e-12; c < 1e13; c *= 1e6) {
    assert_true(accepts(c, -1, 0));
    assert_false(accepts(c, 0, -1e-4));     // x, and with it the equation
    assert_false(accepts(c, 1, 1e-8));      // y
    assert_false(accepts(c, 2, 1e-4 * c));  // the equation's multiplier
    assert_false(accepts(c, 3, 1e-4 * c));  // that of a row with room
    assert_false(accepts(c, 3, -1e-4 * c)); // that of a side that has no bound
    assert_false(accepts(c, 4, 1e-4 * c));  // of a bound that is not there
    assert_false(accepts(c, 5, 1e-4 * c));  // of a bound with room
    assert_false(accepts(c, 6, -1e-4 * c)); // of the bound that is met
    assert_true(accepts(c, 6, 1e-9 * c));
  }
}

// a gap that `solved` itself would leave is none to stall at
static void a_gap_of_the_tolerance_a_bound_is_acceptable(void **state) {
  (void)state;
  oc_optimality o = {.objective = 0.4, .scale = 1, .size = 100, .gap = 5e-7, .bounds = 5600};
  assert_true(oc_optimality_accept(&o, 1e-9));
  o.bounds = 400;
  assert_false(oc_optimality_accept(&o, 1e-9));
  o.objective = 1;
  assert_true(oc_optimality_accept(&o, 1e-9));
}

static void what_is_not_finite_is_not_measured(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++) {
    small s = {1};
    oc_nlp nlp = small_program(&s);
    double at[] = {1, 2, -1, 0, 0, 0, 2, 0};
    oc_point point = {.x = at, .lambda = at + 2, .z_l = at + 4, .z_u = at + 6};
    oc_optimality o = {.dual = 7};
    at[i] = NAN;
    assert_int_equal(oc_optimality_measure(&nlp, &point, &o), DM_NOT_FINITE);
    assert_true(o.dual == 7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_optimum_is_measured_in_closed_form),
      cmocka_unit_test(what_is_off_is_not_acceptable),
      cmocka_unit_test(a_gap_of_the_tolerance_a_bound_is_acceptable),
      cmocka_unit_test(what_is_not_finite_is_not_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
