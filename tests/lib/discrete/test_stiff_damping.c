// Systems fitted to steps that their damping is too fast for: one coordinate moves exactly, speeds
// decay in steps of any length, rest and steps back stay, and what steps resolve is left alone.
#include "tests/support/ball.h"
#include "tests/support/derivatives.h"
#include "tests/support/lanes.h"

// a mass on a slider of that damping, with a force
static dm_model *slider(double mass, double damping) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"mass", -1, dm_identity, 0, 1, mass, {0}, {0}}};
  dm_input u[] = {models_input("x", 0)};
  c[0].damping = damping;
  return models_make(&(dm_tree){.nbody = 1,
                                .ncoord = 1,
                                .ninput = 1,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.81}});
}

// an arm that hangs, with a light hand on a stiff wrist: m/d is about a millisecond
static dm_model *stiff_wrist(void) {
  dm_coordinate c[] = {models_coord("elbow", false, 0, 1, 0),
                       models_coord("wrist", false, 0, 1, 0)};
  dm_pose end = dm_identity;
  end.p.z = -0.4;
  dm_body b[] = {{"arm", -1, dm_identity, 0, 1, 1, {0, 0, -0.2}, {0, 0.02}},
                 {"hand", 0, end, 1, 1, 0.1, {0, 0, -0.03}, {0, 1e-3}}};
  dm_input u[] = {models_input("elbow", 0), models_input("wrist", 1)};
  c[1].damping = 1;
  return models_make(&(dm_tree){.nbody = 2,
                                .ncoord = 2,
                                .ninput = 2,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.81}});
}

static dm_system fit(dm_stiff_damping **w, const dm_system *s, double h) {
  assert_int_equal(dm_stiff_damping_new(w, s, h), DM_OK);
  return dm_stiff_damping_system(*w, s);
}

// N steps on from (q,p)
static void roll(const dm_system *s, int N, double h, const double *u, double *q, double *p) {
  dm_del *w;
  dm_del_info info;
  assert_int_equal(dm_del_new(&w, s, NULL), DM_OK);
  for (int k = 0; k < N; k++) {
    double q1[12];
    memcpy(q1, q, (size_t)s->L.nq * sizeof *q);
    assert_int_equal(dm_del_step(w, q, p, u, h, q1, p, &info), DM_OK);
    memcpy(q, q1, (size_t)s->L.nq * sizeof *q);
  }
  dm_del_free(w);
}

// the same from and to the measured Q and V
static void roll_seen(const dm_system *s, int N, double h, const double *u, double *Q, double *V) {
  dm_continuous *c;
  double x[24] = {0};
  int n = s->L.nq;
  assert_int_equal(dm_continuous_new(&c, s), DM_OK);
  assert_int_equal(dm_state_of(c, Q, V, x), DM_OK);
  roll(s, N, h, u, x, x + n);
  assert_int_equal(dm_configuration_of(c, x, Q, V), DM_OK);
  dm_continuous_free(c);
}

static void one_damped_coordinate_moves_exactly(void **state) {
  (void)state;
  const char *const rule[] = {"midpoint", "trapezoid"};
  const double mass = 0.7, damping = 9, force = 2, end = force / damping;
  dm_model *m = slider(mass, damping);
  for (int r = 0; r < 2; r++)
    for (double y = 1.01; y < 2e4; y *= 3) {
      const double h = y * mass / damping, all = exp(-3 * y);
      dm_stiff_damping *w;
      dm_system plain = dm_system_of(m);
      assert_int_equal(dm_rule_set(&plain.rule, rule[r], 0.5, "midpoint", NULL), DM_OK);
      dm_system s = fit(&w, &plain, h);
      double Q = 0.4, V = 1.3;
      double moved = 3 * h * end + (V - end) * (1 - all) * mass / damping;
      double left = end + (V - end) * all;
      roll_seen(&s, 3, h, &force, &Q, &V);
      assert_close(V, left, 2e-13);
      assert_close((Q - 0.4) / moved, 1, 2e-13);
      dm_stiff_damping_free(w);
    }
  dm_model_free(m);
}

