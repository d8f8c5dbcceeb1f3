// Integration of y' = f(y): against closed forms, by the order of the error of each method; stiff
// equations; and what happens where there is no solution.
#include "lib/base/ode.h"

#include "tests/support/models.h"

typedef struct probe {
  double lambda; // of the equation
  int limit;     // evaluations after which f fails; 0: none
  int count;
} probe;

// a pendulum's q'' = -sin q
static dm_status pendulum(void *self, const double *y, double *rate) {
  probe *p = self;
  if (p->limit && ++p->count > p->limit) return DM_SINGULAR;
  rate[0] = y[1], rate[1] = -sin(y[0]);
  return DM_OK;
}

// Prothero and Robinson's: y' = lambda (y - cos t) - sin t, t' = 1; y = cos t where it begins there
static dm_status prothero(void *self, const double *y, double *rate) {
  const probe *p = self;
  rate[0] = p->lambda * (y[0] - cos(y[1])) - sin(y[1]), rate[1] = 1;
  return DM_OK;
}

// y' = y^2: y = 1 / (1 - t) from 1
static dm_status explode(void *self, const double *y, double *rate) {
  (void)self;
  rate[0] = y[0] * y[0];
  return DM_OK;
}

// y' = -sqrt(y), which ends at 0
static dm_status run_dry(void *self, const double *y, double *rate) {
  (void)self;
  rate[0] = -sqrt(y[0]);
  return DM_OK;
}

static dm_status integrate(dm_ode_rate *f, probe *p, int n, double tol, dm_ode_method first,
                           double time, double *y, dm_ode_info *info) {
  dm_ode *w;
  assert_int_equal(dm_ode_new(&w, n, tol), DM_OK);
  dm_status s = dm_ode_integrate(w, f, p, first, time, y, info);
  dm_ode_free(w);
  return s;
}

// the error of one step of length h: with a tolerance that any step keeps
static double find_step_error(dm_ode_method method, double h) {
  double y[] = {1, 0.7}, exact[] = {1, 0.7};
  probe p = {0};
  dm_ode_info info;
  assert_int_equal(integrate(pendulum, &p, 2, 1e20, method, h, y, &info), DM_OK);
  assert_int_equal(info.steps, 1);
  assert_int_equal(integrate(pendulum, &p, 2, 1e-13, DM_ODE_EXPLICIT, h, exact, NULL), DM_OK);
  return hypot(y[0] - exact[0], y[1] - exact[1]);
}

static void a_step_is_off_by_its_order(void **state) {
  (void)state;
  // both are of order 8; below these lengths errors are of rounding
  static const double length[] = {[DM_ODE_EXPLICIT] = 0.3, [DM_ODE_IMPLICIT] = 0.6};
  for (dm_ode_method m = DM_ODE_EXPLICIT; m <= DM_ODE_IMPLICIT; m++) {
    const double e = find_step_error(m, length[m]), half = find_step_error(m, length[m] / 2);
    if (!(fabs(log2(e / half) - 9) < 0.6)) fail_msg("method %d: errors %g, %g", m, e, half);
  }
}

static void the_tolerance_is_kept(void **state) {
  (void)state;
  double exact[] = {1, 0.7};
  probe p = {0};
  assert_int_equal(integrate(pendulum, &p, 2, 1e-13, DM_ODE_EXPLICIT, 10, exact, NULL), DM_OK);
  for (dm_ode_method m = DM_ODE_EXPLICIT; m <= DM_ODE_IMPLICIT; m++)
    for (double tol = 1e-5; tol > 1e-12; tol /= 10) {
      double y[] = {1, 0.7};
      dm_ode_info info;
      assert_int_equal(integrate(pendulum, &p, 2, tol, m, 10, y, &info), DM_OK);
      // errors of all steps together, and their growth along the motion
      double error = fmax(fabs(y[0] - exact[0]), fabs(y[1] - exact[1]));
      if (!(error < 20 * tol * info.steps)) fail_msg("%d at %g: off by %g", m, tol, error);
      assert_int_equal(info.method, m);
    }
}

