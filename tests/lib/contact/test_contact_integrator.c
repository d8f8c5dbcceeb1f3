// Nonsmooth steps: motions in closed form, machines whose mass matrix changes, restitution,
// reports and refusals.
#include "tests/support/particles.h"

static dm_contact_integrator *open(const dm_system *s, const dm_contacts *c,
                                   const dm_contact_integrator_settings *set) {
  dm_contact_integrator *w = NULL;
  dm_message msg = {""};
  dm_unilateral u = dm_contacts_unilateral(c);
  if (dm_contact_integrator_new(&w, s, &u, set, &msg) != DM_OK) fail_msg("%s", msg.text);
  return w;
}

// A bead on a ball of radius 1 slides from its top under g = 1 and leaves where
// cos(angle) = (2 + v0^2)/3: of order h^2 + h, as contacts are left between knots.
static double leaves_at(double h, double v0) {
  static particles_plan plan;
  plan = (particles_plan){.axes = "xz", .gravity = 1};
  particles_contact(&plan, DM_AT_LEAST, 0, -1, 1);
  double q[] = {0, 1}, p[] = {v0, 0}, height = NAN;
  particles x = particles_make(&plan, 1, q, p, NULL);
  int left = 0;
  for (int k = 0; k < (int)(4 / h); k++) {
    assert_int_equal(particles_step(&x, h), DM_OK);
    assert_int_equal(x.info.impact.passes, 0);
    assert_true(x.info.penetration < 1e-13);
    if (x.info.left && !left++) height = x.q[1];
  }
  assert_int_equal(left, 1);
  assert_true(hypot(x.q[0], x.q[1]) > 1.5);
  particles_free(&x);
  return height;
}
static void a_bead_leaves_a_ball_where_it_should(void **state) {
  (void)state;
  for (double v0 = 0.1; v0 < 0.8; v0 += 0.2) {
    double expected = (2 + v0 * v0) / 3;
    for (double h = 0.04; h > 0.004; h /= 2) {
      double off = leaves_at(h, v0) - expected;
      assert_true(fabs(off) < 1.5 * h);
    }
  }
}

// along a boundary the map is of second order, and keeps the momentum of turning to rounding
static void sliding_is_of_second_order(void **state) {
  (void)state;
  double error[2];
  for (int i = 0; i < 2; i++) {
    static particles_plan plan;
    plan = (particles_plan){.axes = "xz", .gravity = 1};
    particles_contact(&plan, DM_AT_MOST, 0, -1, 1);
    double h = i ? 0.01 : 0.02, q[] = {1, 0}, p[] = {0, -2};
    particles x = particles_make(&plan, 1, q, p, NULL);
    for (int k = 0; k < (int)(1 / h + 0.5); k++) assert_int_equal(particles_step(&x, h), DM_OK);
    // theta'' = -sin(theta) from theta = pi/2 inwards: by a fine step of the pendulum's own
    // equation
    double theta = -3.14159265358979323846 / 2, rate = 2, t = 1e-5;
    theta = -theta;
    rate = -2;
    for (int k = 0; k < 100000; k++) {
      rate -= t / 2 * sin(theta);
      theta += t * rate;
      rate -= t / 2 * sin(theta);
    }
    error[i] = hypot(x.q[0] - sin(theta), x.q[1] + cos(theta));
    assert_int_equal(x.info.closed, 1);
    particles_free(&x);
  }
  assert_close(error[0] / error[1], 4, 0.1);
}

