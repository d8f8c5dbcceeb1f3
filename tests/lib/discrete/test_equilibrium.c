// Places of rest: the map stays there, whatever the step; what is given stays given; where there is
// none it is said what is left over.
#include "tests/support/bar.h"

#include "lib/discrete/equilibrium.h"

enum { MOST = 8 };

typedef struct place {
  double q[MOST], u[MOST], lambda[MOST];
} place;

static dm_status find(const dm_system *s, const bool *held, const bool *given, place *at,
                      dm_message *msg) {
  return dm_equilibrium_find(s, held, given, 0.02, at->q, at->u, at->lambda, NULL, msg);
}

// one step of length h from the place, p = D2(q,q,u), ends where it began, with the same momentum,
// under impulses h / 0.02 times those found
static void check_rest(const dm_system *s, const place *at, double h) {
  int n = s->L.nq;
  dm_del *del;
  dm_del_info info;
  double q1[MOST], p[MOST], p1[MOST];
  assert_int_equal(dm_del_new(&del, s, NULL), DM_OK);
  assert_int_equal(dm_interval_eval(del->d, 1, at->q, at->q, at->u, h), DM_OK);
  for (int i = 0; i < n; i++) q1[i] = at->q[i], p[i] = s->nk && s->kinematic[i] ? 0 : del->d->D2[i];
  assert_int_equal(dm_del_step(del, at->q, p, at->u, h, q1, p1, &info), DM_OK);
  for (int i = 0; i < n; i++) {
    assert_close(q1[i], at->q[i], 1e-12);
    assert_close(p1[i], p[i], 1e-12);
  }
  for (int c = 0; c < s->hol.nc; c++) assert_close(del->lambda[c], at->lambda[c] * h / 0.02, 1e-11);
  dm_del_free(del);
}

static void check_rest_by_all_rules(dm_system s, const place *at) {
  static const char *const lagrangian[] = {"midpoint", "trapezoid"}, *const force[] = {"midpoint",
                                                                                       "left"};
  for (int l = 0; l < 2; l++)
    for (int f = 0; f < 2; f++) {
      assert_int_equal(dm_rule_set(&s.rule, lagrangian[l], 0.5, force[f], NULL), DM_OK);
      check_rest(&s, at, 0.02);
      check_rest(&s, at, 0.001);
    }
}

// a torque u holds the pendulum where sin q = u / (m g l)
static void a_torque_holds_a_pendulum_aside(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  bool yes[] = {true};
  place low = {.q = {0.1}, .u = {-4}}, high = {.q = {3}, .u = {-4}}, level = {.q = {acos(-1) / 2}};
  assert_int_equal(find(&s, NULL, yes, &low, NULL), DM_OK);
  assert_int_equal(find(&s, NULL, yes, &high, NULL), DM_OK);
  assert_close(low.q[0], asin(-4 / 9.8), 1e-14);
  assert_close(high.q[0], acos(-1) - asin(-4 / 9.8), 1e-14);
  assert_true(low.u[0] == -4 && high.u[0] == -4);
  assert_int_equal(find(&s, yes, NULL, &level, NULL), DM_OK);
  assert_close(level.u[0], 9.8, 1e-14);
  assert_true(level.q[0] == acos(-1) / 2);
  check_rest_by_all_rules(s, &low);
  check_rest_by_all_rules(s, &high);
  dm_model_free(m);
}

