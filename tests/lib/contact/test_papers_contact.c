// The examples of paper 002, with the stand-in parameters of tests/support/particles.h: energies
// and momenta within the windows that were measured, and laws in closed form.
#include "tests/support/particles.h"

static dm_contact_integrator_settings by(const char *method) {
  dm_contact_integrator_settings set = dm_contact_integrator_default();
  assert_int_equal(dm_contact_method_find(&set.method, method, NULL), DM_OK);
  return set;
}

// extremes over a motion
typedef struct record {
  double E0, low, high, last; // energy
  double L0, turned;          // angular momentum, its largest change
  double penetration;
  int passes, made, left;
} record;

static record run(particles *x, double h, double T) {
  record r = {.E0 = particles_energy(x), .L0 = particles_turning(x)};
  r.low = r.high = r.E0;
  for (int k = 0; k < (int)(T / h + 0.5); k++) {
    assert_int_equal(particles_step(x, h), DM_OK);
    r.last = particles_energy(x);
    r.low = fmin(r.low, r.last);
    r.high = fmax(r.high, r.last);
    r.turned = fmax(r.turned, fabs(particles_turning(x) - r.L0));
    r.penetration = fmax(r.penetration, x->info.penetration);
    r.passes += x->info.impact.passes;
    r.made += x->info.made;
    r.left += x->info.left;
  }
  return r;
}
#define assert_within(x, low, high)                                                                \
  do {                                                                                             \
    if (!((x) >= (low) && (x) <= (high))) fail_msg("%s = %.9g", #x, x);                            \
  } while (0)

// -- a ball on a floor

static void a_ball_keeps_its_energy(void **state) {
  (void)state;
  static const char *const methods[] = {"gvi", "gvi-linearized", "collision"};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      dm_contact_integrator_settings set = by(methods[i]);
      particles x = particles_ball(1 + 0.01 * k, &set);
      record r = run(&x, 0.1, 30);
      assert_close(r.low, r.E0, 1e-13);
      assert_close(r.high, r.E0, 1e-13);
      assert_in_range(r.passes, 10, 11); // a bounce takes 2 sqrt(2 q0)
      assert_int_equal(r.made, r.passes);
      particles_free(&x);
    }
}

// The speed after a wall, without gravity, of a ball that comes at speed 1 and whose last free knot
// is zeta h before it: a force at the midpoint, at the end.
static void direct_methods_bounce_by_chance(void **state) {
  (void)state;
  static const char *const methods[] = {"direct-midpoint", "direct-endpoint", "imex-newmark"};
  const double h = 0.1;
  for (double zeta = 0.03; zeta < 0.5; zeta += 0.0517)
    for (int i = 0; i < 3; i++) {
      dm_contact_integrator_settings set = by(methods[i]);
      static particles_plan plan;
      plan = (particles_plan){.axes = "z"};
      particles_contact(&plan, DM_ABOVE, 0, -1, 0);
      double q = (2 + zeta) * h, p = -1;
      particles x = particles_make(&plan, 1, &q, &p, &set);
      for (int k = 0; k < 6; k++) assert_int_equal(particles_step(&x, h), DM_OK);
      double expected = zeta <= 1. / 6 ? 1 - 4 * zeta : 8 * zeta - 1;
      assert_close(x.p[0], i == 0 ? expected : fabs(1 - 2 * zeta), 1e-12);
      particles_free(&x);
    }
}

// Newmark's force acts on in the step after: 3 - 4 zeta
static void newmark_bounces_too_fast(void **state) {
  (void)state;
  const double h = 0.1;
  for (double zeta = 0.03; zeta < 0.6; zeta += 0.0517) {
    dm_contact_integrator_settings set = by("newmark");
    static particles_plan plan;
    plan = (particles_plan){.axes = "z"};
    particles_contact(&plan, DM_ABOVE, 0, -1, 0);
    double q = (2 + zeta) * h, p = -1;
    particles x = particles_make(&plan, 1, &q, &p, &set);
    for (int k = 0; k < 6; k++) assert_int_equal(particles_step(&x, h), DM_OK);
    assert_close(x.p[0], 3 - 4 * zeta, 1e-12);
    particles_free(&x);
  }
}

