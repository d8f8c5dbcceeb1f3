// Motors between the inputs and the steps of a simulation: their torque agrees with an integration of its
// equation, a motor that turns a load alone approaches its speed without load, and a motor without limits
// changes nothing.
#include "lib/discrete/driven_steps.h"
#include "tests/support/models.h"

#include <float.h>

// one joint with inertia J, by the midpoint rule
typedef struct wheel {
  double J;
} wheel;

static dm_status step_wheel(void *self, int k, const double *q0, const double *p0, const double *u,
                            double h, double *q1, double *p1, double *lambda) {
  const wheel *w = self;
  (void)k;
  (void)lambda;
  p1[0] = p0[0] + h * u[0];
  q1[0] = q0[0] + 0.5 * h * (p0[0] + p1[0]) / w->J;
  return DM_OK;
}

// the data sheet of one motor
typedef struct sheet {
  int coord;
  double stall, slope, rate, lag, low, high;
} sheet;

static dm_drive_limits limits_of(const sheet *o) {
  static const char *const name[] = {"line"};
  return (dm_drive_limits){.n = 1,
                           .nq = 1,
                           .coord = &o->coord,
                           .stall = &o->stall,
                           .slope = &o->slope,
                           .rate = &o->rate,
                           .lag = &o->lag,
                           .low = &o->low,
                           .high = &o->high,
                           .name = name};
}

static void torque_agrees_with_its_equation(void **state) {
  // m' = (c - m)/lag, clipped to the rate, by Euler's method with 1e5 steps, whose error is of the order of one
  // step's change
  (void)state;
  enum { FINE = 100000 };
  static const double rates[] = {INFINITY, 30, 5}, lags[] = {0, 0.01, 0.2};
  for (int a = 0; a < 9; a++) {
    const sheet o = {0, INFINITY, 0, rates[a / 3], lags[a % 3], -2, 2};
    const dm_drive_limits d = limits_of(&o);
    double m = -0.5, fine = m;
    for (int k = 0; k < 20; k++) {
      const double c = 3 * sin(0.9 * k), h = 0.07, to = fmin(fmax(c, o.low), o.high), dt = h / FINE;
      double area = 0;
      for (int i = 0; i < FINE; i++) {
        const double most = o.rate * dt, share = o.lag > 0 ? dt / o.lag : 1;
        const double change = fmin(fmax(share * (to - fine), -most), most);
        area += dt * (fine + (o.lag > 0 || isfinite(o.rate) ? 0.5 : 1) * change);
        fine += change;
      }
      const double mean = dm_drive_limits_move(&d, 0, c, h, &m);
      assert_close(mean, area / h, 1e-3);
      assert_close(m, fine, 1e-3);
      assert_true(m >= o.low && m <= o.high);
    }
  }
}

static void a_load_alone_approaches_the_speed_without_load(void **state) {
  // J v' = stall - slope v at full command: v = stall/slope (1 - r^k) with the midpoint rule's factor r
  (void)state;
  const sheet o = {0, 2, 0.1, INFINITY, 0, -5, 5};
  const dm_drive_limits d = limits_of(&o);
  wheel load = {0.03};
  const dm_stepper inner = {.self = &load, .step = step_wheel};
  dm_driven_steps *w;
  assert_int_equal(dm_driven_steps_new(&w, &inner, &d, 1, 1), DM_OK);
  const dm_stepper step = dm_driven_stepper(w);
  const double h = 0.02, z = 0.5 * h * o.slope / load.J, r = (1 - z) / (1 + z), command = 5;
  double q = 0, p = 0, power = 1;
  for (int k = 0; k < 400; k++) {
    double q1 = q, p1;
    assert_int_equal(step.step(step.self, k, &q, &p, &command, h, &q1, &p1, NULL), DM_OK);
    assert_close(step.input[0], o.stall - o.slope * (q1 - q) / h, 1e-9 * o.stall);
    q = q1, p = p1, power *= r;
    assert_close(p / load.J, o.stall / o.slope * (1 - power), 1e-8 * o.stall / o.slope);
  }
  dm_driven_steps_free(w);
}

static void a_motor_without_limits_changes_nothing(void **state) {
  (void)state;
  const sheet o = {0, INFINITY, 0, INFINITY, 0, -INFINITY, INFINITY};
  const dm_drive_limits d = limits_of(&o);
  wheel load = {0.03};
  const dm_stepper inner = {.self = &load, .step = step_wheel};
  dm_driven_steps *w;
  assert_int_equal(dm_driven_steps_new(&w, &inner, &d, 1, 1), DM_OK);
  const dm_stepper step = dm_driven_stepper(w);
  double q[2] = {0}, p[2] = {0};
  for (int k = 0; k < 50; k++) {
    const double u = sin(0.3 * k);
    double q1[2] = {q[0], q[1]}, p1[2];
    step_wheel(&load, k, q, p, &u, 0.02, q1, p1, NULL);
    assert_int_equal(step.step(step.self, k, q + 1, p + 1, &u, 0.02, q1 + 1, p1 + 1, NULL), DM_OK);
    assert_true(q1[0] == q1[1] && p1[0] == p1[1] && step.input[0] == u);
    memcpy(q, q1, sizeof q);
    memcpy(p, p1, sizeof p);
  }
  dm_driven_steps_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(torque_agrees_with_its_equation),
      cmocka_unit_test(a_load_alone_approaches_the_speed_without_load),
      cmocka_unit_test(a_motor_without_limits_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
