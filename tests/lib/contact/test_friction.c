// Coulomb friction on contacts: a block on an incline sticks, slides and stops where it must, a
// ball bounces off obliquely, a pile loses energy only.
#include "tests/support/particles.h"

#include <math.h>

static const double g = 9.81;

// a block of 2 kg on a plane that falls along x, inclined by an angle, pushed with v0 (m/s) down
// and v1 across it
static particles block(double angle, double mu, double v0, double v1) {
  static particles_plan plan;
  plan = (particles_plan){.axes = "xyz", .gravity = g};
  dm_contact *c = particles_contact(&plan, DM_ABOVE, 0, -1, 0);
  c->axis[0] = sin(angle);
  c->axis[2] = cos(angle);
  c->restitution = 0;
  c->friction = mu;
  double q[3] = {0}, p[3] = {v0 * cos(angle), v1, -v0 * sin(angle)};
  return particles_make(&plan, 1, q, p, NULL);
}

// way and speed down the plane
static double down(double angle, const double *x) {
  return x[0] * cos(angle) - x[2] * sin(angle);
}

// takes steps in which the energy does not rise
static void run(particles *x, int steps, double h) {
  for (int k = 0; k < steps; k++) {
    double E = particles_energy(x);
    assert_int_equal(particles_step(x, h), DM_OK);
    double more = particles_energy(x) - E;
    if (more > 1e-13 * (1 + fabs(E))) fail_msg("step %d gains %.3g J", k, more);
  }
}

static void a_block_sticks_below_the_angle_of_friction(void **state) {
  (void)state;
  const double mu = 0.5, angle = atan(mu) - 1e-6;
  particles x = block(angle, mu, 0, 0);
  run(&x, 1000, 0.01);
  for (int i = 0; i < 3; i++) {
    if (fabs(x.q[i]) > 1e-14 || fabs(x.p[i]) > 1e-14)
      fail_msg("crept to %.3g, moves by %.3g", x.q[i], x.p[i]);
  }
  // friction takes off its weight's part along the plane, in each step
  assert_true(fabs(hypot(x.w->friction_impulse[0], x.w->friction_impulse[1]) -
                   0.01 * g * sin(angle)) < 1e-14);
  assert_true(fabs(x.w->impulse[0] - 0.01 * g * cos(angle)) < 1e-14);
  particles_free(&x);
}

static void a_block_slides_above_it_with_the_acceleration_left(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    const double mu = 0.2 * i + 0.1, angle = atan(mu) + (i == 2 ? 1e-6 : 0.2), t = 2;
    const double a = g * (sin(angle) - mu * cos(angle));
    particles x = block(angle, mu, 0, 0);
    run(&x, 200, t / 200);
    assert_true(fabs(down(angle, x.p) - a * t) < 1e-12 * (1 + a));
    assert_true(fabs(down(angle, x.q) - a * t * t / 2) < 1e-12 * (1 + a));
    particles_free(&x);
  }
}

// A block slides on a rough floor along a smooth wall that it leans on: the floor alone slows it.
static void a_smooth_wall_does_not_slow(void **state) {
  (void)state;
  static particles_plan plan;
  plan = (particles_plan){.axes = "xyz", .gravity = g};
  dm_contact *wall = particles_contact(&plan, DM_ABOVE, 0, -1, 0);
  wall->axis[0] = 0.6;
  wall->axis[2] = 0.8;
  wall->restitution = 0;
  particles_contact(&plan, DM_ABOVE, 0, -1, 0)->friction = 0.3;
  wall = &plan.contact[1];
  wall->axis[0] = -0.6;
  wall->axis[2] = 0.8;
  wall->restitution = 0;
  double q[3] = {0}, p[] = {0, 4, 0}, t = 0.5;
  particles x = particles_make(&plan, 1, q, p, NULL);
  run(&x, 100, t / 100);
  // of the weight each bears 1/(2 0.8)
  assert_close(x.p[1], 4 - 0.3 * g / 1.6 * t, 1e-12);
  assert_close(x.q[1], 4 * t - 0.3 * g / 1.6 * t * t / 2, 1e-12);
  particles_free(&x);
}

