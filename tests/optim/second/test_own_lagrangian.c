// Lagrangians of one's own in the place of what inputs cost, of order two and three: derivatives of
// the program, minima in closed form, what is refused.
#include "lib/second/polynomial.h"
#include "optim/second/newton_bvp.h"
#include "tests/support/actions.h"
#include "tests/support/programs.h"

enum { STEPS = 4 };

static oc_torque_transcription_settings own_settings(const tasks_task *x, const char *rule,
                                                     dm_polynomial *p) {
  oc_torque_transcription_settings set = settings(x, rule);
  assert_int_equal(dm_second_order_rule_set(&set.rule, rule, p->k, NULL), DM_OK);
  set.own = dm_polynomial_lagrangian(p);
  return set;
}

// of two coordinates: products of q, v, a and, of order 3, jerks
static dm_power power[][3] = {
    {{0, 2}, {3, 1}, {5, 2}}, {{1, 1}, {2, 3}}, {{4, 2}}, {{0, 1}, {6, 2}}, {{7, 2}}};
static dm_monomial monomial[] = {{0.7, 3, power[0]},
                                 {-0.4, 2, power[1]},
                                 {0.5, 1, power[2]},
                                 {0.3, 2, power[3]},
                                 {0.5, 1, power[4]}};

// beside all that a task of second order may have: costs of inputs, of states, at the end, limits
static void derivatives_are_exact(void **state) {
  (void)state;
  static const char *const rule[] = {"taylor-ends", "hermite-gauss", "hermite-lobatto"};
  for (int k = 2; k <= 3; k++)
    for (int r = k == 3; r < COUNT(rule); r++) {
      dm_polynomial p = {.n = 2, .k = k, .count = k == 2 ? 3 : 5, .term = monomial};
      tasks_task x = tasks_make(models_chain(2, 0.7, 0), STEPS, 0.9);
      int n = x.m->nq;
      x.m->u_min[0] = -3;
      x.m->v_max[1] = 2;
      x.m->q_min[0] = -0.1;
      x.t.cost[OC_U].running = r ? tasks_weight(&x, 0, n, 0.4) : NULL;
      x.t.cost[OC_Q].running = tasks_weight(&x, 1, n, 1.3);
      x.t.cost[OC_V].goal = tasks_weight(&x, 4, n, 1.1);
      x.t.sum = r == 1;
      const double penalty[] = {3, 0};
      oc_torque_transcription_settings set = own_settings(&x, rule[r], &p);
      set.penalty = penalty;
      oc_torque_transcription *w = open_action(&x, &set);
      char what[80];
      snprintf(what, sizeof what, "order %d by %s", k, rule[r]);
      at a = point_of(oc_torque_transcription_nlp(w), 7);
      check_point(&a, what);
      drop(&a);
      oc_torque_transcription_free(w);
      tasks_free(&x);
    }
}

// the program's cost is the sum of the discrete Lagrangian that Newton's method takes
static void both_forms_are_one(void **state) {
  (void)state;
  dm_polynomial p = {.n = 2, .k = 3, .count = 5, .term = monomial};
  tasks_task x = tasks_make(models_chain(2, 0.7, 0), STEPS, 0.9);
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 2, 0.4);
  oc_torque_transcription_settings set = own_settings(&x, "hermite-gauss", &p);
  oc_torque_transcription *w = open_action(&x, &set);
  at a = point_of(oc_torque_transcription_nlp(w), 3);
  double f, J = 0;
  dm_second_order *L = oc_torque_transcription_second(w);
  assert_int_equal(a.p->n, (STEPS + 1) * 6);
  for (int k = 0; k < STEPS; k++) {
    assert_int_equal(dm_second_order_eval(L, 0, a.x + 6 * k, a.x + 6 * k + 6, 0.9 / STEPS), DM_OK);
    J += L->Ld;
  }
  objective(&a, a.x, &f);
  assert_close(f / J, 1, 1e-13);
  drop(&a);
  oc_torque_transcription_free(w);
  tasks_free(&x);
}