// two links hang beside a wall and above a floor; their mass matrix changes with the elbow
typedef struct arm {
  dm_model *m;
  dm_contacts *c;
  dm_system s;
} arm;
static arm arm_beside_a_wall(double restitution) {
  arm a = {.m = models_chain(2, 1, 0)};

  // the tip right of a wall and above the floor; the elbow between two stops
  dm_contact list[] = {
      {.name = "wall",
       .kind = DM_ABOVE,
       .body = {1, -1},
       .point = {{0, 0, -1}, {-0.6, 0, 0}},
       .axis = {1, 0, 0},
       .restitution = restitution},
      {.name = "floor",
       .kind = DM_ABOVE,
       .body = {1, -1},
       .point = {{0, 0, -1}, {0, 0, -1.9}},
       .axis = {0, 0, 1},
       .restitution = restitution},
      {.name = "stop", .kind = DM_NOT_ABOVE, .coord = 1, .length = 1, .restitution = restitution},
      {.name = "other stop",
       .kind = DM_NOT_BELOW,
       .coord = 1,
       .length = -1,
       .restitution = restitution},
  };
  assert_int_equal(dm_contacts_new(&a.c, a.m, 4, list, NULL), DM_OK);
  a.s = dm_system_of(a.m);
  return a;
}
static void arm_free(arm *a) {
  dm_contacts_free(a->c);
  dm_model_free(a->m);
}

static void machines_bounce_without_loss(void **state) {
  (void)state;
  double error[2];
  static const char *const rules[] = {"midpoint", "trapezoid"};
  for (int r = 0; r < 2; r++) {
    for (int i = 0; i < 2; i++) {
      arm a = arm_beside_a_wall(1);
      assert_int_equal(dm_rule_set(&a.s.rule, rules[r], 0.5, "midpoint", NULL), DM_OK);
      dm_contact_integrator *w = open(&a.s, a.c, NULL);
      double q[] = {-0.5, 0.9}, p[] = {0, 0}, u[2] = {0}, E0, E, h = i ? 5e-4 : 1e-3;
      dm_contact_integrator_info info;
      int bounces = 0;
      error[i] = 0;
      assert_int_equal(dm_contact_integrator_energy(w, q, p, &E0), DM_OK);
      for (int k = 0; k < (int)(10 / h); k++) {
        assert_int_equal(dm_contact_integrator_step(w, q, p, u, h, q, p, &info), DM_OK);
        assert_int_equal(dm_contact_integrator_energy(w, q, p, &E), DM_OK);
        error[i] = fmax(error[i], fabs(E - E0));

        // impacts keep the energy to rounding; boundaries are passed by little
        assert_true(fabs(info.impact.gained) <= 1e-13 * (1 + fabs(E0)));
        assert_true(info.penetration < 20 * h * h);
        bounces += info.impact.reflected;
      }
      assert_true(bounces > 10);
      dm_contact_integrator_free(w);
      arm_free(&a);
    }

    // the remaining error is of the smooth motion, and falls with h
    assert_true(error[0] < 1e-3 && error[1] < error[0] / 2);
  }
}

// with restitution below one it comes to rest on its support, and does not sink on
static void machines_come_to_rest(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    arm a = arm_beside_a_wall(i ? 0.5 : 0);
    static const double damping[] = {0.5, 0.5};
    a.s.damping = damping;
    dm_contact_integrator *w = open(&a.s, a.c, NULL);
    double q[] = {-0.5, 0.9}, p[] = {0, 0}, u[2] = {0}, E0, E, h = 5e-3, q1[2];
    dm_contact_integrator_info info;
    assert_int_equal(dm_contact_integrator_energy(w, q, p, &E0), DM_OK);
    for (int k = 0; k < 8000; k++) {
      assert_int_equal(dm_contact_integrator_step(w, q, p, u, h, q, p, &info), DM_OK);
      if (k == 7000) memcpy(q1, q, sizeof q);
    }
    assert_int_equal(dm_contact_integrator_energy(w, q, p, &E), DM_OK);
    assert_true(E < E0 && info.penetration < 1e-3);
    // at rest on the floor, which carries part of the weight in each step
    assert_true(w->contact[1] && w->impulse[1] > 0);
    for (int j = 0; j < 2; j++) {
      assert_close(p[j], 0, 1e-6);
      assert_close(q[j], q1[j], 2e-6);
    }
    dm_contact_integrator_free(w);
    arm_free(&a);
  }
}

