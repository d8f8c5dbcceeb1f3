// The collision integrator: contacts that are pressed, that accumulate, and that are met too often.
#include "tests/support/particles.h"

#include "lib/studies/event_driven.h"

static dm_contact_integrator_settings by_events(void) {
  dm_contact_integrator_settings set = dm_contact_integrator_default();
  set.method = &dm_collision;
  return set;
}

// Pressed to a floor an elastic ball rattles: flights shorter than flight h are passed, and so it
// sinks by its fall in one of these, g (flight h)^2 / 2, and no deeper.
static void what_is_pressed_rattles(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    static particles_plan plan;
    const double h = 0.1;
    double q[] = {0, 0}, p[] = {1, 0};
    plan = (particles_plan){.axes = "xz", .gravity = 2};
    particles_contact(&plan, DM_ABOVE, 0, -1, 0);
    dm_contact_integrator_settings set = by_events();
    set.flight = 0.25 / (1 << i);
    particles x = particles_make(&plan, 1, q, p, &set);
    const double E0 = particles_energy(&x), fall = 2 * pow(set.flight * h, 2) / 2;
    double deepest = 0;
    for (int k = 0; k < 1000; k++) {
      assert_int_equal(particles_step(&x, h), DM_OK);
      deepest = fmax(deepest, x.info.penetration);
      assert_true(x.info.cuts <= 1 + 1 / set.flight);
    }
    assert_true(deepest > 0 && deepest <= fall * (1 + 1e-6));
    assert_close(particles_energy(&x), E0, 1e-9);
    assert_close(x.q[0], 100, 1e-9);
    particles_free(&x);
  }
}

// Two particles along the inside of a sphere: all steps are taken, and the moment is kept.
static void a_motion_along_a_sphere_goes_on(void **state) {
  (void)state;
  static const double steps[] = {0.05, 0.02, 0.01};
  for (int i = 0; i < 3; i++) {
    dm_contact_integrator_settings set = by_events();
    particles x = particles_sphere(1, &set);
    const double E0 = particles_energy(&x);
    double off = 0, deepest = 0;
    for (int k = 0; k < (int)(10 / steps[i]); k++) {
      assert_int_equal(particles_step(&x, steps[i]), DM_OK);
      off = fmax(off, fabs(particles_energy(&x) - E0));
      deepest = fmax(deepest, x.info.penetration);
    }
    // both are of parts of a step, whose errors fall with its square
    assert_true(off < 1e-3 * steps[i] * steps[i]);
    assert_true(deepest < 5e-3 * steps[i] * steps[i]);
    assert_close(particles_turning(&x), 2, 1e-12);
    particles_free(&x);
  }
}

// A ball that loses half its speed in each impact: they accumulate at t* = sqrt(2) (1 + 2 e/(1 - e)),
// after which it lies still, where it landed.
static void impacts_that_accumulate_end(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    static particles_plan plan;
    const double e = i ? 0 : 0.5, h = 0.1, end = sqrt(2) * (1 + 2 * e / (1 - e));
    double q = 1, p = 0, before = INFINITY;
    plan = (particles_plan){.axes = "z", .gravity = 1};
    particles_contact(&plan, DM_ABOVE, 0, -1, 0)->restitution = e;
    dm_contact_integrator_settings set = by_events();
    particles x = particles_make(&plan, 1, &q, &p, &set);
    for (int k = 0; k < 300; k++) {
      assert_int_equal(particles_step(&x, h), DM_OK);
      const double H = particles_energy(&x);
      assert_true(H <= before + 1e-9);
      before = H;
      if ((k + 1) * h < end - h) assert_true(H > 1e-4);
      if ((k + 1) * h < end + h) continue;
      assert_close(x.q[0], 0, 2e-9);
      assert_close(x.p[0], 0, 1e-12);
      assert_true(x.w->contact[0]);
    }
    particles_free(&x);
  }
}

// Each impact leaves the share e of the speed, however long a step is beside the flights between
// them: after n of them E = e^2n, until a flight is shorter than that which is passed.
static void each_impact_takes_its_share(void **state) {
  (void)state;
  static const double rows[][2] = {{0.9, 0.5}, {0.9, 3}, {0.5, 1}, {0.98, 2}};
  for (int i = 0; i < COUNT(rows); i++) {
    static particles_plan plan;
    const double e = rows[i][0], h = rows[i][1];
    double q = 1, p = 0;
    plan = (particles_plan){.axes = "z", .gravity = 1};
    particles_contact(&plan, DM_ABOVE, 0, -1, 0)->restitution = e;
    dm_contact_integrator_settings set = by_events();
    particles x = particles_make(&plan, 1, &q, &p, &set);

    // the next impact is at t, the flight after it takes 2 speed
    double t = sqrt(2), speed = e * sqrt(2);
    int count = 0;
    for (int k = 1; 2 * speed > h / 8; k++) {
      assert_int_equal(particles_step(&x, h), DM_OK);
      for (; t < k * h && 2 * speed > h / 8; t += 2 * speed, speed *= e) count++;
      if (2 * speed > h / 8) assert_close(particles_energy(&x), pow(e, 2 * count), 1e-7);
    }
    assert_true(count > 2);
    particles_free(&x);
  }
}