// without a change of sign from a reference below the inertia; from one above it they fall at least
static void speeds_decay_in_steps_of_any_length(void **state) {
  (void)state;
  const double factor[] = {0.05, 0.5, 1, 3}, none = 0;
  dm_model *m = slider(0.7, 9);
  for (int f = 0; f < COUNT(factor); f++)
    for (double y = 0.01; y < 2e4; y *= 3) {
      dm_system plain = dm_system_of(m);
      const double inertia = 0.7 * factor[f];
      dm_stiff_damping *w;
      plain.inertia = &inertia;
      dm_system s = fit(&w, &plain, y * 0.7 / 9);
      double q = 0, p = 1;
      for (int k = 0; k < 5 && fabs(p) > 1e-12; k++) {
        double before = p;
        roll(&s, 1, y * 0.7 / 9, &none, &q, &p);
        assert_true(fabs(p) < fabs(before));
        assert_true(factor[f] > 1 || y > 1.9 || p > 0);
        assert_true(factor[f] > 1 || p > -1e-15);
      }
      dm_stiff_damping_free(w);
    }
  dm_model_free(m);
}

// Speeds of an arm that falls with a jerk at its wrist, against steps that resolve it: those of the
// plain rule ring.
static void a_stiff_wrist_moves_as_in_short_steps(void **state) {
  (void)state;
  enum { N = 10, FINE = 400 };
  const double h = 0.02, u[] = {0.5, 0.3};
  double V[3][2];
  dm_model *m = stiff_wrist();
  dm_system plain = dm_system_of(m);
  dm_stiff_damping *w;
  dm_system s = fit(&w, &plain, h);
  assert_true(w->count == 1 && w->added[1] > 0 && s.physical);
  for (int k = 0; k < 3; k++) {
    double Q[] = {0.3, 0.2};
    V[k][0] = 0, V[k][1] = 1;
    roll_seen(k == 1 ? &s : &plain, k ? N : N * FINE, k ? h : h / FINE, u, Q, V[k]);
  }
  double error = fabs(V[1][1] - V[0][1]), ringing = fabs(V[2][1] - V[0][1]);
  print_message("speed of the wrist off by %.3g rad/s, of the plain rule by %.3g\n", error,
                ringing);
  assert_true(error < 0.001 && ringing > 0.05);
  dm_stiff_damping_free(w), dm_model_free(m);
}

// a bent arm, held against gravity
static void what_is_held_stays_at_rest(void **state) {
  (void)state;
  dm_model *m = models_chain(2, 0.5, 0);
  dm_system plain = dm_system_of(m);
  plain.damping = (double[]){40, 900};
  dm_stiff_damping *w;
  dm_system s = fit(&w, &plain, 0.05);
  assert_int_equal(w->count, 2);
  double Q[] = {0.4, 0.7}, f[2], V[2] = {0};
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  assert_int_equal(dm_inverse_dynamics(c, Q, V, V, f), DM_OK);
  roll_seen(&s, 100, 0.05, f, Q, V);
  for (int i = 0; i < 2; i++) {
    assert_close(V[i], 0, 1e-12);
    assert_close(Q[i], i ? 0.7 : 0.4, 1e-12);
  }
  dm_continuous_free(c);
  dm_stiff_damping_free(w), dm_model_free(m);
}