static void a_ball_bounces_lower_each_time(void **state) {
  (void)state;
  static particles_plan plan;
  plan = (particles_plan){.axes = "z", .gravity = 1};
  particles_contact(&plan, DM_ABOVE, 0, -1, 0)->restitution = 0.5;
  double q = 1, p = 0;
  particles x = particles_make(&plan, 1, &q, &p, NULL);
  double top = 1, h = 1e-3, before = 0;
  int bounces = 0;
  for (int k = 0; k < 10000; k++) {
    assert_int_equal(particles_step(&x, h), DM_OK);
    if (before > 0 && x.p[0] <= 0 && bounces < 4) { // at the top
      assert_close(x.q[0], top / 4, 4e-3);
      top = x.q[0];
      bounces++;
    }
    before = x.p[0];
  }
  assert_int_equal(bounces, 4);
  // then it lies, pressed by its weight
  assert_close(x.q[0], 0, 1e-5);
  assert_close(x.p[0], 0, 1e-12);
  assert_close(x.w->impulse[0], h, 1e-12);
  assert_int_equal(x.info.closed, 1);
  particles_free(&x);
}

// What does not bounce is met once, on its boundary, however short the step, and stays: its whole
// momentum is the impulse.
static void what_does_not_bounce_lands_once(void **state) {
  (void)state;
  static particles_plan plan;
  plan = (particles_plan){.axes = "z", .gravity = 1};
  particles_contact(&plan, DM_ABOVE, 0, -1, 0)->restitution = 0;
  for (double h = 0.1; h > 1e-4; h /= 3) {
    double q = 1, p = 0, E = 1, impulse = 0, t = 0;
    particles x = particles_make(&plan, 1, &q, &p, NULL);
    int made = 0;
    for (; t < 2; t += h) {
      double before = x.p[0];
      assert_int_equal(particles_step(&x, h), DM_OK);
      made += x.info.made;
      impulse += x.w->impulse[0];
      assert_int_equal(x.info.left, 0);

      // momentum changes by weight and contact alone; energy never rises
      assert_close(x.p[0] - before, x.w->impulse[0] - h, 1e-14);
      assert_true(particles_energy(&x) <= E + 1e-14);
      E = particles_energy(&x);
      if (made) {
        assert_close(x.q[0], 0, 1e-14);
        assert_close(x.p[0], 0, 1e-14);
      }
    }

    // in the end the contact has borne all the weight there was
    assert_int_equal(made, 1);
    assert_close(impulse, t, 1e-12);
    particles_free(&x);
  }
}

// a heap of discs in a box, with more contacts than freedoms, comes to rest
static void heaps_come_to_rest(void **state) {
  (void)state;
  static const double restitution[] = {0, 0.4};
  for (int i = 0; i < 2; i++) {
    particles x = particles_heap(4, restitution[i]);
    double E = INFINITY, E1, carried = 0;
    for (int k = 0; k < 1500; k++) {
      assert_int_equal(particles_step(&x, 0.01), DM_OK);
      assert_true(x.info.penetration < 0.03);
      E1 = particles_energy(&x);
      assert_true(E1 < E + 2e-3);
      E = fmin(E, E1);
      for (int j = 0; k >= 1000 && j < x.w->ng; j++)
        if (x.floor[j]) carried += x.w->impulse[j];
    }
    // the floor carries the weight of all
    assert_close(carried, 16 * 500 * 0.01, 0.5);
    particles_free(&x);
  }
}

// a ball that leaves the floor more slowly than it falls in a step is not held by it
static void a_slow_ball_does_not_stick(void **state) {
  (void)state;
  static particles_plan plan;
  plan = (particles_plan){.axes = "z", .gravity = 1};
  particles_contact(&plan, DM_ABOVE, 0, -1, 0);
  double q = 0, p = 0.03;
  particles x = particles_make(&plan, 1, &q, &p, NULL);
  for (int k = 0; k < 100; k++) {
    assert_int_equal(particles_step(&x, 0.1), DM_OK);
    assert_close(particles_energy(&x), 0.03 * 0.03 / 2, 1e-15);
    assert_int_equal(x.info.closed, 0);
  }
  particles_free(&x);
}