// by how much hangs on rounding
static void direct_methods_lose_and_gain(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    dm_contact_integrator_settings set = by("direct-midpoint");
    particles x = particles_ball(1 + 0.01 * k, &set);
    record r = run(&x, 0.1, 30);
    assert_true(r.high > 1.5 && r.low < 0.7 && r.penetration > 0.02);
    particles_free(&x);
    set = by(k ? "direct-endpoint" : "imex-newmark");
    x = particles_ball(1 + 0.01 * k, &set);
    r = run(&x, 0.1, 30);
    assert_true(r.high <= r.E0 + 1e-13 && r.last < 0.05 && r.penetration < 1e-11);
    particles_free(&x);
    set = by("newmark");
    x = particles_ball(1 + 0.01 * k, &set);
    r = run(&x, 0.1, 30);
    assert_true(r.high > 1.05 * r.E0);
    particles_free(&x);
  }
}

// -- spring and sphere

static void a_smooth_motion_along_a_sphere_stays_there(void **state) {
  (void)state;
  static const char *const methods[] = {"smooth", "gvi"};
  for (int i = 0; i < 2; i++) {
    dm_contact_integrator_settings set = by(methods[i]);
    particles x = particles_sphere(1, &set);
    for (int k = 0; k < 5; k++) {
      record r = run(&x, 0.05, 200);
      assert_within(r.low, 0.0854, 0.0855);
      assert_within(r.high, 0.08570, 0.08579);
      assert_within(r.penetration, 0, 1e-13);
      assert_close(particles_turning(&x), 2, 1e-12);
      assert_int_equal(r.passes + r.left, 0);
      assert_int_equal(x.info.closed, 2);
    }
    particles_free(&x);
  }

  // direct substitution loses energy and the turning
  dm_contact_integrator_settings set = by("direct-endpoint");
  particles x = particles_sphere(1, &set);
  record r = run(&x, 0.05, 100);
  assert_within(r.last, -1, -0.98);
  assert_within(particles_turning(&x), 0.10, 0.13);
  particles_free(&x);
}

// one particle bounces, the other slides; the first's energy is kept for small steps only
static void smooth_and_nonsmooth_modes_go_together(void **state) {
  (void)state;
  static const struct {
    double h, T, low, high, penetration;
  } rows[] = {{0.05, 1000, 0.154, 0.181, 1.4e-3},
              {0.025, 400, 0.1545, 0.15534, 2.1e-4},
              {0.0125, 400, 0.1546, 0.15497, 5.3e-5}};
  for (int i = 0; i < COUNT(rows); i++) {
    dm_contact_integrator_settings set = by("gvi");
    particles x = particles_sphere(0.9, &set);
    record r = run(&x, rows[i].h, rows[i].T);
    assert_within(r.low, rows[i].low, r.E0);
    assert_within(r.high, r.E0, rows[i].high);
    assert_within(r.penetration, 0, rows[i].penetration);
    assert_within(r.turned, 0, 2e-12);
    assert_true(r.passes > 500 && x.w->contact[1]);
    // the one that slides is on the boundary
    assert_close(hypot(x.q[2], x.q[3]), 1, 1e-13);
    particles_free(&x);
  }
}

// -- a pogo stick

