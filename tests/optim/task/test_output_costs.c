// Costs and limits on outputs in solvers that have no knots of their own for them: derivatives of
// programs of second order, and that these and the descent end where first order does.
#include "optim/task/output_costs.h"

#include "lib/base/block.h"
#include "optim/check.h"
#include "optim/descent/descent.h"
#include "optim/solve.h"
#include "tests/support/actions.h"
#include "tests/support/asked.h"

static dm_message msg;

enum { TIP_X, TIP_Y, TIP_Z, SPEED_X, SPEED_Y, SPEED_Z, DRIVE };

// the tip of the arm's lower link, its velocity, and the power of the elbow
typedef struct asked_costs {
  dm_outputs *w;
  oc_output_limit limit[4];
  oc_output_cost cost[4];
} asked_costs;

static void ask_costs(asked_costs *a, oc_task *t, const dm_model *m, int nlimits, int ncosts) {
  static const int input[] = {1};
  static const double one[] = {1};
  const dm_output list[] = {
      {.name = "tip", .kind = DM_OUTPUT_POSITION, .body = {1, -1}, .point = {{0, 0, -1}}},
      {.name = "speed", .kind = DM_OUTPUT_VELOCITY, .body = {1, -1}, .point = {{0, 0, -1}}},
      {.name = "drive", .kind = DM_OUTPUT_POWER, .n = 1, .input = input, .weight = one}};
  t->outputs = (oc_outputs){.y = asked_map(&a->w, m, 3, list),
                            .nlimits = nlimits,
                            .limits = a->limit,
                            .ncosts = ncosts,
                            .costs = a->cost};
}

// by (q,v,u) of a term and by (q,v) of a knot
typedef struct cost_bench {
  oc_output_costs *w;
  bool once;
  int k;
  oc_term_work term;
  double c_xx[25];
} cost_bench;

static double eval_costs(cost_bench *b, const double *x, int order) {
  double c = 0;
  if (b->once) {
    assert_int_equal(oc_output_costs_knot(b->w, b->k, order, x, x + 2, &c), DM_OK);
    return c;
  }
  memcpy(b->term.x, x, 5 * sizeof *x);
  const oc_term_place at = {.k = b->k, .share = 0.25};
  return oc_terms_eval(&b->term, b->w->task.functions.nterms, b->w->task.functions.terms, at,
                       order);
}

static void cost_gradient(void *self, const double *x, double *out) {
  cost_bench *b = self;
  const oc_term_work *w = b->once ? &b->w->knot : &b->term;
  const size_t m = b->once ? 4 : 5;
  eval_costs(b, x, 2);
  memcpy(out, w->c_x, m * sizeof *out);
  memcpy(b->c_xx, w->c_xx, m * m * sizeof *out);
}

static void cost_value(void *self, const double *x, double *out) {
  *out = eval_costs(self, x, 0);
}

static void both_have_exact_derivatives(void **state) {
  (void)state;
  tasks_task x = arm_task(8);
  double references[9] = {0, 0.3, 0.1, -0.2, 0.5, 0.4, 1, 2, 3};
  asked_costs a = {
      .cost = {{.output = TIP_X, .at = {0, 1}, .weight = 2, .references = references},
               {.output = SPEED_Z, .at = {0.2, 0.8}, .weight = 3, .reference = 0.4},
               {.output = TIP_Z, .at = {0.5, 0.5}, .once = true, .weight = 4, .reference = -1},
               {.output = SPEED_X, .at = {0.4, 1}, .once = true, .weight = 5}}};
  ask_costs(&a, &x.t, x.m, 0, 4);
  oc_output_costs *w;
  assert_int_equal(oc_output_costs_new(&w, &x.t), DM_OK);
  assert_int_equal(w->task.functions.nterms, 2);
  assert_true(oc_output_costs_once(w, 4) && !oc_output_costs_once(w, 2));
  assert_true(oc_output_costs_once_rated(w, 8));
  const double at[] = {0.4, -0.7, 1.1, 0.6, 0.3}, d[] = {0.3, 1, -0.5, 0.7, 0.2};
  for (int once = 0; once < 2; once++) {
    cost_bench b = {.w = w, .once = once, .k = 4, .term = {.n = 2, .nf = 1, .N = 8}};
    dm_block room = {0};
    oc_term_work_lay_out(&b.term, &room, &w->task.functions);
    assert_int_equal(dm_block_new(&room), DM_OK);
    oc_term_work_lay_out(&b.term, &room, &w->task.functions);
    const int m = once ? 4 : 5;
    double g[5], slope = 0, out[5] = {0};
    cost_gradient(&b, at, g);
    for (int i = 0; i < m; i++) {
      slope += g[i] * d[i];
      for (int j = 0; j < m; j++) {
        out[i] += b.c_xx[i * m + j] * d[j];
        assert_close(b.c_xx[i * m + j], b.c_xx[j * m + i], 1e-12);
      }
    }
    models_check_derivative(cost_value, &b, m, 1, at, d, &slope, 1e-3, "gradient");
    models_check_derivative(cost_gradient, &b, m, m, at, d, out, 1e-3, "Hessian");
    dm_block_free(room.base);
  }
  oc_output_costs_free(w);
  dm_outputs_free(a.w);
  tasks_free(&x);
}