// A step that does not go on where the last one ended knows nothing of it, by any method.
static void a_step_anew_is_the_first_one(void **state) {
  (void)state;
  for (const dm_contact_method *const *method = dm_contact_methods; *method; method++) {
    static particles_plan plan;
    plan = (particles_plan){.axes = "xz", .gravity = 1};
    particles_contact(&plan, DM_ABOVE, 0, -1, 0)->restitution =
        (*method)->bounces_by_grid ? 1 : 0.5;
    dm_contact_integrator_settings set = dm_contact_integrator_default();
    set.method = *method;
    double q[] = {0, 0.02}, p[] = {1, -1}, q0[2], p0[2], q1[2], p1[2];

    // a motion that stays smooth begins along the boundary
    if (*method == &dm_contact_smooth) q[1] = p[1] = 0;
    particles x = particles_make(&plan, 1, q, p, &set);
    assert_int_equal(particles_step(&x, 0.1), DM_OK);
    memcpy(q0, x.q, sizeof q0);
    memcpy(p0, x.p, sizeof p0);

    // go on until there is a contact for the step anew to forget
    for (int k = 0; k < 200 && (k < 3 || !x.w->contact[0]); k++)
      assert_int_equal(particles_step(&x, 0.1), DM_OK);
    assert_int_equal(dm_contact_integrator_step(x.w, q, p, NULL, 0.1, q1, p1, &x.info), DM_OK);
    for (int i = 0; i < 2; i++) {
      assert_close(q1[i], q0[i], 1e-14);
      assert_close(p1[i], p0[i], 1e-14);
    }
    particles_free(&x);
  }
}

// Stoermer-Verlet's numerical Hamiltonian changes by h^4 along its motions, the energy by h^2.
static void the_numerical_hamiltonian_is_kept(void **state) {
  (void)state;
  double off[2][2];
  for (int i = 0; i < 2; i++) {
    static particles_plan plan;
    plan = (particles_plan){.axes = "xz", .rule = "trapezoid"};
    particles_field(&plan, 0, dm_spring_law_power(0.25, 4));
    particles_field(&plan, 1, dm_spring_law_power(0.5, 2));
    particles_contact(&plan, DM_ABOVE, 0, -1, -10);
    double q[] = {1, 0.5}, p[] = {0.3, -0.2}, h = 0.05 / (i + 1), H[2], H0[2];
    particles x = particles_make(&plan, 1, q, p, NULL);
    for (int k = 0; k <= (int)(5 / h); k++) {
      dm_mass_matrix_place(x.w->mass, x.q);

      // H for j = 0, the numerical Hamiltonian of step h for j = 1
      for (int j = 0; j < 2; j++) {
        assert_int_equal(dm_mass_matrix_energy(x.w->mass, j * h, x.p, &H[j]), DM_OK);
        if (k == 0) {
          H0[j] = H[j];
          off[i][j] = 0;
        }
        off[i][j] = fmax(off[i][j], fabs(H[j] - H0[j]));
      }
      assert_int_equal(particles_step(&x, h), DM_OK);
    }
    particles_free(&x);
  }

  // halving h: orders 2 and 4
  assert_close(off[0][0] / off[1][0], 4, 0.1);
  assert_close(off[0][1] / off[1][1], 16, 0.5);
}

// the report of a step
static void contacts_are_reported(void **state) {
  (void)state;
  particles x = particles_ball(1, NULL);
  int made = 0, left = 0;
  for (int k = 0; k < 40; k++) {
    double p = x.p[0];
    assert_int_equal(particles_step(&x, 0.1), DM_OK);
    made += x.info.made;
    left += x.info.left;
    assert_int_equal(x.info.made, x.info.impact.reflected);
    // the impulse turns the speed
    if (x.info.made) assert_close(x.w->impulse[0], -2 * p, 1e-14);
  }
  assert_int_equal(made, 1);
  assert_int_equal(left, 1);
  particles_free(&x);
}