// "at rest" is to the rounding of the forces there, be they ever so large
static void a_heavy_pendulum_hangs_too(void **state) {
  (void)state;
  for (double mass = 1; mass < 1e13; mass *= 1e4) {
    dm_coordinate c[] = {models_coord("pivot", false, 0, 1, 0)};
    dm_body b[] = {{"bob", -1, dm_identity, 0, 1, mass, {0, 0, -1}, {0}}};
    dm_input u[] = {models_input("pivot", 0)};
    dm_model *m = models_make(&(dm_tree){.nbody = 1,
                                         .ncoord = 1,
                                         .ninput = 1,
                                         .body = b,
                                         .coord = c,
                                         .input = u,
                                         .gravity = {0, 0, -9.8}});
    dm_system s = dm_system_of(m);
    place at = {.q = {0.9}, .u = {-4 * mass}};
    assert_int_equal(find(&s, NULL, (bool[]){true}, &at, NULL), DM_OK);
    assert_close(at.q[0], asin(-4 / 9.8), 1e-14);
    dm_model_free(m);
  }
}

// a bent acrobot balances where its centre of mass is over the shoulder, which has no motor
static void a_bent_acrobot_stands_over_its_shoulder(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  bool held[] = {false, true};
  for (int i = -3; i <= 3; i++) {
    place at = {.q = {3, 0.4 * i}};
    assert_int_equal(find(&s, held, NULL, &at, NULL), DM_OK);
    assert_true(at.q[1] == 0.4 * i);
    // no impulse is left on the shoulder, and the place is upright: it is not the one that hangs
    check_rest_by_all_rules(s, &at);
    assert_true(cos(at.q[0]) < 0);
  }
  dm_model_free(m);
}

static void a_hanging_bar_rests_on_its_strings(void **state) {
  (void)state;
  bar b = hang();
  place at = {.q = {0.1, -0.9, 0.05, 1.1, 0.9}};
  dm_message msg = {""};
  if (find(&b.s, NULL, NULL, &at, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_true(at.q[LEFT] == 1.1 && at.q[RIGHT] == 0.9 && at.u[0] == 1.1 && at.u[1] == 0.9);
  check_rest_by_all_rules(b.s, &at);
  // the strings' forces, Dh' lambda / h, carry 2 kg: a row is |x0 - x1|^2 - l^2
  double up = 0;
  for (int c = 0; c < 2; c++) {
    double end = c ? 0.5 : -0.5;
    up += at.lambda[c] / 0.02 * 2 * (at.q[TZ] - end * sin(at.q[RY]));
  }
  assert_close(up, -2 * 9.81, 1e-10);
  drop(&b);
}

static void where_nothing_rests_it_is_said_what_is_left(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  bool yes[] = {true};
  place at = {.q = {0.3}, .u = {20}};
  dm_message msg = {""};
  assert_int_equal(dm_equilibrium_find(&s, NULL, yes, 0.02, at.q, at.u, at.lambda, m->name, &msg),
                   DM_INFEASIBLE);
  assert_true(at.q[0] == 0.3 && at.u[0] == 20);
  assert_non_null(strstr(msg.text, "remains on pivot"));
  // the least that is left where gravity does what it can
  assert_non_null(strstr(msg.text, "10.2"));
  assert_int_equal(find(&s, NULL, yes, &at, &msg), DM_INFEASIBLE);
  assert_non_null(strstr(msg.text, "coordinate 0"));
  dm_model_free(m);

  bar b = hang();
  place far = {.q = {0, -0.9, 0, 0.1, 0.1}}; // strings too short to meet the bar
  assert_int_equal(find(&b.s, NULL, NULL, &far, &msg), DM_INFEASIBLE);
  assert_non_null(strstr(msg.text, "no equilibrium is near there"));
  assert_true(far.q[TZ] == -0.9);
  place nan = {.q = {NAN, -0.9, 0, 1.1, 0.9}};
  assert_int_equal(find(&b.s, NULL, NULL, &nan, &msg), DM_NOT_FINITE);
  drop(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_torque_holds_a_pendulum_aside),
      cmocka_unit_test(a_heavy_pendulum_hangs_too),
      cmocka_unit_test(a_bent_acrobot_stands_over_its_shoulder),
      cmocka_unit_test(a_hanging_bar_rests_on_its_strings),
      cmocka_unit_test(where_nothing_rests_it_is_said_what_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
