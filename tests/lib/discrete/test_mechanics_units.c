// Units do not matter to the mechanics: the same robot in other units of mass, length and time takes the
// same steps, is assembled, rests and bounces in the same way; between units that differ by powers of two
// to the bit. What is small is no less a robot.
#include "tests/support/models.h"

#include "lib/contact/contact_integrator.h"
#include "lib/discrete/assembly.h"
#include "lib/discrete/del.h"
#include "lib/discrete/equilibrium.h"

#include <float.h>

// what 1 kg, 1 m, 1 s become
typedef struct units {
  double m, l, t, near; // how near numbers are to those in SI units
} units;

static const units all[] = {{1, 1, 1, 0},
                            {2, 1, 1, 0},
                            {1. / 1048576, 128, 0.125, 0},
                            {8192, 1. / 32, 2, 0},
                            {1. / 32, 1. / 4096, 1, 0},
                            {1e-6, 1e-3, 1, 1e-9},
                            {1e-9, 1e-4, 0.1, 1e-9},
                            {1e5, 10, 3, 1e-9}};
enum { SYSTEMS = sizeof all / sizeof *all, MOST = 4 };

// x, which is in the unit, is as in SI units
static void check(double x, double unit, double si, double near, const char *what) {
  const double off = fabs(x / unit - si);
  if (!(near > 0 ? off <= near * (1 + fabs(si)) : off == 0))
    fail_msg("%s: %.17g, in SI %.17g", what, x / unit, si);
}

// a crank in the vertical plane moves a slider, which a force pushes, by a rod
typedef struct machine {
  dm_model *m;
  dm_constraints *c;
  dm_system s;
  units u;
  double q[2], p[2]; // units of each coordinate and of its momentum
  double force;
} machine;

static machine make_machine(units u) {
  machine x = {.u = u, .q = {1, u.l}, .force = u.m * u.l / (u.t * u.t)};
  x.p[0] = u.m * u.l * u.l / u.t;
  x.p[1] = u.m * u.l / u.t;
  dm_coordinate c[] = {models_coord("crank", false, 0, 1, 0),
                       models_coord("slider", true, 1, 0, 0)};
  dm_body b[] = {
      {"crank", -1, dm_identity, 0, 1, 0.7 * u.m, {0.2 * u.l, 0, -0.1 * u.l}, {0}},
      {"slider", -1, dm_identity, 1, 1, 1.3 * u.m, {0}, {0}},
  };
  b[0].inertia[1] = 0.03 * u.m * u.l * u.l;
  dm_input in[] = {models_input("slider", 1)};
  x.m = models_make(&(dm_tree){.nbody = 2,
                               .ncoord = 2,
                               .ninput = 1,
                               .body = b,
                               .coord = c,
                               .input = in,
                               .gravity = {0, 0, -9.81 * u.l / (u.t * u.t)}});
  dm_constraint rod = {.name = "rod",
                       .kind = DM_DISTANCE,
                       .body = {0, 1},
                       .coord = {-1, -1},
                       .point = {{0.3 * u.l, 0, 0}, {0, 0, 0}},
                       .length = 0.9 * u.l};
  assert_int_equal(dm_constraints_new(&x.c, x.m, 1, &rod, NULL), DM_OK);
  x.s = dm_system_of(x.m);
  x.s.hol = dm_constraints_holonomic(x.c);
  return x;
}

static void free_machine(machine *x) {
  dm_constraints_free(x->c);
  dm_model_free(x->m);
}

// q of a machine that is put together, near there
static void put_together(const machine *x, double *q) {
  q[0] = 0.4;
  q[1] = 1.1 * x->u.l;
  assert_int_equal(dm_assembly_check(&x->s, q, NULL), DM_OK);
  assert_int_equal(dm_assembly_project(&x->s, q, NULL), DM_OK);
}

static void a_machine_is_put_together(void **state) {
  (void)state;
  double first[2], rate[2], lowest[2], impulse;
  for (int i = 0; i < SYSTEMS; i++) {
    machine x = make_machine(all[i]);
    const double per = 1 / x.u.t;
    double q[2], v[2] = {per, 0.7 * x.u.l * per}, r[2] = {x.p[0], 2 * x.p[1]}, low[2], lambda;
    put_together(&x, q);
    assert_int_equal(dm_assembly_velocity(&x.s, q, v, NULL), DM_OK);
    assert_int_equal(dm_assembly_impulse(&x.s, q, r, &lambda), DM_OK);
    memcpy(low, q, sizeof low);
    assert_int_equal(dm_assembly_settle(&x.s, NULL, NULL, low, NULL), DM_OK);
    if (i == 0) {
      memcpy(first, q, sizeof q), memcpy(rate, v, sizeof v), memcpy(lowest, low, sizeof low);
      impulse = lambda;
    }
    for (int j = 0; j < 2; j++) {
      check(q[j], x.q[j], first[j], x.u.near, "coordinate");
      check(v[j], x.q[j] * per, rate[j], x.u.near, "velocity");
      check(low[j], x.q[j], lowest[j], x.u.near * 1e2, "lowest place");
    }
    check(lambda, x.u.m / x.u.t, impulse, x.u.near, "impulse");

    // a rod that does not reach is refused in all units
    double far[] = {0.4, 5 * x.u.l};
    assert_int_equal(dm_assembly_project_fixed(&x.s, (bool[]){true, true}, far, NULL),
                     DM_INFEASIBLE);
    free_machine(&x);
  }
}