// {lowest, highest} in every fifth of 2000 units, of impacts that keep H and the numerical one
static void a_pogo_stick_hops_on(void **state) {
  (void)state;
  static const struct {
    dm_impact_energy kept;
    double g, low, high;
  } rows[] = {{DM_ENERGY_HAMILTONIAN, 9.8, 29.39, 33.2},
              {DM_ENERGY_VERLET, 9.8, 27.7, 30.9},
              {DM_ENERGY_HAMILTONIAN, 1, 2.999, 3.32},
              {DM_ENERGY_VERLET, 1, 2.84, 3.13},
              {DM_ENERGY_DISCRETE, 9.8, 23.5, 31.5}};
  double width[5] = {0};
  for (int i = 0; i < COUNT(rows); i++) {
    dm_contact_integrator_settings set = by("gvi");
    set.energy = rows[i].kept;
    particles x = particles_pogo(100, rows[i].g, &set);
    for (int k = 0; k < 5; k++) {
      record r = run(&x, 0.05, 400);
      assert_within(r.low, rows[i].low, rows[i].high);
      assert_within(r.high, rows[i].low, rows[i].high);
      width[i] = fmax(width[i], r.high - r.low);
      assert_true(r.passes > 200);
    }
    particles_free(&x);
  }
  assert_true(width[1] < width[0] && width[3] < width[2]);

  // steps cut at contacts lose the bound at either end, from each of six starts that differ by 1e-9 m;
  // how far each goes hangs on rounding
  double lowest = INFINITY, highest = 0;
  for (int i = 0; i < 6; i++) {
    dm_contact_integrator_settings set = by("collision");
    particles x = particles_pogo(100, 1, &set);
    x.q[0] += i * 1e-9;
    x.q[1] += i * 1e-9;
    record r = run(&x, 0.05, 2000);
    assert_true(r.low < rows[2].low - 0.05 && r.high > rows[2].high);
    assert_true(r.high - r.low > 2 * width[2]);
    assert_within(r.penetration, 0, 1e-9);
    lowest = fmin(lowest, r.low);
    highest = fmax(highest, r.high);
    particles_free(&x);
  }
  assert_true(lowest < 2.5 && highest > 3.8);
}

// -- a nonlinear oscillator

static void an_oscillator_keeps_energy_and_momentum(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    dm_contact_integrator_settings set = by("gvi");
    particles x = particles_oscillator(&set);
    record r = run(&x, i ? 0.025 : 0.05, 500);
    assert_close(r.E0, 4.25, 1e-14);
    assert_within(r.low, i ? 4.2478 : 4.2414, i ? 4.2479 : 4.2415);
    assert_close(r.high, 4.25, 1e-9);
    assert_within(r.turned, 0, 1e-11);
    assert_true(r.passes > 600);
    particles_free(&x);
  }
  dm_contact_integrator_settings set = by("collision");
  particles x = particles_oscillator(&set);
  record r = run(&x, 0.05, 150);
  assert_within(r.low, 4.24, 4.25);
  assert_within(r.turned, 0, 1e-11);
  particles_free(&x);
  // the losses of others
  set = by("direct-endpoint");
  x = particles_oscillator(&set);
  r = run(&x, 0.05, 500);
  assert_within(r.last, 1.54, 1.57);
  assert_within(particles_turning(&x), 1.13, 1.16);
  particles_free(&x);
  set = by("gvi-linearized");
  x = particles_oscillator(&set);
  r = run(&x, 0.05, 500);
  assert_within(r.low, 4.2, 4.25);
  assert_true(r.turned > 0.1);
  particles_free(&x);
}

// -- Newton's cradle

// the highest place of each ball from t0 on
static void swing(particles *x, double h, double T, double *top) {
  for (int i = 0; i < 5; i++) top[i] = -INFINITY;
  for (int k = 0; k < (int)(T / h + 0.5); k++) {
    assert_int_equal(particles_step(x, h), DM_OK);
    for (int i = 0; i < 5; i++) top[i] = fmax(top[i], x->q[2 * i + 1]);
  }
}

