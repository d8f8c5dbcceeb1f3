// Free bodies in quaternions on a floor: a ball bounces, rolls and spins, a box comes to rest. The
// laws are those of rigid bodies in closed form.
#include "tests/support/ball.h"

static const double g = 9.81, radius = 0.1;

// a body with a pose in quaternions above a floor, and its steps
typedef struct free_body {
  ball_machine w;
  dm_contacts *contacts;
  dm_contact_integrator *steps;
  dm_contact_integrator_info info;
  dm_mass_matrix *mass;
  double m, inertia[3], q[7], p[7], v[7];
} free_body;

static void make_body(free_body *x, double mass, const double inertia[3], double slope, int n,
                      const dm_contact *list) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 0, 1, 0),
                       models_coord("z", true, 0, 0, 1), BALL("body")};
  dm_body b[] = {{"body", -1, dm_identity, 0, 6, mass, {0}, {inertia[0], inertia[1], inertia[2]}}};
  *x = (free_body){.q = {0, 0, 0, 1}, .m = mass, .inertia = {inertia[0], inertia[1], inertia[2]}};
  // z is normal to the floor, which falls along x
  ball_make(&x->w,
            &(dm_tree){.nbody = 1,
                       .ncoord = 6,
                       .body = b,
                       .coord = c,
                       .gravity = {g * sin(slope), 0, -g * cos(slope)}},
            0, NULL, 0, NULL);
  assert_int_equal(dm_contacts_new(&x->contacts, x->w.tree, n, list, NULL), DM_OK);
  const dm_unilateral u = dm_contacts_unilateral(x->contacts);
  assert_int_equal(dm_contact_integrator_new(&x->steps, &x->w.s, &u, NULL, NULL), DM_OK);
  assert_int_equal(dm_mass_matrix_new(&x->mass, &x->w.s.L), DM_OK);
}

static void free_free_body(free_body *x) {
  dm_mass_matrix_free(x->mass);
  dm_contact_integrator_free(x->steps);
  dm_contacts_free(x->contacts);
  ball_free(&x->w);
}

// set the velocity v of the center and the angular velocity w in body axes, at rotation zero:
// W = 2 v there, so that p = 2 I W
static void throw_body(free_body *x, const double v[3], const double w[3]) {
  for (int i = 0; i < 3; i++) {
    x->v[i] = v[i];
    x->v[4 + i] = w[i] / 2;
    x->p[i] = x->m * v[i];
    x->p[4 + i] = 2 * x->inertia[i] * w[i];
  }
}

static void run_body(free_body *x, int steps, double h) {
  for (int k = 0; k < steps; k++) {
    dm_message msg = {""};
    dm_status s = dm_contact_integrator_step(x->steps, x->q, x->p, NULL, h, x->q, x->p, &x->info);
    if (s == DM_OK) continue;
    dm_contact_integrator_explain(&msg, s, x->steps, &x->info, k);
    fail_msg("%s", msg.text);
  }
  dm_mass_matrix_place(x->mass, x->q);
  assert_int_equal(dm_mass_matrix_velocity(x->mass, 1, x->p, x->v), DM_OK);
}

// angular velocity in world axes: 2 vec(v q~)
static void find_spin(const free_body *x, double w[3]) {
  const double *q = x->q + 3, *v = x->v + 3;
  for (int i = 0; i < 3; i++) {
    const int a = 1 + (i + 1) % 3, b = 1 + (i + 2) % 3;
    w[i] = 2 * (q[0] * v[1 + i] - v[0] * q[1 + i] - (v[a] * q[b] - v[b] * q[a]));
  }
}

static double find_energy(const free_body *x) {
  double H;
  assert_int_equal(dm_contact_integrator_energy(x->steps, x->q, x->p, &H), DM_OK);
  return H;
}

static dm_contact make_floor(double length, double friction, double restitution) {
  return (dm_contact){.name = "floor",
                      .kind = DM_ABOVE,
                      .body = {0, -1},
                      .axis = {0, 0, 1},
                      .length = length,
                      .restitution = restitution,
                      .friction = friction};
}

// a solid ball
static free_body make_ball(double slope, double friction, double restitution) {
  free_body x;
  const double I = 0.4 * radius * radius;
  const dm_contact floor = make_floor(radius, friction, restitution);
  make_body(&x, 1, (const double[]){I, I, I}, slope, 1, &floor);
  x.q[2] = radius;
  return x;
}

