// Plants with mechanical stops: against closed forms, against a joint that a constraint holds, and
// against each other.
#include "control/loop/stopped_plant.h"

#include "lib/multibody/constraint.h"
#include "lib/multibody/contact_geometry.h"
#include "lib/multibody/tree_system.h"
#include "tests/support/models.h"

#include <stdbool.h>

enum { MAP, EQUATIONS, PLANTS };

// a model with stops at either end of coordinates, INFINITY: none
typedef struct stopped {
  dm_model *m;
  dm_system s;
  dm_contacts *stops;
  dm_unilateral g;
  long met;
} stopped;

static stopped stopped_open(dm_model *m, const double *low, const double *high,
                            double restitution) {
  stopped w = {.m = m, .s = dm_system_of(m)};
  dm_contact list[8];
  dm_message msg;
  int n = 0;
  for (int i = 0; i < m->nq; i++) {
    dm_contact c = {.name = m->name[i], .coord = i, .restitution = restitution};
    c.kind = DM_NOT_BELOW, c.length = low[i];
    if (isfinite(low[i])) list[n++] = c;
    c.kind = DM_NOT_ABOVE, c.length = high[i];
    if (isfinite(high[i])) list[n++] = c;
  }
  assert_int_equal(dm_contacts_new(&w.stops, m, n, list, &msg), DM_OK);
  w.g = dm_contacts_unilateral(w.stops);
  return w;
}

static void stopped_close(stopped *w) {
  dm_contacts_free(w->stops), dm_model_free(w->m);
}

static fb_plant plant_of(stopped *w, int kind) {
  fb_plant p;
  w->met = 0;
  const dm_status s = kind == MAP ? fb_plant_discrete_stopped(&p, &w->s, &w->g, &w->met)
                                  : fb_plant_continuous_stopped(&p, &w->s, &w->g, 1e-11, &w->met);
  assert_int_equal(s, DM_OK);
  return p;
}

static void step(fb_plant *p, double *x, double u, double h) {
  assert_int_equal(p->step(p->self, x, &u, h), DM_OK);
}

// 2 kg on a slider between -1 and 0.3
static stopped slider_open(void) {
  static const double low[] = {-1}, high[] = {0.3};
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"mass", -1, dm_identity, 0, 1, 2, {0}, {0}}};
  dm_input in[] = {models_input("x", 0)};
  return stopped_open(
      models_make(
          &(dm_tree){.nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = in}),
      low, high, 0);
}

// it comes with 1 m/s, is stopped, pressed on, and pulled off: x = 0.3 - t^2 u / 2 m
static void a_mass_is_stopped_and_leaves(void **state) {
  (void)state;
  stopped w = slider_open();
  for (int kind = 0; kind < PLANTS; kind++) {
    fb_plant p = plant_of(&w, kind);
    double x[] = {0, 2};
    for (int k = 0; k < 10; k++) {
      step(&p, x, 0, 0.05);
      assert_true(x[0] <= 0.3 + 1e-8);
    }
    assert_close(x[0], 0.3, 1e-8), assert_close(x[1], 0, 1e-12);
    for (int k = 0; k < 5; k++) step(&p, x, 4, 0.05);
    assert_close(x[0], 0.3, 1e-8), assert_close(x[1], 0, 1e-12);
    const long met = w.met;
    assert_true(met >= 6 && met <= 10); // as it comes, and as it is pressed on
    for (int k = 0; k < 4; k++) step(&p, x, -4, 0.05);
    assert_close(x[0], 0.3 - 0.04, 1e-8), assert_close(x[1], -0.8, 1e-9);
    assert_true(w.met <= met + 1);
    fb_plant_free(&p);
  }
  stopped_close(&w);
}

// a stop that is met and would be left within one step of the continuous equations: at the top of a
// parabola, 2.5 mm beyond
static void a_stop_within_a_step_is_found(void **state) {
  (void)state;
  stopped w = slider_open();
  fb_plant p = plant_of(&w, EQUATIONS);
  const double a = 10, v = sqrt(2 * a * 0.0525);
  double x[] = {0.25, 2 * v};
  const double met = (v - sqrt(v * v - 2 * a * 0.05)) / a;
  step(&p, x, -2 * a, 0.2);
  assert_close(x[0], 0.3 - a * (0.2 - met) * (0.2 - met) / 2, 1e-7);
  assert_close(x[1], -2 * a * (0.2 - met), 1e-6);

  // one that just is not met changes nothing
  double free[] = {0.25, 2 * sqrt(2 * a * 0.0499)};
  const double v0 = free[1] / 2;
  step(&p, free, -2 * a, 0.2);
  assert_close(free[0], 0.25 + v0 * 0.2 - a * 0.02, 1e-10);
  fb_plant_free(&p), stopped_close(&w);
}