static void a_cradle_hands_over_and_takes_back(void **state) {
  (void)state;
  static const double steps[] = {0.01, 0.005};
  const double raised = -sqrt(0.5);
  for (int n = 1; n <= 3; n++)
    for (int s = 0; s < 2; s++) {
      dm_contact_integrator_settings set = by("gvi");
      particles x = particles_cradle(n, &set);
      double E0 = particles_energy(&x), top[5];

      // as many balls as were raised go up on the other side
      swing(&x, steps[s], 2.2, top);
      swing(&x, steps[s], 2.2, top);
      for (int i = 0; i < 5; i++) assert_close(top[i], i < 5 - n ? -1 : raised, 2e-3);

      // and back
      swing(&x, steps[s], 1.1, top);
      swing(&x, steps[s], 2, top);
      for (int i = 0; i < 5; i++) assert_close(top[i], i < n ? raised : -1, 2e-3);
      assert_close(particles_energy(&x), E0, 0.3 * steps[s] * steps[s]);

      // rods are kept
      double a[5];
      dm_holonomic hol = x.s.hol;
      assert_int_equal(hol.eval(hol.self, x.w->c->hol_scratch, x.q, a, NULL), DM_OK);
      for (int i = 0; i < 5; i++) assert_close(a[i], 0, 1e-13);
      particles_free(&x);
    }
  dm_contact_integrator_settings set = by("gvi");
  particles x = particles_cradle(2, &set);
  record r = run(&x, 0.05, 200);
  assert_close(r.E0, -4.4142136, 1e-7);
  assert_within(r.low, -4.4152, -4.414);
  assert_within(r.high, -4.4152, -4.414);
  particles_free(&x);
}

// Did two balls of a side go up by as much as those that were raised, and the others hang, within a
// fiftieth of that?
static bool two_went_out(const double *top, double side) {
  const double raised = 1 - sqrt(0.5);
  for (int i = 0; i < 5; i++) {
    bool out = side < 0 ? i < 2 : i >= 3;
    if (fabs(top[i] + 1 - (out ? raised : 0)) > raised / 50) return false;
  }
  return true;
}

// half swings, of at most `most`, until it is not two in, two out
static int count_handovers(double h, int most) {
  dm_contact_integrator_settings set = by("gvi");
  particles x = particles_cradle(2, &set);
  double top[5] = {-1, -1, -1, -1, -1}, side = -1;
  int count = 0;
  while (count < most) {
    assert_int_equal(particles_step(&x, h), DM_OK);

    // the mean displacement changes its sign with each half swing
    double mean = 0;
    for (int i = 0; i < 5; i++) mean += x.q[2 * i] - 0.2 * i;
    if (mean * side < 0) {
      if (!two_went_out(top, side)) break;
      for (int i = 0; i < 5; i++) top[i] = -1;
      side = -side;
      count++;
    }
    for (int i = 0; i < 5; i++) top[i] = fmax(top[i], x.q[2 * i + 1]);
  }
  particles_free(&x);
  return count;
}

// some 0.3/h half swings
static void two_in_two_out_and_longer_for_smaller_h(void **state) {
  (void)state;
  static const double steps[] = {0.05, 0.02, 0.01, 0.005};
  int before = 0;
  for (int i = 0; i < COUNT(steps); i++) {
    int count = count_handovers(steps[i], 60);
    print_message("h = %g: %d handovers\n", steps[i], count);
    assert_true(count > before);
    before = count;
  }
}

// steps cut at contacts that lie together, some of them shorter than can be told
static void collisions_of_many_are_taken(void **state) {
  (void)state;
  dm_contact_integrator_settings set = by("collision");
  particles x = particles_cradle(2, &set);
  record r = run(&x, 0.02, 4);
  assert_within(r.low, -4.4152, -4.414);
  assert_within(r.high, -4.4152, -4.414);
  assert_true(r.passes > 0);
  particles_free(&x);
}

// -- six spheres