// a smooth floor acts along the normal through the center: it changes no spin of the body, and an
// elastic one no energy
static void a_smooth_ball_bounces_without_loss(void **state) {
  (void)state;
  free_body x;
  const dm_contact floor = make_floor(radius, 0, 1);
  make_body(&x, 2, (const double[]){0.02, 0.03, 0.04}, 0, 1, &floor);
  x.q[2] = 0.5;
  throw_body(&x, (const double[]){1, 0.5, 0}, (const double[]){3, 1, -2});
  const dm_momentum_map map = dm_ball_momentum_map(x.w.tree);
  void *scratch = aligned_alloc(64, map.scratch + 64);
  double before[6], after[6];
  const double E = find_energy(&x), L[] = {0.02 * 3, 0.03 * 1, -0.04 * 2};
  map.eval(map.self, scratch, x.q, x.v, before);
  int bounces = 0;
  for (int k = 0; k < 400; k++) {
    run_body(&x, 1, 0.005);
    bounces += x.info.candidates;
    assert_close(find_energy(&x), E, 1e-12);
    map.eval(map.self, scratch, x.q, x.v, after);
    // moments about the center
    for (int i = 0; i < 3; i++) {
      const int a = (i + 1) % 3, b = (i + 2) % 3;
      const double at = x.q[a] * 2 * x.v[b] - x.q[b] * 2 * x.v[a];
      assert_close(after[i] - at, L[i], 1e-12);
    }
  }
  assert_true(bounces >= 3);
  assert_close(x.v[0], 1, 1e-13);
  free(scratch);
  free_free_body(&x);
}

// A box falls flat and slides on: its four corners stop it and bear its weight. How they share it is
// not determined, except that it does not turn.
static void a_box_comes_to_rest_on_four_corners(void **state) {
  (void)state;
  enum { CORNERS = 4 };
  dm_contact corner[CORNERS];
  const double m = 2, h = 0.005, mu = 0.4;
  for (int i = 0; i < CORNERS; i++) {
    corner[i] = make_floor(0, mu, 0);
    const double at[] = {i % 2 ? 0.1 : -0.1, i / 2 ? 0.15 : -0.15, -0.05};
    memcpy(corner[i].point[0], at, sizeof at);
  }
  free_body x;
  make_body(&x, m, (const double[]){0.01, 0.013, 0.02}, 0, CORNERS, corner);
  x.q[2] = 0.3;
  throw_body(&x, (const double[]){1, 0, 0}, (const double[]){0, 0, 0});
  run_body(&x, 400, h);
  double weight = 0, moment[2] = {0};
  for (int i = 0; i < CORNERS; i++) {
    const double force = x.steps->impulse[i] / h;
    weight += force;
    for (int k = 0; k < 2; k++) moment[k] += force * corner[i].point[0][k];
    assert_true(force >= 0);
  }
  assert_close(weight, m * g, 1e-10);
  for (int k = 0; k < 2; k++) assert_close(moment[k], 0, 1e-10);
  assert_close(x.q[2], 0.05, 1e-12);
  for (int i = 0; i < 7; i++) assert_close(x.v[i], 0, 1e-12);
  // flat, although friction acts below the center
  assert_close(fabs(x.q[3]), 1, 1e-12);

  // on a slope below the angle of friction it stays, to rounding
  free_free_body(&x);
  make_body(&x, m, (const double[]){0.01, 0.013, 0.02}, atan(mu) - 1e-3, CORNERS, corner);
  x.q[2] = 0.05;
  run_body(&x, 400, h);
  assert_close(x.q[0], 0, 1e-10);
  free_free_body(&x);
}