static void backwards_is_back(void **state) {
  (void)state;
  double y[] = {1, 0.7};
  probe p = {0};
  for (int way = 1; way >= -1; way -= 2)
    assert_int_equal(integrate(pendulum, &p, 2, 1e-12, DM_ODE_EXPLICIT, 3. * way, y, NULL), DM_OK);
  assert_close(y[0], 1, 1e-10), assert_close(y[1], 0.7, 1e-10);
  assert_int_equal(integrate(pendulum, &p, 2, 1e-12, DM_ODE_EXPLICIT, 0, y, NULL), DM_OK);
}

// from lambda = -1e2 to -1e8 the work hardly grows, and the solution is cos t
static void stiffness_is_seen_and_met(void **state) {
  (void)state;
  for (double lambda = -1e2; lambda >= -1e8; lambda *= 10) {
    probe p = {.lambda = lambda};
    for (int off = 0; off < 2; off++) {
      double y[] = {1 + off, 0};
      dm_ode_info info;
      assert_int_equal(integrate(prothero, &p, 2, 1e-9, DM_ODE_EXPLICIT, 2, y, &info), DM_OK);
      assert_close(y[0], cos(2), 1e-8);
      if (lambda < -1e3) assert_int_equal(info.method, DM_ODE_IMPLICIT);
      if (info.rates > 4000) fail_msg("lambda %g took %d evaluations", lambda, info.rates);
    }
  }
}

static void nothing_stiff_stays_explicit(void **state) {
  (void)state;
  double y[] = {3, 0};
  probe p = {0};
  dm_ode_info info;
  assert_int_equal(integrate(pendulum, &p, 2, 1e-9, DM_ODE_EXPLICIT, 100, y, &info), DM_OK);
  assert_int_equal(info.method, DM_ODE_EXPLICIT);
}

// a solution that ends before its time is an outcome, and the state stays
static void what_has_no_solution_fails(void **state) {
  (void)state;
  for (dm_ode_method m = DM_ODE_EXPLICIT; m <= DM_ODE_IMPLICIT; m++) {
    double y = 1;
    dm_ode_info info;
    assert_int_not_equal(integrate(explode, NULL, 1, 1e-9, m, 1.5, &y, &info), DM_OK);
    assert_true(y == 1 && info.steps + info.rejected <= 20001);
    assert_int_equal(integrate(explode, NULL, 1, 1e-9, m, 0.9, &y, NULL), DM_OK);
    assert_close(y, 10, 1e-6);
    y = 1;
    assert_int_not_equal(integrate(run_dry, NULL, 1, 1e-9, m, 5, &y, NULL), DM_OK);
    assert_true(y == 1);
    double bad[] = {NAN, 0};
    assert_int_equal(integrate(pendulum, &(probe){0}, 2, 1e-9, m, 1, bad, NULL), DM_NOT_FINITE);
    double z[] = {1, 0};
    assert_int_equal(integrate(pendulum, &(probe){.limit = 30}, 2, 1e-9, m, 5, z, NULL),
                     DM_SINGULAR);
    assert_true(z[0] == 1 && z[1] == 0);
  }
}

static void a_workspace_has_no_memory(void **state) {
  (void)state;
  dm_ode *w;
  probe p = {0};
  double a[] = {1, 0.7}, b[] = {1, 0.7}, other[] = {2, 30};
  assert_int_equal(dm_ode_new(&w, 2, 1e-9), DM_OK);
  assert_int_equal(dm_ode_integrate(w, pendulum, &p, DM_ODE_EXPLICIT, 4, a, NULL), DM_OK);
  assert_int_equal(dm_ode_integrate(w, pendulum, &p, DM_ODE_IMPLICIT, 1, other, NULL), DM_OK);
  assert_int_equal(dm_ode_integrate(w, pendulum, &p, DM_ODE_EXPLICIT, 4, b, NULL), DM_OK);
  assert_memory_equal(a, b, sizeof a);
  dm_ode_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_is_off_by_its_order),
      cmocka_unit_test(the_tolerance_is_kept),
      cmocka_unit_test(backwards_is_back),
      cmocka_unit_test(stiffness_is_seen_and_met),
      cmocka_unit_test(nothing_stiff_stays_explicit),
      cmocka_unit_test(what_has_no_solution_fails),
      cmocka_unit_test(a_workspace_has_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