// the other predictor, and Moreau's impacts: the same ball
static void parts_can_be_exchanged(void **state) {
  (void)state;
  dm_contact_integrator_settings set = dm_contact_integrator_default();
  set.predictor = dm_predict_step;
  set.impact = DM_MOREAU;
  particles x = particles_ball(1, &set);
  double E0 = particles_energy(&x);
  for (int k = 0; k < 300; k++) {
    assert_int_equal(particles_step(&x, 0.1), DM_OK);
    assert_close(particles_energy(&x), E0, 1e-13);
    assert_true(x.info.penetration == 0); // it foresees the step itself
  }
  particles_free(&x);
}

static void what_cannot_be_taken_is_refused(void **state) {
  (void)state;
  arm a = arm_beside_a_wall(1);
  dm_unilateral u = dm_contacts_unilateral(a.c);
  dm_contact_integrator_settings set;
  dm_contact_integrator *w = NULL;
  dm_message msg;
  set = dm_contact_integrator_default();
  assert_int_equal(dm_contact_method_find(&set.method, "hope", &msg), DM_BAD_INPUT);
  assert_string_equal(msg.text,
                      "found the method 'hope' for contacts, expected one of gvi, smooth, "
                      "gvi-linearized, direct-midpoint, direct-endpoint, newmark, "
                      "imex-newmark, collision");

  // the mass matrix of the arm changes
  set.method = &dm_newmark;
  assert_int_equal(dm_contact_integrator_new(&w, &a.s, &u, &set, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "Newmark"));
  set.method = &dm_contact_gvi;
  set.energy = DM_ENERGY_VERLET;
  assert_int_equal(dm_contact_integrator_new(&w, &a.s, &u, &set, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "Hamiltonian"));

  // prescribed coordinates
  a.s.nk = 1;
  assert_int_equal(dm_contact_integrator_new(&w, &a.s, &u, NULL, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "kinematic"));
  assert_null(w);
  arm_free(&a);
}

// two stops of one coordinate that leave it no place, to be held from within one of them
static void contradictory_contacts_are_named(void **state) {
  (void)state;
  static particles_plan plan;
  plan = (particles_plan){.axes = "z", .gravity = 1};
  particles_contact(&plan, DM_NOT_BELOW, 0, -1, 0)->name = "low";
  particles_contact(&plan, DM_NOT_ABOVE, 0, -1, -1)->name = "high";
  double q = 0, p = 0;
  dm_contact_integrator_settings set;
  dm_message msg;
  set = dm_contact_integrator_default();
  set.method = &dm_direct_endpoint;
  particles x = particles_make(&plan, 1, &q, &p, &set);

  // the start is refused when asked, and a step from there is named
  dm_unilateral u = dm_contacts_unilateral(x.contacts);
  assert_int_equal(dm_unilateral_check(&u, 1, &q, &msg), DM_INFEASIBLE);
  assert_non_null(strstr(msg.text, "'high' is violated by 1"));
  dm_status s = particles_step(&x, 0.1);
  assert_int_equal(s, DM_MAX_ITER);
  dm_contact_integrator_explain(&msg, s, x.w, &x.info, 5);
  assert_non_null(strstr(msg.text, "no step from knot 5: contact '"));
  particles_free(&x);
}