// by the square of the step: from a push it stops within a step, after v^2/2a, and stays there
static void a_pushed_block_stops_after_its_way(void **state) {
  (void)state;
  const double mu = 0.6, angle = 0.4, a = g * (mu * cos(angle) - sin(angle)), v = 1;
  for (int i = 0; i < 4; i++) {
    const double h = 0.01 / (1 << i);
    particles x = block(angle, mu, v, 0);
    run(&x, (int)(1.1 * v / a / h) + 2, h);
    double way = down(angle, x.q), off = fabs(way - v * v / 2 / a);
    if (off > a * h * h) fail_msg("h %g: stopped after %.17g, %.3g off", h, way, off);
    run(&x, 200, h);
    assert_true(fabs(down(angle, x.q) - way) < 1e-14);
    particles_free(&x);
  }
}

// on a level floor friction is against the velocity, whichever way that is: it moves straight
static void friction_knows_no_axes(void **state) {
  (void)state;
  for (int i = 0; i < 8; i++) {
    const double way = 0.3 + 0.77 * i, mu = 0.3;
    particles x = block(0, mu, 2 * cos(way), 2 * sin(way));
    run(&x, 100, 0.005);
    const double v = 2 - mu * g * 0.5, s = 2 * 0.5 - mu * g * 0.125;
    assert_true(fabs(x.p[0] - v * cos(way)) < 1e-12 && fabs(x.p[1] - v * sin(way)) < 1e-12);
    assert_true(fabs(x.q[0] - s * cos(way)) < 1e-12 && fabs(x.q[1] - s * sin(way)) < 1e-12);
    particles_free(&x);
  }
}

// a ball that comes down obliquely keeps e of its speed along the normal, and loses mu (1 + e) of
// it along the floor, or all it has there
static void an_oblique_impact_loses_what_the_normal_one_allows(void **state) {
  (void)state;
  static const struct {
    double mu, e, along, after;
  } rows[] = {{0.3, 1, 2, 1.4}, {0.3, 0.5, 2, 1.55}, {0.3, 0.5, 0.2, 0}, {1, 0, 0.5, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    particles_plan plan = {.axes = "xyz"};
    dm_contact *c = particles_contact(&plan, DM_ABOVE, 0, -1, 0);
    c->restitution = rows[i].e;
    c->friction = rows[i].mu;
    double q[3] = {0, 0, 0.1}, p[3] = {0.6 * rows[i].along, 0.8 * rows[i].along, -1};
    particles x = particles_make(&plan, 1, q, p, NULL);
    run(&x, 20, 0.03);
    assert_true(fabs(x.p[2] - rows[i].e) < 1e-14);
    assert_true(fabs(x.p[0] - 0.6 * rows[i].after) < 1e-14);
    assert_true(fabs(x.p[1] - 0.8 * rows[i].after) < 1e-14);
    particles_free(&x);
  }
}

// The most that the energy of a stick rises by in a step while it falls over on its foot, and what
// it loses altogether.
static double rise(double mu, double h, double *lost) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                       models_coord("lean", false, 0, 1, 0)};
  dm_body b[] = {{"stick", -1, dm_identity, 0, 3, 1, {0}, {1. / 12, 1. / 12, 1e-3}}};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 3, .body = b, .coord = c, .gravity = {0, 0, -g}});
  dm_contact foot = {.name = "foot", .kind = DM_ABOVE, .body = {0, -1}, .axis = {0, 0, 1}};
  foot.point[0][2] = -0.5;
  foot.friction = mu;
  dm_contacts *contacts;
  assert_int_equal(dm_contacts_new(&contacts, m, 1, &foot, NULL), DM_OK);
  dm_unilateral u = dm_contacts_unilateral(contacts);
  dm_system s = dm_system_of(m);
  dm_contact_integrator *w;
  dm_contact_integrator_info info;
  assert_int_equal(dm_contact_integrator_new(&w, &s, &u, NULL, NULL), DM_OK);
  const double lean = 0.5;
  double q[] = {0, 0.5 * cos(lean), lean}, p[3] = {0}, E, E0, before, most = -INFINITY;
  assert_int_equal(dm_contact_integrator_energy(w, q, p, &E0), DM_OK);
  E = E0;
  for (int k = 0; k < (int)(0.4 / h + 0.5); k++) {
    const double up = p[1];
    before = E;
    assert_int_equal(dm_contact_integrator_step(w, q, p, NULL, h, q, p, &info), DM_OK);
    assert_int_equal(dm_contact_integrator_energy(w, q, p, &E), DM_OK);
    assert_int_equal(info.closed, 1);
    most = fmax(most, E - before);
    assert_close(p[1] - up, w->impulse[0] - g * h, 1e-13); // with friction's pressure on the foot
  }
  *lost = E0 - E;
  dm_contact_integrator_free(w);
  dm_contacts_free(contacts);
  dm_model_free(m);
  return most;
}
// what slides loses in each step; of what sticks the energy rises by a step's own error alone, h^3
static void friction_gives_no_energy(void **state) {
  (void)state;
  for (double h = 0.02; h > 2e-3; h /= 2) {
    double lost, ratio = rise(5, h, &lost) / rise(5, h / 2, &lost);
    if (fabs(ratio - 8) > 0.02) fail_msg("h %g: halved, the energy rises by 1/%g", h, ratio);
    assert_true(fabs(lost) < 2 * h * h);
    for (int i = 1; i < 4; i++) {
      assert_true(rise(0.1 * i, h, &lost) < 0);
      assert_true(lost > 0.05);
    }
  }
}