static void derivatives_hold_in_second_order(void **state) {
  (void)state;
  static const char *const rule[] = {"taylor", "hermite-gauss", "hermite-lobatto"};
  double references[9] = {0, 0.3, 0.1, -0.2, 0.5, 0.4, 1, 2, 3};
  for (int way = 0; way < 6; way++) {
    tasks_task x = arm_task(8);
    asked_costs a = {
        .limit = {{TIP_X, {0, 1}, -1, 2, NULL},
                  {SPEED_X, {0.2, 0.7}, -3, 3, references},
                  {TIP_Z, {0.5, 0.5}, -1, -1, NULL}},
        .cost = {{.output = TIP_X, .at = {0, 1}, .weight = 2, .references = references},
                 {.output = SPEED_Z, .at = {0.2, 0.8}, .weight = 3, .reference = 0.4},
                 {.output = TIP_Z, .at = {0.5, 0.5}, .once = true, .weight = 4, .reference = -1},
                 {.output = SPEED_X, .at = {0.4, 1}, .once = true, .weight = 5}}};
    oc_torque_transcription_settings second = settings(&x, rule[way % 3]);
    oc_setup set = oc_setup_default();
    oc_check c = oc_check_default();
    set.second = &second;
    ask_costs(&a, &x.t, x.m, 3, 4);
    x.t.sum = way / 3;
    assert_true(oc_torque_transcription_binds(&x.t, &second, NULL));
    if (oc_check_task(&c, &x.t, &set, &msg) != DM_OK) fail_msg("%s", msg.text);
    for (int r = 0; r < c.rows; r++)
      if (!c.row[r].verdict.holds)
        fail_msg("way %d, %s: error %g, order %g", way, c.row[r].block, c.row[r].verdict.error,
                 c.row[r].verdict.order);
    dm_outputs_free(a.w);
    tasks_free(&x);
  }
}

static double solve_arm(const oc_task *t, const oc_torque_transcription_settings *second,
                        const dm_trajectory *guess, dm_trajectory **motion) {
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  set.second = second;
  set.guess = guess;
  set.options.method = OC_SOLVER_STAGE;
  set.options.tol = 1e-9;
  const dm_status s = oc_solve(t, &set, motion, &info, &msg);
  if (s != DM_OK && s != DM_ACCEPTABLE) fail_msg("%d %s: %s", s, info.detail, msg.text);
  return info.objective;
}