// no way out between two walls; NaN
static void what_fails_is_named(void **state) {
  (void)state;
  static particles_plan plan;
  plan = (particles_plan){.axes = "z"};
  particles_contact(&plan, DM_NOT_BELOW, 0, -1, 0);
  particles_contact(&plan, DM_NOT_ABOVE, 0, -1, 0);
  double q = 0, p = 1, q1 = 7, p1 = 7;
  particles x = particles_make(&plan, 1, &q, &p, NULL);
  dm_message msg;
  dm_status s = particles_step(&x, 0.1);
  assert_int_equal(s, DM_MAX_ITER);
  dm_contact_integrator_explain(&msg, s, x.w, &x.info, 3);
  assert_non_null(strstr(msg.text, "the impact at knot 3: after "));
  assert_non_null(strstr(msg.text, "reflections contact 'contact' still approaches, at 1"));

  // values that do not exist leave the outputs unchanged
  p = NAN;
  q = 0;
  s = dm_contact_integrator_step(x.w, &q, &p, x.u, 0.1, &q1, &p1, &x.info);
  assert_int_equal(s, DM_NOT_FINITE);
  assert_true(q1 == 7 && p1 == 7);
  dm_contact_integrator_explain(&msg, s, x.w, &x.info, 3);
  assert_non_null(strstr(msg.text, "knot 3"));
  particles_free(&x);
}
// an obstacle that is never where it was: gaps, or ways along it, are others each time
typedef struct restless {
  dm_unilateral real;
  double gaps, ways;
  int *calls;
} restless;
static double jump(const restless *x) {
  return ++*x->calls % 2;
}
static dm_status restless_values(const void *self, void *scratch, const double *q, double *g) {
  const restless *x = self;
  return x->real.values(x->real.self, scratch, q, g);
}
static dm_status restless_rows(const void *self, void *scratch, const double *q, int m,
                               const int *which, double *g, double *G) {
  const restless *x = self;
  DM_TRY(x->real.rows(x->real.self, scratch, q, m, which, g, G));
  if (!G && x->gaps != 0) g[0] += x->gaps * jump(x);
  return DM_OK;
}
static dm_status restless_tangents(const void *self, void *scratch, const double *q,
                                   const double *other, int m, const int *which, double *tau,
                                   double *T) {
  const restless *x = self;
  DM_TRY(x->real.tangents(x->real.self, scratch, q, other, m, which, tau, T));
  // along x, at the end of every other step
  if (x->ways != 0 && other && ++*x->calls % 4 == 0) tau[1] += x->ways;
  return DM_OK;
}
static const char *restless_name(const void *self, int i) {
  (void)self;
  (void)i;
  return "ice";
}
static void what_does_not_settle_is_named(void **state) {
  (void)state;
  static particles_plan plan;
  plan = (particles_plan){.axes = "xz", .gravity = 1};
  particles_contact(&plan, DM_ABOVE, 0, -1, 0)->friction = 0.5;
  dm_message msg;
  for (int i = 0; i < 2; i++) {
    // it would be left, or slide
    double q[2] = {0}, p[] = {0.001, i == 0 ? 0.3 : 0};
    int calls = 1;
    dm_contact_integrator_settings set = dm_contact_integrator_default();
    set.method = &dm_contact_smooth;
    particles x = particles_make(&plan, 1, q, p, NULL);
    restless it = {dm_contacts_unilateral(x.contacts), i == 0 ? -0.05 : 0, i * 0.01, &calls};
    dm_unilateral u = it.real;
    u.self = &it;
    u.values = restless_values;
    u.rows = restless_rows;
    u.first = NULL; // its own rows, in full
    u.tangents = restless_tangents;
    u.name = restless_name;
    if (i == 0) u.friction = NULL;
    dm_contact_integrator *w;
    dm_contact_integrator_info info;
    assert_int_equal(dm_contact_integrator_new(&w, &x.s, &u, &set, NULL), DM_OK);
    dm_status s = dm_contact_integrator_step(w, q, p, NULL, 0.1, q, p, &info);
    assert_int_equal(s, DM_MAX_ITER);
    dm_contact_integrator_explain(&msg, s, w, &info, 4);
    const char *expected =
        i == 0 ? "no step from knot 4: contact 'ice' is neither closed nor open after "
               : "no step from knot 4: friction and the force on contact 'ice' do "
                 "not settle (residual ";
    if (strncmp(msg.text, expected, strlen(expected)) != 0) fail_msg("%s", msg.text);
    dm_contact_integrator_free(w);
    particles_free(&x);
  }
}