// A bar on three feet: what each takes is not determined, what they take together is that of a
// block. It slides down a plane with the acceleration left, stops up it after its way, and stays;
// in the mirror as well, where other feet bear the moment of friction. No foot pulls.
static void feet_of_one_body_share(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                       models_coord("tilt", false, 0, 1, 0)};
  dm_body b[] = {{"bar", -1, dm_identity, 0, 3, 2, {0}, {0.02, 0.02, 0.02}}};
  const double mu = 0.5, h = 0.01;

  // three feet in a row: how they share is not determined
  dm_contact foot[3];
  for (int i = 0; i < 3; i++)
    foot[i] = (dm_contact){.name = "foot",
                           .kind = DM_ABOVE,
                           .body = {0, -1},
                           .point = {{0.3 * (i - 1), 0, -0.1}},
                           .axis = {0, 0, 1},
                           .friction = mu};
  for (int n = 0; n < 8; n++) {
    // two that slide on, two that come to rest
    const int i = n % 4, side = n < 4 ? 1 : -1;
    const double angle = i < 2 ? atan(mu) + 0.1 : 0.3, v = i < 2 ? 0.4 : 2;
    const double a = g * (sin(angle) - mu * cos(angle)), t = i < 2 ? 1 : -v / a;
    dm_model *m = models_make(&(dm_tree){.nbody = 1,
                                         .ncoord = 3,
                                         .body = b,
                                         .coord = c,
                                         .gravity = {side * g * sin(angle), 0, -g * cos(angle)}});
    dm_contacts *contacts;
    assert_int_equal(dm_contacts_new(&contacts, m, 3, foot, NULL), DM_OK);
    dm_unilateral u = dm_contacts_unilateral(contacts);
    dm_system s = dm_system_of(m);
    dm_contact_integrator *w;
    dm_contact_integrator_info info;
    assert_int_equal(dm_contact_integrator_new(&w, &s, &u, NULL, NULL), DM_OK);
    double q[] = {i % 2 ? 1 : -7, 0.1, 0}, p[] = {2 * side * v, 0, 0}, x0 = q[0];

    // knots of a slide are those of the exact motion; all feet stay down
    for (int k = 0; k < 200; k++) {
      assert_int_equal(dm_contact_integrator_step(w, q, p, NULL, h, q, p, &info), DM_OK);
      assert_int_equal(info.closed, 3);
      assert_true(info.friction_solves < 30);
      for (int f = 0; f < 3; f++) assert_true(w->impulse[f] > -1e-12);
      if (i < 2 && k == 99) assert_close(side * (q[0] - x0), v * t + a * t * t / 2, 1e-11);
    }
    const double way = side * (q[0] - x0);
    if (i >= 2) assert_true(fabs(way - v * t / 2) < -a * h * h && fabs(p[0]) < 1e-12);
    dm_contact_integrator_free(w);
    dm_contacts_free(contacts);
    dm_model_free(m);
  }
}