// the same while another mass is pressed on its stop: it meets its own, and leaves it within the step
static void a_stop_is_found_beside_one_that_pushes(void **state) {
  (void)state;
  static const double low[] = {-INFINITY, -INFINITY}, high[] = {0.3, 1};
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 1, 0, 0)};
  dm_body b[] = {{"a", -1, dm_identity, 0, 1, 2, {0}, {0}},
                 {"b", -1, dm_identity, 1, 1, 1, {0}, {0}}};
  dm_input in[] = {models_input("x", 0), models_input("y", 1)};
  stopped w =
      stopped_open(models_make(&(dm_tree){
                       .nbody = 2, .ncoord = 2, .ninput = 2, .body = b, .coord = c, .input = in}),
                   low, high, 0);
  fb_plant p = plant_of(&w, EQUATIONS);
  const double a = 10, v = sqrt(2 * a * 0.0525), u[] = {-2 * a, 5};
  const double met = (v - sqrt(v * v - 2 * a * 0.05)) / a;
  double x[] = {0.25, 1, 2 * v, 0};
  assert_int_equal(p.step(p.self, x, u, 0.2), DM_OK);
  assert_close(x[0], 0.3 - a * (0.2 - met) * (0.2 - met) / 2, 1e-7);
  assert_close(x[1], 1, 1e-9), assert_close(x[3], 0, 1e-9);

  // what just does not meet its stop does not
  const double v0 = sqrt(2 * a * 0.0499);
  double free[] = {0.25, 1, 2 * v0, 0};
  assert_int_equal(p.step(p.self, free, u, 0.2), DM_OK);
  assert_close(free[0], 0.25 + v0 * 0.2 - a * 0.02, 1e-10);
  assert_int_equal(w.met, 2);
  fb_plant_free(&p), stopped_close(&w);
}

static const double elbow_low[] = {-INFINITY, -0.2}, elbow_high[] = {INFINITY, 0.5};

// an elbow that is pressed on its stop: the motion of an arm whose elbow a constraint holds there
static void a_pressed_joint_moves_as_one_that_is_held(void **state) {
  (void)state;
  stopped w = stopped_open(models_acrobot(), elbow_low, elbow_high, 0);
  dm_constraints *held;
  dm_message msg;
  const dm_constraint row = {
      .name = "elbow", .kind = DM_EQUAL, .coord = {1, 1}, .shift = 0.5, .body = {-1, -1}};
  assert_int_equal(dm_constraints_new(&held, w.m, 1, &row, &msg), DM_OK);
  dm_system arm = w.s;
  arm.hol = dm_constraints_holonomic(held);
  for (int kind = 0; kind < PLANTS; kind++) {
    fb_plant p = plant_of(&w, kind), q;
    assert_int_equal(
        kind == MAP ? fb_plant_discrete(&q, &arm) : fb_plant_continuous(&q, &arm, 1e-11), DM_OK);
    double x[] = {1.5, 0.5, 0, 0}, y[] = {1.5, 0.5, 0, 0};
    for (int k = 0; k < 100; k++) {
      step(&p, x, 20, 0.01), step(&q, y, 20, 0.01);
      for (int i = 0; i < 2; i++) assert_close(x[i], y[i], kind == MAP ? 1e-9 : 1e-7);
    }
    fb_plant_free(&p), fb_plant_free(&q);
  }
  dm_constraints_free(held), stopped_close(&w);
}

// an impact at the elbow: the shoulder's momentum stays, the elbow's speed ends, energy falls
static void an_impact_takes_the_speed_of_its_joint_alone(void **state) {
  (void)state;
  stopped w = stopped_open(models_acrobot(), elbow_low, elbow_high, 0);
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &w.s), DM_OK);
  for (int kind = 0; kind < PLANTS; kind++) {
    fb_plant p = plant_of(&w, kind);
    const double q[] = {0.3, 0.5}, v[] = {1, 3};
    double x[4] = {0.3, 0.5}, v1[2] = {0}, before, after, potential, M[2];
    assert_int_equal(dm_momentum_of(c, q, v, x + 2), DM_OK);
    const double p0 = x[2];
    assert_int_equal(dm_energies(c, q, v, &before, &potential), DM_OK);
    step(&p, x, 0, 1e-7);
    assert_int_equal(dm_velocity_of(c, x, x + 2, v1), DM_OK);
    assert_close(v1[1], 0, 1e-5);
    assert_close(x[2], p0, 1e-5);

    // what is left is p0^2 / 2 M00
    assert_int_equal(dm_momentum_of(c, q, (const double[]){1, 0}, M), DM_OK);
    assert_int_equal(dm_energies(c, x, v1, &after, &potential), DM_OK);
    assert_close(after, p0 * p0 / (2 * M[0]), 1e-5);
    assert_true(after < 0.95 * before);
    fb_plant_free(&p);
  }
  dm_continuous_free(c), stopped_close(&w);
}