// Kept is an energy whose velocities are those of whole steps, from the first step on: a pendulum on
// a rod is taken the same way whether there was an impact before or not.
static void a_step_knows_nothing_of_impacts_before(void **state) {
  (void)state;
  static particles_plan plan;
  static const double origin[3] = {0};
  plan = (particles_plan){.axes = "xz", .gravity = 1, .rule = "trapezoid"};
  particles_rod(&plan, 0, -1, origin, 1);
  particles_field(&plan, 0, dm_spring_law_linear(30, 0));
  particles_contact(&plan, DM_ABOVE, 0, -1, -0.9);
  const double q[] = {0.8, -0.6}, p[] = {0.6, 0.8};
  double q1[2], p1[2];
  dm_contact_integrator_settings set = by_events();
  set.energy = DM_ENERGY_VERLET;
  particles x = particles_make(&plan, 1, q, p, &set);
  assert_int_equal(dm_contact_integrator_step(x.w, q, p, x.u, 0.2, q1, p1, &x.info), DM_OK);
  assert_int_equal(x.info.impact.passes, 0);
  for (int k = 0, passes = 0; passes == 0; k++) {
    assert_in_range(k, 0, 1000);
    assert_int_equal(particles_step(&x, 0.2), DM_OK);
    passes += x.info.impact.passes;
  }
  double q2[2], p2[2];
  assert_int_equal(dm_contact_integrator_step(x.w, q, p, x.u, 0.2, q2, p2, &x.info), DM_OK);
  for (int i = 0; i < 2; i++) {
    assert_close(q2[i], q1[i], 1e-14);
    assert_close(p2[i], p1[i], 1e-14);
  }
  particles_free(&x);
}

// A step of ten lengths of its rod has no solution: what is said to have sunk is what the state has,
// not the last iterate.
static void a_step_that_fails_has_not_sunk(void **state) {
  (void)state;
  static particles_plan plan;
  static const double origin[3] = {0};
  const double q[] = {0, 1}, p[] = {10, 0};
  plan = (particles_plan){.axes = "xz", .gravity = 1};
  particles_rod(&plan, 0, -1, origin, 1);
  particles_contact(&plan, DM_ABOVE, 0, -1, 0.5);
  dm_contact_integrator_settings set = by_events();
  particles x = particles_make(&plan, 1, q, p, &set);
  assert_int_equal(particles_step(&x, 1), DM_MAX_ITER);
  assert_true(x.q[0] == q[0] && x.q[1] == q[1]);
  assert_true(x.info.penetration == 0);
  particles_free(&x);
}

// A column of balls that rattles on its floor.
static void a_column_goes_on(void **state) {
  (void)state;
  static particles_plan plan;
  double q[] = {0, 1, 2}, p[] = {0, 0, 0};
  plan = (particles_plan){.axes = "z", .gravity = 1};
  particles_contact(&plan, DM_ABOVE, 0, -1, 0);
  particles_contact(&plan, DM_AT_LEAST, 0, 1, 1);
  particles_contact(&plan, DM_AT_LEAST, 1, 2, 1);
  dm_contact_integrator_settings set = by_events();
  particles x = particles_make(&plan, 3, q, p, &set);
  for (int k = 0; k < 500; k++) assert_int_equal(particles_step(&x, 0.05), DM_OK);
  for (int i = 0; i < 3; i++) assert_close(x.q[i], q[i], 1e-3);
  particles_free(&x);
}

// Kept is a Hamiltonian whose velocities are those of whole steps: by them the foot of a pogo stick
// leaves while it approaches by its own. What approaches is reflected all the same.
static void what_approaches_is_reflected_by_any_energy(void **state) {
  (void)state;
  static const dm_impact_energy kept[] = {DM_ENERGY_HAMILTONIAN, DM_ENERGY_VERLET,
                                          DM_ENERGY_DISCRETE};
  for (int i = 0; i < 3; i++) {
    dm_contact_integrator_settings set = by_events();
    set.energy = kept[i];
    particles x = particles_pogo(100, 9.8, &set);
    x.q[0] = 1;
    x.q[1] = 0;
    x.p[0] = -4.67;
    x.p[1] = -0.089;
    assert_int_equal(particles_step(&x, 0.05), DM_OK);
    assert_in_range(x.info.cuts, 0, 10);

    // and for as long as one likes
    for (int k = 0; k < 20000; k++) assert_int_equal(particles_step(&x, 0.05), DM_OK);
    particles_free(&x);
  }
}

// A ball that crosses its cage a thousand times in a step: the step says so.
static void contacts_met_too_often_are_said(void **state) {
  (void)state;
  static particles_plan plan;
  plan = (particles_plan){.axes = "z"};
  particles_contact(&plan, DM_NOT_BELOW, 0, -1, 0);
  particles_contact(&plan, DM_NOT_ABOVE, 0, -1, 1);
  double q = 0.5, p = 1;
  dm_message msg;
  dm_contact_integrator_settings set = by_events();
  particles x = particles_make(&plan, 1, &q, &p, &set);
  dm_status s = particles_step(&x, 1000);
  assert_int_equal(s, DM_MAX_ITER);
  dm_contact_integrator_explain(&msg, s, x.w, &x.info, 7);
  assert_string_equal(msg.text, "no step from knot 7: contacts are met 100 times within it, "
                                "'contact' the last; take a shorter step, or the method gvi");
  particles_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_pressed_rattles),
      cmocka_unit_test(a_motion_along_a_sphere_goes_on),
      cmocka_unit_test(impacts_that_accumulate_end),
      cmocka_unit_test(each_impact_takes_its_share),
      cmocka_unit_test(a_step_knows_nothing_of_impacts_before),
      cmocka_unit_test(a_step_that_fails_has_not_sunk),
      cmocka_unit_test(a_column_goes_on),
      cmocka_unit_test(what_approaches_is_reflected_by_any_energy),
      cmocka_unit_test(contacts_met_too_often_are_said),
  };
  return cmocka_run_group_tests_name("event_driven", tests, NULL, NULL);
}