// A chain of four links falls on a floor that it does not bounce off, and lies: impulses of joints
// that lie in a row are found although they hold one another up.
static void a_chain_comes_to_lie(void **state) {
  (void)state;
  enum { LINKS = 4, JOINTS = LINKS + 2 };
  static const char *const name[] = {"x", "z", "a", "b", "c", "d"};
  for (int i = 0; i < 3; i++) {
    dm_coordinate c[JOINTS] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1)};
    dm_body b[LINKS];
    dm_contact joint[LINKS + 1];
    for (int k = 0; k < LINKS; k++) {
      dm_pose offset = dm_identity;
      offset.p.z = k ? -0.2 : 0;
      c[k + 2] = models_coord(name[k + 2], false, 0, 1, 0);
      b[k] = (dm_body){name[k + 2], k - 1, offset,       k ? k + 2 : 0,
                       k ? 1 : 3,   1,     {0, 0, -0.1}, {0.004, 0.004, 0.001}};
    }
    for (int k = 0; k <= LINKS; k++)
      joint[k] = (dm_contact){.name = "joint",
                              .kind = DM_ABOVE,
                              .body = {k < LINKS ? k : LINKS - 1, -1},
                              .point = {{0, 0, k < LINKS ? 0 : -0.2}},
                              .axis = {0, 0, 1},
                              .friction = 0.3 + 0.6 * i};
    dm_model *m = models_make(
        &(dm_tree){.nbody = LINKS, .ncoord = JOINTS, .body = b, .coord = c, .gravity = {0, 0, -g}});
    dm_contacts *contacts;
    assert_int_equal(dm_contacts_new(&contacts, m, LINKS + 1, joint, NULL), DM_OK);
    dm_unilateral u = dm_contacts_unilateral(contacts);
    dm_system s = dm_system_of(m);
    dm_contact_integrator *w;
    dm_contact_integrator_info info;
    assert_int_equal(dm_contact_integrator_new(&w, &s, &u, NULL, NULL), DM_OK);
    double q[JOINTS] = {0, 1, 0.3, 0.2}, p[JOINTS] = {0}, last[JOINTS] = {0}, E0, E;
    int made = 0;
    assert_int_equal(dm_contact_integrator_energy(w, q, p, &E0), DM_OK);
    for (int k = 0; k < 3000; k++) {
      dm_status status = dm_contact_integrator_step(w, q, p, NULL, 1e-3, q, p, &info);
      if (status != DM_OK)
        fail_msg("friction %g, step %d: %s", joint->friction, k, dm_status_text(status));
      assert_true(info.penetration < 1e-13); // whatever one joint's impulse does to the others
      made += info.made;
      if (k == 2900) memcpy(last, q, sizeof q);
    }
    assert_int_equal(dm_contact_integrator_energy(w, q, p, &E), DM_OK);
    assert_true(E < 1e-3 * E0 && made < 20);
    for (int k = 0; k < JOINTS; k++) assert_close(q[k], last[k], 1e-9);
    dm_contact_integrator_free(w);
    dm_contacts_free(contacts);
    dm_model_free(m);
  }
}