static void a_machine_takes_the_same_steps(void **state) {
  (void)state;
  enum { N = 60 };
  static double q_si[N][2], p_si[N][2];
  static int iterations[N];
  for (int i = 0; i < SYSTEMS; i++) {
    machine x = make_machine(all[i]);
    dm_del *del;
    dm_del_info info;
    double q[2], p[2] = {0.2 * x.p[0], 0}, next[2];
    const double u = 3 * x.force;
    put_together(&x, q);
    assert_int_equal(dm_del_new(&del, &x.s, NULL), DM_OK);
    for (int k = 0; k < N; k++) {
      memcpy(next, q, sizeof q);
      assert_int_equal(dm_del_step(del, q, p, &u, 0.01 * x.u.t, next, p, &info), DM_OK);
      memcpy(q, next, sizeof q);
      if (i == 0) iterations[k] = info.iterations;
      if (x.u.near == 0) assert_int_equal(info.iterations, iterations[k]);
      for (int j = 0; j < 2; j++) {
        if (i == 0) q_si[k][j] = q[j], p_si[k][j] = p[j];
        check(q[j], x.q[j], q_si[k][j], x.u.near, "coordinate");
        check(p[j], x.p[j], p_si[k][j], x.u.near, "momentum");
      }
    }
    dm_del_free(del);
    free_machine(&x);
  }
}

static void a_machine_rests_at_the_same_place(void **state) {
  (void)state;
  double first[2];
  for (int i = 0; i < SYSTEMS; i++) {
    machine x = make_machine(all[i]);
    double q[2], u = 2 * x.force, lambda;
    put_together(&x, q);
    assert_int_equal(
        dm_equilibrium_find(&x.s, NULL, (bool[]){true}, 0.01 * x.u.t, q, &u, &lambda, NULL, NULL),
        DM_OK);
    if (i == 0) memcpy(first, q, sizeof q);
    for (int j = 0; j < 2; j++) check(q[j], x.q[j], first[j], x.u.near, "place of rest");

    // held elsewhere it does not rest without the force
    put_together(&x, q);
    u = 0;
    assert_int_equal(dm_equilibrium_find(&x.s, (bool[]){true, true}, (bool[]){true}, 0.01 * x.u.t,
                                         q, &u, &lambda, NULL, NULL),
                     DM_INFEASIBLE);
    free_machine(&x);
  }
}

// the torque m g l sin(1) is no rounding, however small it is; what rounding leaves at the top is
static void a_light_pendulum_does_not_lean(void **state) {
  (void)state;
  for (double mass = 1e-15; mass < 1e13; mass *= 1e3)
    for (double length = 1e-6; length < 1e4; length *= 1e2) {
      dm_coordinate c[] = {models_coord("pivot", false, 0, 1, 0)};
      dm_body b[] = {{"bob", -1, dm_identity, 0, 1, mass, {0, 0, -length}, {0}}};
      dm_model *m = models_make(
          &(dm_tree){.nbody = 1, .ncoord = 1, .body = b, .coord = c, .gravity = {0, 0, -9.8}});
      dm_system s = dm_system_of(m);
      for (double q0 = 1; q0 > 1e-8; q0 /= 10) {
        double q = q0;
        assert_int_equal(
            dm_equilibrium_find(&s, (bool[]){true}, NULL, 0.01, &q, NULL, NULL, NULL, NULL),
            DM_INFEASIBLE);
      }
      double top = acos(-1), low = 0.5;
      assert_int_equal(
          dm_equilibrium_find(&s, (bool[]){true}, NULL, 0.01, &top, NULL, NULL, NULL, NULL), DM_OK);
      assert_int_equal(dm_equilibrium_find(&s, NULL, NULL, 0.01, &low, NULL, NULL, NULL, NULL),
                       DM_OK);
      assert_close(low, 0, 1e-9);
      dm_model_free(m);
    }
}