// The method smooth follows what is smooth: what approaches, and what would be passed, is named, and
// the state stays where it was.
static void what_is_not_smooth_is_refused(void **state) {
  (void)state;
  static const struct {
    double q, p;
    int steps; // that are taken before
    const char *why;
  } rows[] = {
      {0, -1, 0,
       "no step from knot 4: contact 'contact' is closed and approaches, which is not smooth; take "
       "the method gvi"},
      {0.45, 0, 9,
       "no step from knot 4: contact 'contact' is open by 0.045 and would be passed; the method "
       "smooth keeps to contacts that are closed; take gvi"},
      {0, 0.93, 18,
       "no step from knot 4: contact 'contact' is open by 0.054 and would be passed; "},
      {0, 0, 30, NULL}};
  for (int i = 0; i < COUNT(rows); i++) {
    static particles_plan plan;
    double q[] = {0, rows[i].q}, p[] = {1, rows[i].p};
    plan = (particles_plan){.axes = "xz", .gravity = 1};
    particles_contact(&plan, DM_ABOVE, 0, -1, 0);
    dm_contact_integrator_settings set = dm_contact_integrator_default();
    set.method = &dm_contact_smooth;
    particles x = particles_make(&plan, 1, q, p, &set);
    for (int k = 0; k < rows[i].steps; k++) assert_int_equal(particles_step(&x, 0.1), DM_OK);
    memcpy(q, x.q, sizeof q);
    memcpy(p, x.p, sizeof p);
    dm_status s = particles_step(&x, 0.1);
    assert_int_equal(s, rows[i].why ? DM_INFEASIBLE : DM_OK);
    if (rows[i].why) {
      dm_message msg;
      dm_contact_integrator_explain(&msg, s, x.w, &x.info, 4);
      if (strncmp(msg.text, rows[i].why, strlen(rows[i].why)) != 0) fail_msg("%s", msg.text);
      assert_memory_equal(q, x.q, sizeof q);
      assert_memory_equal(p, x.p, sizeof p);
      assert_true(x.info.penetration == 0);
    }
    particles_free(&x);
  }
}

// A predictor that is a step foresees what forces do in it: a ball that falls is reflected before it
// passes its floor, where the other one, without gravity, lets it pass.
static void a_step_foresees_more_than_a_straight_line(void **state) {
  (void)state;
  static const dm_predictor predictors[] = {dm_predict_forward, dm_predict_step};
  double deepest[2] = {0};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 40; k++) {
      dm_contact_integrator_settings set = dm_contact_integrator_default();
      set.predictor = predictors[i];
      particles x = particles_ball(1 + 0.01 * k, &set);
      for (int j = 0; j < 200; j++) {
        assert_int_equal(particles_step(&x, 0.1), DM_OK);
        deepest[i] = fmax(deepest[i], x.info.penetration);
      }
      particles_free(&x);
    }
  assert_true(deepest[1] == 0 && deepest[0] > 1e-3 && deepest[0] < 0.1 * 0.1 / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bead_leaves_a_ball_where_it_should),
      cmocka_unit_test(sliding_is_of_second_order),
      cmocka_unit_test(machines_bounce_without_loss),
      cmocka_unit_test(machines_come_to_rest),
      cmocka_unit_test(a_ball_bounces_lower_each_time),
      cmocka_unit_test(what_does_not_bounce_lands_once),
      cmocka_unit_test(heaps_come_to_rest),
      cmocka_unit_test(a_slow_ball_does_not_stick),
      cmocka_unit_test(a_step_anew_is_the_first_one),
      cmocka_unit_test(the_numerical_hamiltonian_is_kept),
      cmocka_unit_test(contacts_are_reported),
      cmocka_unit_test(parts_can_be_exchanged),
      cmocka_unit_test(what_cannot_be_taken_is_refused),
      cmocka_unit_test(contradictory_contacts_are_named),
      cmocka_unit_test(what_fails_is_named),
      cmocka_unit_test(what_does_not_settle_is_named),
      cmocka_unit_test(what_is_not_smooth_is_refused),
      cmocka_unit_test(a_step_foresees_more_than_a_straight_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