// of two contacts whose rows lean on one another the least energy is found: no impulse within the
// discs takes more
static void friction_takes_the_most_it_may(void **state) {
  (void)state;
  dm_friction *F = NULL;
  assert_int_equal(dm_friction_new(&F, 4, 2), DM_OK);
  static const double K[] = {2,    0.3, -0.5, 0.1, 0.3, 1,   0.2, 0.4,
                             -0.5, 0.2, 3,    0,   0.1, 0.4, 0,   1.5};
  static const double c[] = {1, -2, 0.1, 3};
  memcpy(F->K, K, sizeof K);
  memcpy(F->c, c, sizeof c);
  F->m = 2;
  F->mu[0] = 0.5;
  F->mu[1] = 0.7;
  F->N[0] = 1;
  F->N[1] = 2;
  assert_int_equal(dm_friction_solve(F), DM_OK);
  const double *t = F->t;
  for (int i = 0; i < 2; i++) {
    double d[2], bound = F->mu[i] * F->N[i];
    for (int k = 0; k < 2; k++) {
      d[k] = c[2 * i + k];
      for (int j = 0; j < 4; j++) d[k] += K[4 * (2 * i + k) + j] * t[j];
    }
    double size = hypot(t[2 * i], t[2 * i + 1]), slip = hypot(d[0], d[1]);
    assert_true(size <= bound * (1 + 1e-14));
    // sticks, or is against the slip with all of its bound
    if (slip > 1e-12)
      for (int k = 0; k < 2; k++) assert_true(fabs(t[2 * i + k] + bound * d[k] / slip) < 1e-12);
  }
  F->N[1] = NAN;
  assert_int_equal(dm_friction_solve(F), DM_NOT_FINITE);
  dm_friction_free(F);
}

// Friction presses its own contact, or lifts it: t = mu / (1 + mu b) of its normal impulse 1 - b t,
// or all that it takes to stick, where pressing grows faster than the friction that it allows.
static void friction_presses_its_own_contact(void **state) {
  (void)state;
  dm_friction *F = NULL;
  assert_int_equal(dm_friction_new(&F, 2, 1), DM_OK);
  F->m = 1;
  F->K[0] = F->K[3] = 1;
  F->c[0] = -10;
  F->N[0] = 1;
  for (double mu = 0.25; mu < 40; mu *= 2)
    for (double b = -2; b <= 2; b += 0.5) {
      F->mu[0] = mu;
      F->B[0] = -b;
      F->t[0] = F->t[1] = 0;
      assert_int_equal(dm_friction_solve(F), DM_OK);
      double slides = mu / (1 + mu * b), t = 1 + mu * b > 0 && slides < 10 ? slides : 10;
      if (fabs(F->t[0] - t) > 1e-11 * t) fail_msg("mu %g b %g: %.17g, not %.17g", mu, b, *F->t, t);
    }
  dm_friction_free(F);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_sticks_below_the_angle_of_friction),
      cmocka_unit_test(a_block_slides_above_it_with_the_acceleration_left),
      cmocka_unit_test(a_smooth_wall_does_not_slow),
      cmocka_unit_test(a_pushed_block_stops_after_its_way),
      cmocka_unit_test(friction_knows_no_axes),
      cmocka_unit_test(an_oblique_impact_loses_what_the_normal_one_allows),
      cmocka_unit_test(friction_gives_no_energy),
      cmocka_unit_test(feet_of_one_body_share),
      cmocka_unit_test(a_chain_comes_to_lie),
      cmocka_unit_test(friction_takes_the_most_it_may),
      cmocka_unit_test(friction_presses_its_own_contact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