// by a newton descent from there
static double descend_arm(const oc_task *t, dm_trajectory *x) {
  oc_options set = oc_options_default();
  oc_descent_info info;
  set.descent.slope = 1e-10;
  if (oc_descend(t, &set, NULL, x, NULL, 0, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
  return info.cost;
}

// the tip follows a place, is at another once, and comes to rest: ends free, all by costs
static void ask_reach(asked_costs *a, tasks_task *x, bool rated) {
  *a = (asked_costs){
      .cost = {
          {.output = TIP_X, .at = {0, 1}, .weight = 30, .reference = -0.5},
          {.output = TIP_Z, .at = {0.75, 0.75}, .once = true, .weight = 100, .reference = -1.6},
          {.output = SPEED_X, .at = {1, 1}, .once = true, .weight = 10},
          {.output = SPEED_X, .at = {0.25, 1}, .weight = 2, .reference = -0.5}}};
  ask_costs(a, &x->t, x->m, 0, rated ? 4 : 3);
  tasks_fill(x->pool + 2 * x->m->nq, 2 * x->m->nq, NAN);
}

// Of places the descent has the very sum of first order, and of speeds one that comes to it with the
// square of the step.
static void a_descent_ends_where_first_order_does(void **state) {
  (void)state;
  for (int rated = 0; rated < 2; rated++) {
    double off[2];
    for (int half = 0; half < 2; half++) {
      tasks_task x = arm_task(half ? 40 : 20);
      asked_costs a;
      ask_reach(&a, &x, rated);
      dm_trajectory *motion;
      const double first = solve_arm(&x.t, NULL, NULL, &motion);
      off[half] = descend_arm(&x.t, motion) - first;
      dm_trajectory_free(motion);
      if (!rated) assert_close(off[half], 0, 1e-7 * first);
      dm_outputs_free(a.w);
      tasks_free(&x);
    }
    if (rated) assert_close(off[0] / off[1], 4, 0.4);
  }
}

// with limits, too: what first order is off falls with the square of the step
static void second_order_ends_where_first_order_does(void **state) {
  (void)state;
  double off[2];
  for (int half = 0; half < 2; half++) {
    tasks_task x = arm_task(half ? 80 : 40);
    asked_costs a;
    oc_torque_transcription_settings second = settings(&x, "hermite-gauss");
    ask_reach(&a, &x, true);
    a.limit[0] = (oc_output_limit){TIP_Z, {0.5, 0.5}, -1.7, -1.7, NULL};
    a.limit[1] = (oc_output_limit){SPEED_X, {0.75, 0.75}, -0.3, -0.3, NULL};
    x.t.outputs.nlimits = 2;
    dm_trajectory *motion[2];
    const double first = solve_arm(&x.t, NULL, NULL, &motion[0]);
    off[half] = first - solve_arm(&x.t, &second, motion[0], &motion[1]);
    for (int i = 0; i < 2; i++) dm_trajectory_free(motion[i]);
    dm_outputs_free(a.w);
    tasks_free(&x);
  }
  assert_close(off[0] / off[1], 4, 0.4);
}

// rows of an end that is given hold already, or the task is at fault
static void given_ends_keep_what_is_asked(void **state) {
  (void)state;
  tasks_task x = arm_task(8);
  asked_costs a = {.limit = {{TIP_Z, {0, 0}, -2, -2, NULL}, {SPEED_X, {1, 1}, -1, 1, NULL}}};
  oc_torque_transcription_settings second = settings(&x, "taylor");
  oc_torque_transcription *w;
  ask_costs(&a, &x.t, x.m, 2, 0);
  assert_int_equal(oc_torque_transcription_new(&w, &x.t, &second, &msg), DM_OK);
  assert_int_equal(w->nlp.m, 2);
  for (int i = 0; i < 2; i++) assert_true(w->g_min[i] == -INFINITY && w->g_max[i] == INFINITY);
  char text[80];
  int k;
  w->nlp.row_name(w, 1, text, sizeof text, &k);
  assert_string_equal(text, "output speed.x");
  assert_int_equal(k, 8);
  oc_torque_transcription_free(w);

  a.limit[0].low = a.limit[0].high = -1;
  assert_int_equal(oc_torque_transcription_new(&w, &x.t, &second, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "at the start the output 'tip.z' is -2, expected it within"));
  dm_outputs_free(a.w);
  tasks_free(&x);
}

// bounds of knots that are narrowed, so that limits are kept between them
static void margins_narrow_the_rows(void **state) {
  (void)state;
  tasks_task x = arm_task(8);
  asked_costs a = {.limit = {{TIP_X, {0.5, 0.5}, -1, 2, NULL}}};
  double margins[2 * 9] = {0};
  oc_torque_transcription_settings second = settings(&x, "taylor");
  ask_costs(&a, &x.t, x.m, 1, 0);
  margins[4] = 0.25;
  margins[9 + 4] = 0.5;
  x.t.outputs.margins = margins;
  oc_torque_transcription *w = open_action(&x, &second);
  assert_true(w->g_min[0] == -0.75 && w->g_max[0] == 1.5);
  oc_torque_transcription_free(w);
  dm_outputs_free(a.w);
  tasks_free(&x);
}

// outputs of inputs, limits in a descent, inputs for a while
static void what_they_cannot_say_is_refused(void **state) {
  (void)state;
  tasks_task x = arm_task(8);
  asked_costs a = {.limit = {{DRIVE, {0, 1}, -1, 1, NULL}},
                   .cost = {{.output = DRIVE, .at = {0, 1}, .weight = 1}}};
  const oc_input_limit narrow = {0, {0, 0.5}, -1, 1};
  oc_torque_transcription_settings second = settings(&x, "taylor");
  const char *key;
  for (int cost = 0; cost < 2; cost++) {
    ask_costs(&a, &x.t, x.m, !cost, cost);
    assert_int_equal(oc_torque_transcription_check(&x.t, &second, &key, &msg), DM_BAD_INPUT);
    assert_string_equal(key, "outputs");
    assert_non_null(
        strstr(msg.text, "limits or costs on inputs, powers, times or impulses ('drive')"));
    assert_int_equal(oc_descent_check(&x.t, false, NULL, &msg), DM_BAD_INPUT);
    assert_non_null(
        strstr(msg.text, cost ? "limits or costs on inputs, powers, times or impulses ('drive')"
                              : "limits on outputs ('drive')"));
    dm_outputs_free(a.w);
  }
  x.t.outputs = (oc_outputs){.y.ny = 0};
  x.t.inputs.limit = &narrow;
  x.t.inputs.n = 1;
  assert_int_equal(oc_torque_transcription_check(&x.t, &second, &key, &msg), DM_BAD_INPUT);
  assert_string_equal(key, "via");
  assert_int_equal(oc_descent_check(&x.t, false, NULL, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "limits of inputs over an interval"));
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_have_exact_derivatives),
      cmocka_unit_test(derivatives_hold_in_second_order),
      cmocka_unit_test(a_descent_ends_where_first_order_does),
      cmocka_unit_test(second_order_ends_where_first_order_does),
      cmocka_unit_test(given_ends_keep_what_is_asked),
      cmocka_unit_test(margins_narrow_the_rows),
      cmocka_unit_test(what_they_cannot_say_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
