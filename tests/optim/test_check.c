// tests/optim/test_check.c: the derivatives of true programs hold, those of a program that lies in
// one of them do not, and the row says which.
#include "lib/mechanics/differenced.h"
#include "optim/check.h"
#include "optim/starts/guess.h"
#include "tests/support/actions.h"
#include "tests/support/checked.h"
#include "tests/support/forces.h"

static dm_message msg;

static void derivatives_of_true_programs_hold(void **state) {
  (void)state;
  tasks_task tasks[] = {tasks_pendulum(3), tasks_cart_pole(20), tasks_acrobot(20)};
  static const int rows[] = {13, 13, 13};
  for (int i = 0; i < 3; i++) {
    oc_check c = oc_check_default();
    if (oc_check_task(&c, &tasks[i].t, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
    checked_hold(&c);
    assert_int_equal(c.rows, rows[i]);
    tasks_free(&tasks[i]);
  }
}

// of rules with nodes within the step: a free final time, costs of momenta, a general force, closed
// loops, kinematic coordinates
static void derivatives_with_nodes_within_the_step_hold(void **state) {
  (void)state;
  static const char *const rule[] = {"lobatto-3", "lobatto-4"};
  for (int r = 0; r < COUNT(rule); r++) {
    tasks_task tasks[] = {tasks_cart_pole(6), tasks_acrobot(30), tasks_cart_pole(6),
                          tasks_four_bar(6), tasks_hung_bar(6)};
    static forces_wave wave;
    tasks[0].t.time.free = true;
    tasks[0].t.time.min = 1;
    tasks[0].t.time.max = 3;
    tasks[1].t.cost[OC_P].running = tasks_weight(&tasks[1], 3, 2, 0.3);
    tasks[1].t.time.free = true;
    tasks[1].t.time.min = 1;
    tasks[1].t.time.max = 5;
    dm_system_add_force(&tasks[2].t.system, forces_wave_of(&wave, 2, 1));
    for (int i = 0; i < COUNT(tasks); i++) {
      oc_check c = oc_check_default();
      dm_rule *of = &tasks[i].t.system.rule;
      assert_int_equal(dm_rule_set(of, rule[r], 0.5, "midpoint", NULL), DM_OK);
      if (oc_check_task(&c, &tasks[i].t, NULL, &msg) != DM_OK) fail_msg("%d: %s", i, msg.text);
      checked_hold(&c);
      tasks_free(&tasks[i]);
    }
  }
}

// a Lagrangian without third derivatives is refused, by differences it has them, and a row states their error
static void third_derivatives_by_differences_are_said(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(20);
  dm_differenced whole = {.L = x.t.system.L};
  whole.L.contract = NULL;
  x.t.system.L = whole.L;
  oc_check c = oc_check_default();
  assert_int_equal(oc_check_task(&c, &x.t, NULL, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "try dm_differenced_lagrangian"));
  x.t.system.L = dm_differenced_lagrangian(&whole);
  if (oc_check_task(&c, &x.t, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
  checked_hold(&c);
  assert_int_equal(c.rows, 14);
  const oc_check_row *last = &c.row[13];
  assert_string_equal(last->block, "Lagrangian, third derivatives by differences");
  assert_true(last->verdict.error > 0 && last->verdict.error < 1e-10);
  tasks_free(&x);
}

static void derivatives_of_second_order_hold(void **state) {
  (void)state;
  tasks_task x = arm_task(10);
  oc_torque_transcription_settings second = settings(&x, "hermite-gauss");
  oc_setup set = oc_setup_default();
  oc_check c = oc_check_default();
  set.second = &second;
  if (oc_check_task(&c, &x.t, &set, &msg) != DM_OK) fail_msg("%s", msg.text);
  checked_hold(&c);
  assert_string_equal(c.row[0].block, "objective, gradient by q");
  tasks_free(&x);
}

// f = x0^3 x1 subject to g = sin x0, with each derivative correct or with an error
typedef enum lie { TRUTH, GRADIENT, JACOBIAN, HESSIAN } lie;

static dm_status eval_f(void *self, const double *x, double *f) {
  (void)self;
  *f = x[0] * x[0] * x[0] * x[1];
  return DM_OK;
}

static dm_status eval_grad(void *self, const double *x, double *grad) {
  grad[0] = 3 * x[0] * x[0] * x[1] + (*(lie *)self == GRADIENT ? 0.01 : 0);
  grad[1] = x[0] * x[0] * x[0];
  return DM_OK;
}

static dm_status eval_g(void *self, const double *x, double *g) {
  (void)self;
  g[0] = sin(x[0]);
  return DM_OK;
}

static dm_status eval_jac(void *self, const double *x, oc_triplets *s) {
  oc_put(s, 0, 0, s->val ? cos(x[0]) + (*(lie *)self == JACOBIAN ? 0.01 : 0) : 0);
  return DM_OK;
}

static dm_status eval_hess(void *self, const double *x, double sigma, const double *lambda,
                           oc_triplets *s) {
  double wrong = *(lie *)self == HESSIAN ? 0.01 : 0;
  oc_put(s, 0, 0, s->val ? sigma * 6 * x[0] * x[1] - lambda[0] * sin(x[0]) + wrong : 0);
  oc_put(s, 1, 0, s->val ? sigma * 3 * x[0] * x[0] : 0);
  return DM_OK;
}

static void a_lie_is_found_where_it_is_told(void **state) {
  (void)state;
  static const double x[] = {0.8, 1.1};
  for (lie told = TRUTH; told <= HESSIAN; told++) {
    oc_check c = oc_check_default();
    lie self = told;
    oc_nlp nlp = {.n = 2,
                  .m = 1,
                  .jac_nnz = 1,
                  .hess_nnz = 2,
                  .self = &self,
                  .f = eval_f,
                  .grad = eval_grad,
                  .g = eval_g,
                  .jac = eval_jac,
                  .hess = eval_hess};
    assert_int_equal(oc_check_nlp(&c, &nlp, "qq", x), DM_OK);
    assert_int_equal(c.rows, 3);
    assert_int_equal(c.row[0].verdict.holds, told != GRADIENT);
    assert_int_equal(c.row[1].verdict.holds, told != JACOBIAN);
    assert_int_equal(c.row[2].verdict.holds, told != HESSIAN);
  }
}

// two arms of 1 kg, at their end a link of mass m, 1 cm long; a torque of 1 at each joint
static tasks_task light_link(double m) {
  dm_coordinate c[] = {models_coord("shoulder", false, 0, 1, 0),
                       models_coord("elbow", false, 0, 1, 0),
                       models_coord("finger", false, 1, 0, 0)};
  const double round = m * 1e-4;
  dm_body b[] = {{"upper", -1, dm_identity, 0, 1, 1, {0, 0, -0.5}, {0.1, 0.1, 0.1}},
                 {"lower", 0, dm_identity, 1, 1, 1, {0, 0, -0.5}, {0.1, 0.1, 0.1}},
                 {"tip", 1, dm_identity, 2, 1, m, {0, 0, -0.01}, {round, round, round}}};
  b[1].offset.p.z = b[2].offset.p.z = -1;
  dm_input u[] = {models_input("shoulder", 0), models_input("elbow", 1), models_input("finger", 2)};
  tasks_task x = tasks_make(models_make(&(dm_tree){.nbody = 3,
                                                   .ncoord = 3,
                                                   .ninput = 3,
                                                   .body = b,
                                                   .coord = c,
                                                   .input = u,
                                                   .gravity = {0, 0, -9.8}}),
                            40, 1);
  tasks_rest(&x, 0, (double[]){0, 0, 0});
  tasks_rest(&x, 1, (double[]){0.3, 0.3, 0.3});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 3, 1);
  return x;
}

// drag of the tip by the square of its speed, as much as its inertia; its derivative is `wrong` times that
typedef struct tip_drag {
  double drag, wrong;
} tip_drag;

static dm_status eval_drag(const void *self, void *scratch, int order, const double *q,
                           const double *v, const double *u, dm_force_jet *out) {
  (void)scratch, (void)q, (void)u;
  const tip_drag *w = self;
  out->f[2] -= w->drag * v[2] * fabs(v[2]);
  if (order == 2) out->f_v[2 * 3 + 2] -= w->wrong * 2 * w->drag * fabs(v[2]);
  return DM_OK;
}

static dm_status contract_drag(const void *self, void *scratch, const double *q, const double *v,
                               const double *u, const double *mu, dm_force_hessian *out) {
  (void)scratch, (void)q, (void)u;
  out->vv[2 * 3 + 2] -= mu[2] * 2 * ((const tip_drag *)self)->drag * copysign(1, v[2]);
  return DM_OK;
}

// whatever a link's mass, true derivatives hold and a force's wrong one is found in the rows of a step
static void links_are_checked_in_proportion_to_their_inertia(void **state) {
  (void)state;
  static const double mass[] = {1, 1e-2, 1e-4, 1e-6};
  for (int i = 0; i < COUNT(mass); i++) {
    tip_drag drag = {mass[i] * 2e-4, 1};
    tasks_task x = light_link(mass[i]);
    oc_check c = oc_check_default(), off = oc_check_default();
    dm_system_add_force(&x.t.system,
                        (dm_force){.self = &drag, .eval = eval_drag, .contract = contract_drag});
    if (oc_check_task(&c, &x.t, NULL, &msg) != DM_OK) fail_msg("%g kg: %s", mass[i], msg.text);
    checked_hold(&c);
    assert_string_equal(c.row[c.rows - 3].block, "step, A by p");

    drag.wrong = 1.01;
    if (oc_check_task(&off, &x.t, NULL, &msg) != DM_OK) fail_msg("%g kg: %s", mass[i], msg.text);
    assert_false(off.row[off.rows - 3].verdict.holds);
    tasks_free(&x);
  }
}

// a guess that cannot be stepped in its middle is checked at another knot
static void a_step_is_taken_from_a_knot_that_has_one(void **state) {
  (void)state;
  tasks_task x = light_link(1);
  dm_trajectory *line = NULL;
  oc_check c = oc_check_default();
  assert_int_equal(dm_trajectory_of(&line, x.t.N, &x.t.system), DM_OK);
  assert_int_equal(oc_guess_line(&x.t, line), DM_OK);
  const int middle = line->N / 2 * line->n;
  line->v[middle + 1] = 1e200;
  assert_int_not_equal(
      oc_check_step(&c, &x.t, line->N / 2, line->q + middle, line->v + middle, line->h, &msg),
      DM_OK);
  assert_int_equal(c.rows, 0);
  if (oc_check_motion(&c, &x.t, line, &msg) != DM_OK) fail_msg("%s", msg.text);
  checked_hold(&c);
  assert_int_equal(c.rows, 4);
  dm_trajectory_free(line);
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_true_programs_hold),
      cmocka_unit_test(derivatives_with_nodes_within_the_step_hold),
      cmocka_unit_test(third_derivatives_by_differences_are_said),
      cmocka_unit_test(derivatives_of_second_order_hold),
      cmocka_unit_test(links_are_checked_in_proportion_to_their_inertia),
      cmocka_unit_test(a_step_is_taken_from_a_knot_that_has_one),
      cmocka_unit_test(a_lie_is_found_where_it_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