// least jerk from rest to rest, D in T: the quintic, which costs 360 D^2/T^5, by every rule that is
// exact for it, and Newton's method finds it from any guess in one step
static void least_jerk_is_a_quintic(void **state) {
  (void)state;
  const double D[] = {1.3, -0.4}, T = 0.8, zero[] = {0, 0};
  static dm_power jerk[][1] = {{{6, 2}}, {{7, 2}}};
  static dm_monomial square[] = {{0.5, 1, jerk[0]}, {0.5, 1, jerk[1]}};
  static const char *const rule[] = {"hermite-gauss", "hermite-lobatto"};
  for (int r = 0; r < 2; r++) {
    dm_polynomial p = {.n = 2, .k = 3, .count = 2, .term = square};
    tasks_task x = tasks_make(models_chain(2, 1, 0), 10, T);
    tasks_rest(&x, 0, zero);
    tasks_rest(&x, 1, D);
    oc_torque_transcription_settings set = own_settings(&x, rule[r], &p);
    set.a_start = set.a_goal = zero;
    oc_torque_transcription *w = open_action(&x, &set);
    dm_message why = {""};
    oc_newton *newton = NULL;
    oc_options how = oc_options_default();
    oc_newton_info info;
    double X[11 * 6], Y[11 * 6];
    how.newton.coarse = 0;
    oc_torque_transcription_cubic(w, X);
    for (int i = 0; i < 66; i++) Y[i] = X[i] + (i < 6 || i >= 60 ? 0 : sin(i));
    assert_int_equal(oc_newton_new(&newton, oc_torque_transcription_second(w), 10,
                                   oc_torque_transcription_end(w, 0),
                                   oc_torque_transcription_end(w, 1), &why),
                     DM_OK);
    assert_int_equal(oc_newton_solve(newton, &how, NULL, T / 10, Y, NULL, 0, &info, &why), DM_OK);
    assert_in_range(info.iterations, 1, 2);
    assert_close(info.action, 360 * (D[0] * D[0] + D[1] * D[1]) / pow(T, 5), 1e-6);
    for (int k = 0; k <= 10; k++)
      for (int i = 0; i < 2; i++) {
        double s = k / 10.0, q = D[i] * s * s * s * (10 - s * (15 - 6 * s));
        assert_close(X[6 * k + i], q, 1e-14);
        assert_close(Y[6 * k + i], q, 1e-9);
      }
    oc_newton_free(newton);
    oc_torque_transcription_free(w);
    tasks_free(&x);
  }
}

// momenta that arrive at a knot are those that leave it, D1(k-1) + D0(k) = 0, of order 3 too
static void momenta_of_a_minimum_pass_on(void **state) {
  (void)state;
  static dm_power bend[][2] = {{{6, 2}}, {{7, 2}}, {{0, 2}, {3, 2}}};
  static dm_monomial sum[] = {{0.5, 1, bend[0]}, {0.5, 1, bend[1]}, {2, 2, bend[2]}};
  dm_polynomial p = {.n = 2, .k = 3, .count = 3, .term = sum};
  const double zero[] = {0, 0};
  tasks_task x = tasks_make(models_chain(2, 1, 0), 10, 1);
  tasks_rest(&x, 0, zero);
  tasks_rest(&x, 1, (double[]){1, 2});
  oc_torque_transcription_settings set = own_settings(&x, "hermite-gauss", &p);
  set.a_start = zero; // free at the goal: the momentum of a is zero there
  oc_torque_transcription *w = open_action(&x, &set);
  dm_second_order *L = oc_torque_transcription_second(w);
  dm_message why = {""};
  oc_newton *newton = NULL;
  oc_options how = oc_options_default();
  oc_newton_info info;
  double X[11 * 6], P[6] = {0}, largest = 0;
  oc_torque_transcription_cubic(w, X);
  assert_int_equal(oc_newton_new(&newton, L, 10, oc_torque_transcription_end(w, 0),
                                 oc_torque_transcription_end(w, 1), &why),
                   DM_OK);
  assert_int_equal(oc_newton_solve(newton, &how, NULL, 0.1, X, NULL, 0, &info, &why), DM_OK);
  for (int k = 0; k < 10; k++) {
    assert_int_equal(dm_second_order_eval(L, 1, X + 6 * k, X + 6 * k + 6, 0.1), DM_OK);
    for (int i = 0; i < 6; i++) {
      largest = fmax(largest, fabs(L->D1[i]));
      if (k > 0) assert_close(P[i], -L->D0[i], 1e-6 * largest);
      P[i] = L->D1[i];
    }
  }
  for (int i = 4; i < 6; i++) assert_close(P[i], 0, 1e-6 * largest);
  oc_newton_free(newton);
  oc_torque_transcription_free(w);
  tasks_free(&x);
}

static void what_lacks_a_third_derivative_is_refused(void **state) {
  (void)state;
  dm_message why = {""};
  const char *key = "";
  tasks_task x = arm_task(4);
  oc_torque_transcription_settings set = settings(&x, "hermite-gauss");
  assert_int_equal(dm_second_order_rule_set(&set.rule, "hermite-gauss", 3, NULL), DM_OK);
  assert_int_equal(oc_torque_transcription_check(&x.t, &set, &key, &why), DM_BAD_INPUT);
  assert_string_equal(key, "cost.lagrangian");
  assert_non_null(strstr(why.text, "found no Lagrangian"));

  // paper 003's rule ties two derivatives alone
  dm_polynomial p = {.n = 2, .k = 3, .count = 5, .term = monomial};
  set = own_settings(&x, "taylor", &p);
  assert_int_equal(oc_torque_transcription_check(&x.t, &set, &key, &why), DM_SINGULAR);
  assert_string_equal(key, "rule.second");
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(both_forms_are_one),
      cmocka_unit_test(least_jerk_is_a_quintic),
      cmocka_unit_test(momenta_of_a_minimum_pass_on),
      cmocka_unit_test(what_lacks_a_third_derivative_is_refused),
  };
  return cmocka_run_group_tests_name("own_lagrangian", tests, NULL, NULL);
}