// from stop to stop and back: steps of the map come to the continuous motion, which has events
static void the_map_comes_to_the_continuous_motion(void **state) {
  (void)state;
  stopped w = stopped_open(models_acrobot(), elbow_low, elbow_high, 0);
  double off[4], end[4] = {0.4, 0.1, 0, 0};
  fb_plant exact = plant_of(&w, EQUATIONS);
  for (int k = 0; k < 100; k++) step(&exact, end, k < 50 ? 6 : -6, 0.01);
  assert_close(end[1], -0.2, 1e-7); // it rests on the other stop
  for (int level = 0; level < 4; level++) {
    fb_plant p = plant_of(&w, MAP);
    const int each = 1 << level;
    double x[] = {0.4, 0.1, 0, 0};
    for (int k = 0; k < 100 * each; k++) step(&p, x, k < 50 * each ? 6 : -6, 0.01 / each);
    off[level] = fmax(fabs(x[0] - end[0]), fabs(x[1] - end[1]));
    fb_plant_free(&p);
  }
  assert_true(off[0] < 0.02 && off[3] < off[0] / 3);
  fb_plant_free(&exact), stopped_close(&w);
}

// two masses that a constraint couples: the stop of one stops both
static void a_stop_acts_through_constraints(void **state) {
  (void)state;
  static const double low[] = {-INFINITY, -INFINITY}, high[] = {0.3, INFINITY};
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 1, 0, 0)};
  dm_body b[] = {{"a", -1, dm_identity, 0, 1, 2, {0}, {0}},
                 {"b", -1, dm_identity, 1, 1, 1, {0}, {0}}};
  dm_input in[] = {models_input("x", 0)};
  stopped w =
      stopped_open(models_make(&(dm_tree){
                       .nbody = 2, .ncoord = 2, .ninput = 1, .body = b, .coord = c, .input = in}),
                   low, high, 0);
  dm_constraints *bar;
  dm_message msg;
  const dm_constraint row = {
      .name = "bar", .kind = DM_EQUAL, .coord = {1, 0}, .ratio = 2, .body = {-1, -1}};
  assert_int_equal(dm_constraints_new(&bar, w.m, 1, &row, &msg), DM_OK);
  w.s.hol = dm_constraints_holonomic(bar);
  for (int kind = 0; kind < PLANTS; kind++) {
    fb_plant p = plant_of(&w, kind);
    double x[] = {0, 0, 2, 2}; // v = (1, 2)
    for (int k = 0; k < 10; k++) step(&p, x, 0, 0.05);
    assert_close(x[0], 0.3, 1e-8), assert_close(x[1], 0.6, 1e-8);

    // m + 4 m' = 6 kg are pulled off
    for (int k = 0; k < 4; k++) step(&p, x, -6, 0.05);
    assert_close(x[0], 0.3 - 0.02, 1e-7), assert_close(x[1], 0.6 - 0.04, 1e-7);
    fb_plant_free(&p);
  }
  dm_constraints_free(bar), stopped_close(&w);
}

// the same bits whatever the plant was used for before
static void a_motion_is_of_itself_alone(void **state) {
  (void)state;
  stopped w = stopped_open(models_acrobot(), elbow_low, elbow_high, 0);
  for (int kind = 0; kind < PLANTS; kind++) {
    fb_plant p = plant_of(&w, kind);
    double first[4] = {0.4, 0.5, 0.1, 0.2}, other[4] = {-1, 0.1, 3, -1}, again[4];
    memcpy(again, first, sizeof again);
    for (int k = 0; k < 60; k++) step(&p, first, 5 * cos(k), 0.02);
    for (int k = 0; k < 37; k++) step(&p, other, -3, 0.03);
    for (int k = 0; k < 60; k++) step(&p, again, 5 * cos(k), 0.02);
    assert_memory_equal(first, again, sizeof first);
    fb_plant_free(&p);
  }
  stopped_close(&w);
}

static void other_contacts_are_refused(void **state) {
  (void)state;
  stopped w = stopped_open(models_acrobot(), elbow_low, elbow_high, 0.5);
  dm_system kinematic = w.s;
  fb_plant p;
  assert_int_equal(fb_plant_discrete_stopped(&p, &w.s, &w.g, NULL), DM_UNAVAILABLE);
  assert_int_equal(fb_plant_continuous_stopped(&p, &w.s, &w.g, 1e-9, NULL), DM_UNAVAILABLE);
  kinematic.nk = 1;
  assert_int_equal(fb_plant_discrete_stopped(&p, &kinematic, &w.g, NULL), DM_UNAVAILABLE);
  assert_int_equal(fb_plant_continuous_stopped(&p, &kinematic, &w.g, 1e-9, NULL), DM_UNAVAILABLE);
  stopped_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mass_is_stopped_and_leaves),
      cmocka_unit_test(a_stop_within_a_step_is_found),
      cmocka_unit_test(a_stop_is_found_beside_one_that_pushes),
      cmocka_unit_test(a_pressed_joint_moves_as_one_that_is_held),
      cmocka_unit_test(an_impact_takes_the_speed_of_its_joint_alone),
      cmocka_unit_test(the_map_comes_to_the_continuous_motion),
      cmocka_unit_test(a_stop_acts_through_constraints),
      cmocka_unit_test(a_motion_is_of_itself_alone),
      cmocka_unit_test(other_contacts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