// A box that slides on its four corners stops after v^2 / 2 mu g in each direction, without a turn:
// its corners share its weight and bear the moment of friction, and none pulls.
static void a_box_slides_alike_in_all_directions(void **state) {
  (void)state;
  enum { CORNERS = 4, DIRECTIONS = 12 };
  dm_contact corner[CORNERS];
  const double m = 2, h = 0.005, mu = 0.4, v = 1, way = v * v / (2 * mu * g);
  for (int i = 0; i < CORNERS; i++) {
    corner[i] = make_floor(0, mu, 0);
    const double at[] = {i % 2 ? 0.1 : -0.1, i / 2 ? 0.15 : -0.15, -0.05};
    memcpy(corner[i].point[0], at, sizeof at);
  }
  for (int d = 0; d < DIRECTIONS; d++) {
    const double angle = 6.283185307179586 * d / DIRECTIONS, to[2] = {cos(angle), sin(angle)};
    free_body x;
    make_body(&x, m, (const double[]){0.01, 0.013, 0.02}, 0, CORNERS, corner);
    x.q[2] = 0.05;
    throw_body(&x, (const double[]){v * to[0], v * to[1], 0}, (const double[]){0, 0, 0});
    for (int k = 0; k < 100; k++) {
      double weight = 0;
      run_body(&x, 1, h);
      for (int i = 0; i < CORNERS; i++) {
        assert_true(x.steps->impulse[i] > -1e-12);
        weight += x.steps->impulse[i] / h;
      }
      assert_close(weight, m * g, 1e-9);
    }
    assert_true(fabs(to[0] * x.q[0] + to[1] * x.q[1] - way) < mu * g * h * h);
    assert_close(to[0] * x.q[1] - to[1] * x.q[0], 0, 1e-10);
    assert_close(fabs(x.q[3]), 1, 1e-12);
    free_free_body(&x);
  }
}

// position after t from rest on a slope, and its spin about y
static double run_down(double slope, double mu, double t, int steps, double *spin) {
  free_body x = make_ball(slope, mu, 0);
  double w[3];
  run_body(&x, steps, t / steps);
  find_spin(&x, w);
  *spin = w[1];
  assert_close(x.q[2], radius, 1e-12);
  const double at = x.q[0];
  free_free_body(&x);
  return at;
}

// the acceleration is 5/7 of the slope's if friction suffices, tan(slope) <= 7/2 mu
static void a_ball_rolls_down_a_slope(void **state) {
  (void)state;
  const double slope = 0.4, t = 0.5, a = 5. / 7 * g * sin(slope), s = a * t * t / 2;
  const double mu = 2. / 7 * tan(slope);
  double spin;
  for (int steps = 25; steps < 200; steps *= 2) {
    assert_close(run_down(slope, mu + 1e-3, t, steps, &spin), s, 1e-13);
    assert_close(spin, a * t / radius, 1e-11);
  }

  // below, it slides: friction mu m g cos alone gives it the spin
  const double less = mu - 0.05, slides = g * (sin(slope) - less * cos(slope));
  assert_close(run_down(slope, less, t, 50, &spin), slides * t * t / 2, 1e-11);
  assert_close(spin, 2.5 * less * g * cos(slope) * t / radius, 2e-3 * spin);
}

// in the plane a disc rolls with 2/3 of it: 1/(1 + I/m r^2)
static void a_disc_rolls_down_a_slope(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                       models_coord("turn", false, 0, 1, 0)};
  const double I = 0.5 * 3 * radius * radius, slope = 0.3, h = 0.01;
  dm_body b[] = {{"disc", -1, dm_identity, 0, 3, 3, {0}, {I, I, I}}};
  dm_model *m = models_make(&(dm_tree){.nbody = 1,
                                       .ncoord = 3,
                                       .body = b,
                                       .coord = c,
                                       .gravity = {g * sin(slope), 0, -g * cos(slope)}});
  const dm_contact floor = make_floor(radius, 0.5, 0);
  dm_contacts *contacts;
  assert_int_equal(dm_contacts_new(&contacts, m, 1, &floor, NULL), DM_OK);
  const dm_unilateral u = dm_contacts_unilateral(contacts);
  dm_system s = dm_system_of(m);
  dm_contact_integrator *w;
  dm_contact_integrator_info info;
  assert_int_equal(dm_contact_integrator_new(&w, &s, &u, NULL, NULL), DM_OK);
  double q[] = {0, radius, 0}, p[3] = {0};
  for (int k = 0; k < 100; k++)
    assert_int_equal(dm_contact_integrator_step(w, q, p, NULL, h, q, p, &info), DM_OK);
  const double a = 2. / 3 * g * sin(slope);
  assert_close(q[0], a / 2, 1e-12);
  assert_close(p[0], 3 * a, 1e-11);
  assert_close(p[2], I * a / radius, 1e-11);
  assert_close(q[2], q[0] / radius, 1e-11);
  dm_contact_integrator_free(w);
  dm_contacts_free(contacts);
  dm_model_free(m);
}