// where two masses hang over a wheel, one of them stiffly damped, nothing moves, nor lags
static void what_constraints_hold_stays_at_rest(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("a", true, 0, 0, 1), models_coord("b", true, 0, 0, 1),
                       models_coord("aside", true, 1, 0, 0)};
  dm_body b[] = {{"a", -1, dm_identity, 0, 1, 2, {0}, {0}},
                 {"b", -1, dm_identity, 1, 1, 2, {0}, {0}},
                 {"aside", -1, dm_identity, 2, 1, 2, {0}, {0}}};
  c[1].damping = c[2].damping = 500;
  dm_model *m = models_make(
      &(dm_tree){.nbody = 3, .ncoord = 3, .body = b, .coord = c, .gravity = {0, 0, -9.81}});
  dm_constraint rope = {.name = "rope", .kind = DM_EQUAL, .coord = {0, 1}, .ratio = -1};
  dm_constraints *h;
  dm_stiff_damping *w;
  assert_int_equal(dm_constraints_new(&h, m, 1, &rope, NULL), DM_OK);
  dm_system plain = dm_system_of(m);
  plain.hol = dm_constraints_holonomic(h);
  dm_system s = fit(&w, &plain, 0.1);
  double Q[3] = {0}, V[3] = {0};
  assert_true(w->count == 2 && s.lag && s.lag[1] == 0 && s.lag[2] > 0);
  roll_seen(&s, 5, 0.1, NULL, Q, V);
  for (int i = 0; i < 2; i++) assert_close(Q[i], 0, 1e-12);
  for (int i = 0; i < 2; i++) assert_close(V[i], 0, 1e-12);
  dm_stiff_damping_free(w);
  dm_constraints_free(h), dm_model_free(m);
}

static void a_step_back_undoes_a_step(void **state) {
  (void)state;
  dm_model *m = stiff_wrist();
  dm_system plain = dm_system_of(m);
  dm_stiff_damping *w;
  dm_system s = fit(&w, &plain, 0.005);
  const double u[] = {2, -0.1}, start[] = {0.5, 0.2, 0.1, 0.01};
  double x[4];
  memcpy(x, start, sizeof x);
  roll(&s, 3, 0.005, u, x, x + 2);
  roll(&s, 3, -0.005, u, x, x + 2);
  for (int i = 0; i < 4; i++) assert_close(x[i], start[i], 1e-10);
  dm_stiff_damping_free(w), dm_model_free(m);
}

// a body at a ball joint, turning: slower each step, about much the same axis
static void a_stiff_ball_joint_comes_to_rest(void **state) {
  (void)state;
  for (double damping = 0.1; damping < 2e3; damping *= 10) {
    dm_coordinate c[] = {BALL("body")};
    dm_body b[] = {{"body", -1, dm_identity, 0, 3, 1, {0}, {0.02, 0.03, 0.04}}};
    for (int i = 0; i < 3; i++) c[i].damping = damping;
    ball_machine ball;
    dm_stiff_damping *w;
    ball_make(&ball, &(dm_tree){.nbody = 1, .ncoord = 3, .body = b, .coord = c}, 0, NULL, 0, NULL);
    dm_system s = fit(&w, &ball.s, 0.05);
    assert_int_equal(w->count, damping > 0.5 ? 4 : 0);
    double q[4] = {1}, p[4] = {0, 0.06, 0.1, -0.04};
    for (int k = 0; k < 4; k++) {
      double before[4], size = 0, along = 0, was = 0;
      memcpy(before, p, sizeof p);
      roll(&s, 1, 0.05, NULL, q, p);
      for (int i = 1; i < 4; i++) size += p[i] * p[i], was += before[i] * before[i];
      for (int i = 1; i < 4; i++) along += p[i] * before[i];
      assert_true(size < was || was < 1e-20);
      assert_true(along > -1e-12 * was);
    }
    dm_stiff_damping_free(w), ball_free(&ball);
  }
}

static void derivatives_are_exact(void **state) {
  (void)state;
  const double h = 0.1;
  for (int seed = 1; seed < 4; seed++) {
    dm_model *m = models_random_tree(6, seed == 2, (uint64_t)seed);
    dm_system plain = dm_system_of(m);
    double damping[40];
    for (int i = 0; i < m->nq; i++) damping[i] = i % 2 ? 20 : 0.3;
    plain.damping = damping;
    dm_stiff_damping *w;
    dm_system s = fit(&w, &plain, h);
    assert_true(w->count > 1);
    derivatives_check_of(&s.L, 5);
    derivatives_check_step_of(s, m, h, 7);
    lanes_check(&s);
    dm_stiff_damping_free(w), dm_model_free(m);
  }
}