// A stick falls on the floor, which its two ends meet: its coordinates after so many steps, and how often
// a contact is made.
static int drop_stick(units u, const dm_contact_method *method, double restitution, int steps,
                      double *q) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                       models_coord("turn", false, 0, 1, 0)};
  dm_body b[] = {{"stick", -1, dm_identity, 0, 3, 0.8 * u.m, {0}, {0}}};
  b[0].inertia[1] = 0.05 * u.m * u.l * u.l;
  dm_model *m = models_make(&(dm_tree){.nbody = 1,
                                       .ncoord = 3,
                                       .body = b,
                                       .coord = c,
                                       .gravity = {0, 0, -9.81 * u.l / (u.t * u.t)}});
  dm_contact end[2] = {{.name = "end", .kind = DM_ABOVE, .body = {0, -1}, .axis = {0, 0, 1}}};
  end[0].restitution = restitution;
  end[0].point[0][0] = 0.4 * u.l;
  end[1] = end[0];
  end[1].point[0][0] = -0.4 * u.l;

  dm_contacts *contacts;
  dm_contact_integrator *w;
  dm_contact_integrator_info info;
  dm_contact_integrator_settings set = dm_contact_integrator_default();
  set.method = method;
  const dm_system s = dm_system_of(m);
  assert_int_equal(dm_contacts_new(&contacts, m, 2, end, NULL), DM_OK);
  const dm_unilateral g = dm_contacts_unilateral(contacts);
  assert_int_equal(dm_contact_integrator_new(&w, &s, &g, &set, NULL), DM_OK);

  int made = 0;
  double p[3] = {0.1 * u.m * u.l / u.t};
  q[0] = 0, q[1] = 0.5 * u.l, q[2] = 0.3;
  for (int k = 0; k < steps; k++) {
    assert_true(dm_contact_integrator_step(w, q, p, NULL, 0.01 * u.t, q, p, &info) >= 0);
    made += info.made;
  }
  dm_contact_integrator_free(w);
  dm_contacts_free(contacts);
  dm_model_free(m);
  return made;
}

static void a_stick_bounces_as_often(void **state) {
  (void)state;
  for (int r = 0; r < 2; r++) {
    double si[3], q[3];
    const double restitution = r ? 0 : 0.7;
    const int made = drop_stick(all[0], &dm_contact_gvi, restitution, 120, si);
    assert_true(made > 1);
    for (int i = 1; i < SYSTEMS; i++) {
      assert_int_equal(drop_stick(all[i], &dm_contact_gvi, restitution, 120, q), made);
      for (int j = 0; j < 3; j++)
        check(q[j], j < 2 ? all[i].l : 1, si[j], all[i].near * 1e3, "coordinate");
    }
  }
}

// as high as an atom or a tower, on an earth whose gravity is the same
static void a_ball_bounces_from_any_height(void **state) {
  (void)state;
  int first = 0;
  for (double height = 1; height > 1e-11; height /= 1e3) {
    dm_coordinate c[] = {models_coord("z", true, 0, 0, 1)};
    dm_body b[] = {{"ball", -1, dm_identity, 0, 1, 1, {0}, {0}}};
    dm_model *m = models_make(
        &(dm_tree){.nbody = 1, .ncoord = 1, .body = b, .coord = c, .gravity = {0, 0, -9.81}});
    dm_contact floor = {.name = "floor", .kind = DM_ABOVE, .body = {0, -1}, .axis = {0, 0, 1}};
    floor.restitution = 0.9;
    dm_contacts *contacts;
    dm_contact_integrator *w;
    dm_contact_integrator_info info;
    const dm_system s = dm_system_of(m);
    assert_int_equal(dm_contacts_new(&contacts, m, 1, &floor, NULL), DM_OK);
    const dm_unilateral g = dm_contacts_unilateral(contacts);
    assert_int_equal(dm_contact_integrator_new(&w, &s, &g, NULL, NULL), DM_OK);
    double q = height, p = 0;
    int made = 0;
    for (int k = 0; k < 400; k++) {
      const double h = 0.0137 * sqrt(height);
      assert_int_equal(dm_contact_integrator_step(w, &q, &p, NULL, h, &q, &p, &info), DM_OK);
      made += info.made;
    }
    if (height == 1) first = made;
    assert_true(made >= 8);
    assert_int_equal(made, first);
    dm_contact_integrator_free(w);
    dm_contacts_free(contacts);
    dm_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_machine_is_put_together),
      cmocka_unit_test(a_machine_takes_the_same_steps),
      cmocka_unit_test(a_machine_rests_at_the_same_place),
      cmocka_unit_test(a_light_pendulum_does_not_lean),
      cmocka_unit_test(a_stick_bounces_as_often),
      cmocka_unit_test(a_ball_bounces_from_any_height),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