// A ball that slides first rolls with 5/7 of its speed, whatever the friction; spin about the
// normal has no effect.
static void a_sliding_ball_comes_to_roll(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    const double mu = 0.1 + 0.2 * i, v = 1;
    free_body x = make_ball(0, mu, 0);
    throw_body(&x, (const double[]){0.6 * v, 0.8 * v, 0}, (const double[]){0, 0, 4});
    run_body(&x, 300, 2e-3);
    double w[3];
    find_spin(&x, w);
    assert_close(x.v[0], 5. / 7 * 0.6 * v, 1e-4);
    assert_close(x.v[1], 5. / 7 * 0.8 * v, 1e-4);
    assert_close(w[0], -x.v[1] / radius, 1e-2);
    assert_close(w[1], x.v[0] / radius, 1e-2);
    assert_close(w[2], 4, 1e-2);
    free_free_body(&x);
  }
}

// bodies that roll on a level floor keep velocity and energy
static void a_rolling_ball_rolls_on(void **state) {
  (void)state;
  free_body x = make_ball(0, 0.5, 0);
  throw_body(&x, (const double[]){0.5, 0, 0}, (const double[]){0, 5, 3});
  const double E = find_energy(&x);
  run_body(&x, 1000, 0.002);
  assert_close(x.v[0], 0.5, 1e-4);
  assert_close(find_energy(&x), E, 1e-4 * E);
  assert_close(x.q[0], 1, 2e-4);
  assert_close(x.q[1], 0, 2e-4);
  free_free_body(&x);
}

// a ball without spin that bounces on a rough floor loses mu (1 + e) of its normal speed along it,
// or leaves rolling with 5/7
static void a_bounce_gives_spin(void **state) {
  (void)state;
  static const double mus[] = {0.05, 0.5};
  for (int i = 0; i < 2; i++) {
    free_body x = make_ball(0, mus[i], 0.8);
    x.q[2] += 0.3;
    throw_body(&x, (const double[]){1, 0, 0}, (const double[]){0, 0, 0});
    // until just after the first impact
    double down = 0;
    while (x.info.candidates == 0) {
      down = -x.v[2];
      run_body(&x, 1, 1e-3);
    }
    double w[3], along = i ? 5. / 7 : 1 - mus[i] * 1.8 * down;
    find_spin(&x, w);
    assert_close(x.v[0], along, 1e-12);
    assert_close(w[1], 2.5 * (1 - along) / radius, 1e-9);
    free_free_body(&x);
  }
}

// A ball leaves a dome, a sphere of radius 1, where its weight no longer bends its path enough: from
// rest near the top it falls by 1/3 of the radius of its center's path if smooth, and by 7/17 if it
// rolls. Until then its energy stays.
static void a_ball_leaves_a_dome(void **state) {
  (void)state;
  for (int rolls = 0; rolls < 2; rolls++) {
    free_body x;
    const double I = 0.4 * radius * radius, path = 1 + radius, angle = 0.02, h = 0.001;
    dm_contact dome = make_floor(radius, rolls ? 100 : 0, 0);
    dome.kind = DM_OUTSIDE;
    dome.along[0] = 1;
    dome.shape = (dm_shape){.kind = DM_SHAPE_SPHERE, .radius = 1};
    make_body(&x, 1, (const double[]){I, I, I}, 0, 1, &dome);
    x.q[0] = path * sin(angle) * 0.6;
    x.q[1] = path * sin(angle) * 0.8;
    x.q[2] = path * cos(angle);
    const double top = x.q[2], falls = rolls ? 7. / 17 : 1. / 3, E = find_energy(&x);
    int k = 0;
    for (; k < 3000; k++) {
      run_body(&x, 1, h);
      if (!x.info.closed) break;
      assert_close(find_energy(&x), E, 1e-5);

      // in the plane through the top that it started in, and on the dome
      assert_close(x.q[1] * 0.6, x.q[0] * 0.8, 1e-9);
      assert_close(hypot(hypot(x.q[0], x.q[1]), x.q[2]), path, 1e-9);
    }
    assert_true(k < 3000);
    assert_close(top - x.q[2], top * falls, rolls ? 0.02 : 0.005);
    free_free_body(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_smooth_ball_bounces_without_loss),
      cmocka_unit_test(a_box_comes_to_rest_on_four_corners),
      cmocka_unit_test(a_box_slides_alike_in_all_directions),
      cmocka_unit_test(a_ball_leaves_a_dome),
      cmocka_unit_test(a_ball_rolls_down_a_slope),
      cmocka_unit_test(a_disc_rolls_down_a_slope),
      cmocka_unit_test(a_sliding_ball_comes_to_roll),
      cmocka_unit_test(a_rolling_ball_rolls_on),
      cmocka_unit_test(a_bounce_gives_spin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