// accelerations and energies have no inertia added; states have
static void what_moves_is_the_robot(void **state) {
  (void)state;
  dm_model *m = stiff_wrist();
  dm_system s[2] = {dm_system_of(m)};
  const double q[] = {0.3, 0.5}, v[] = {1, -0.5}, u[] = {0.2, 0.1};
  double a[2][2], p[2][2], E[2];
  dm_stiff_damping *w;
  s[1] = fit(&w, &s[0], 0.02);
  for (int k = 0; k < 2; k++) {
    dm_continuous *c;
    assert_int_equal(dm_continuous_new(&c, &s[k]), DM_OK);
    assert_int_equal(dm_acceleration(c, q, v, u, a[k]), DM_OK);
    assert_int_equal(dm_momentum_of(c, q, v, p[k]), DM_OK);
    assert_int_equal(dm_energy(c, q, v, &E[k]), DM_OK);
    double found[2] = {0}, total;
    assert_int_equal(dm_tree_state(c, q, p[k], found, &total), DM_OK);
    assert_close(total, E[k], 1e-14);
    dm_continuous_free(c);
  }
  assert_true(E[0] == E[1] && a[0][0] == a[1][0] && a[0][1] == a[1][1]);
  assert_true(p[0][0] == p[1][0]);
  assert_close(p[1][1] - p[0][1], w->added[1] * v[1], 1e-15);
  dm_stiff_damping_free(w), dm_model_free(m);
}

// a system that its steps resolve, or whose rule needs nothing, is what it was
static void what_steps_resolve_is_left_alone(void **state) {
  (void)state;
  dm_model *m = stiff_wrist();
  dm_system s = dm_system_of(m), same;
  double settles = m->inertia[1] / m->damping[1];
  dm_stiff_damping *w;
  same = fit(&w, &s, 0.999 * settles);
  assert_int_equal(w->count, 0);
  assert_memory_equal(&same, &s, sizeof s);
  dm_stiff_damping_free(w);
  fit(&w, &s, 1.001 * settles);
  assert_int_equal(w->count, 1);
  dm_stiff_damping_free(w);
  s.rule.left = 1; // all forces at the left decay by themselves
  fit(&w, &s, 100 * settles);
  assert_int_equal(w->count, 0);
  dm_stiff_damping_free(w), dm_model_free(m);
}

// of one link its moment about the joint; of a cart and a pole what is left where the other gives
// way
static void reference_inertia_is_what_a_force_alone_moves(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  assert_close(m->inertia[0], 1, 1e-14);
  dm_model_free(m);
  m = models_cart_pole();
  assert_true(m->inertia[0] > 1 && m->inertia[0] < 1.3);
  assert_true(m->inertia[1] > 0.3 * 0.25 / 1.3 && m->inertia[1] < 0.3 * 0.25);
  dm_model *heavy;
  const double mass[] = {2, 2};
  assert_int_equal(dm_model_changed(&heavy, m, &(dm_change){.mass = mass}), DM_OK);
  for (int i = 0; i < 2; i++) assert_close(heavy->inertia[i], 2 * m->inertia[i], 1e-13);
  dm_model_free(heavy), dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_damped_coordinate_moves_exactly),
      cmocka_unit_test(speeds_decay_in_steps_of_any_length),
      cmocka_unit_test(a_stiff_wrist_moves_as_in_short_steps),
      cmocka_unit_test(what_is_held_stays_at_rest),
      cmocka_unit_test(what_constraints_hold_stays_at_rest),
      cmocka_unit_test(a_step_back_undoes_a_step),
      cmocka_unit_test(a_stiff_ball_joint_comes_to_rest),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(what_moves_is_the_robot),
      cmocka_unit_test(what_steps_resolve_is_left_alone),
      cmocka_unit_test(reference_inertia_is_what_a_force_alone_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