static void a_chain_of_spheres_keeps_its_energy(void **state) {
  (void)state;

  // those of problems/contact/spheres.yaml
  static const double p[18] = {0.15914055975275343,   1.1445479874132891,    0.33043707618338714,
                               -0.81448324307547049,  0.58242602276098676,   0.44637457236401129,
                               -0.81448324307547071,  0.62390036276590732,   0.36457239618607573,
                               0.25864014044237704,   0.0043322884181955061, 0.54671298661244694,
                               -0.063407933327781274, -0.18160225366500571,  -0.48211931267997826,
                               -0.063407933327781385, 0.039722107481659115,  -0.29245675096508861};
  double error[2];
  for (int i = 0; i < 2; i++) {
    dm_contact_integrator_settings set = by("gvi");
    particles x = particles_chain(p, &set);
    record r = run(&x, i ? 1e-3 : 2e-3, 20);
    error[i] = fmax(r.high - r.E0, r.E0 - r.low);

    // there are impacts, and rods are kept through them
    assert_in_range(r.passes, 10, 100);
    assert_within(r.penetration, 0, 1e-4);
    double a[5];
    dm_holonomic hol = x.s.hol;
    assert_int_equal(hol.eval(hol.self, x.w->c->hol_scratch, x.q, a, NULL), DM_OK);
    for (int k = 0; k < 5; k++) assert_close(a[k], 0, 1e-13);
    particles_free(&x);
  }
  assert_within(error[0], 1.36e-3, 1.38e-3);
  assert_within(error[1], 6.17e-4, 6.19e-4);
}

// -- a gas of discs

static void a_gas_keeps_its_energy(void **state) {
  (void)state;
  dm_contact_integrator_settings set = by("gvi");
  particles x = particles_gas(5, &set);
  record r = run(&x, 0.01, 10);
  assert_close(r.low, r.E0, 1e-11);
  assert_close(r.high, r.E0, 1e-11);
  assert_true(r.passes > 500 && r.made >= r.left);
  assert_within(r.penetration, 0, 0.05);
  particles_free(&x);
}

// a ball that crosses its cage many times in a step is followed as far as it was said to be
static void cuts_of_a_step_are_counted(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    static particles_plan plan;
    plan = (particles_plan){.axes = "z"};
    particles_contact(&plan, DM_NOT_BELOW, 0, -1, 0);
    particles_contact(&plan, DM_NOT_ABOVE, 0, -1, 1);
    double q = 0.5, p = 1;
    dm_contact_integrator_settings set = dm_contact_integrator_default();
    set.method = &dm_collision;
    set.max_cuts = i ? 5 : 6;
    particles x = particles_make(&plan, 1, &q, &p, &set);

    // 5.25 cages in a step: five walls are met
    assert_int_equal(particles_step(&x, 5.25), i ? DM_MAX_ITER : DM_OK);
    assert_int_equal(x.info.cuts, 5);
    if (i == 0) {
      assert_close(x.q[0], 0.25, 1e-8);
      assert_close(x.p[0], -1, 1e-15);
    }
    particles_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_keeps_its_energy),
      cmocka_unit_test(direct_methods_bounce_by_chance),
      cmocka_unit_test(newmark_bounces_too_fast),
      cmocka_unit_test(direct_methods_lose_and_gain),
      cmocka_unit_test(a_smooth_motion_along_a_sphere_stays_there),
      cmocka_unit_test(smooth_and_nonsmooth_modes_go_together),
      cmocka_unit_test(a_pogo_stick_hops_on),
      cmocka_unit_test(an_oscillator_keeps_energy_and_momentum),
      cmocka_unit_test(a_cradle_hands_over_and_takes_back),
      cmocka_unit_test(two_in_two_out_and_longer_for_smaller_h),
      cmocka_unit_test(collisions_of_many_are_taken),
      cmocka_unit_test(cuts_of_a_step_are_counted),
      cmocka_unit_test(a_chain_of_spheres_keeps_its_energy),
      cmocka_unit_test(a_gas_keeps_its_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
