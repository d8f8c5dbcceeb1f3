// The description of a task: its rows in words, and its errors.
#include "optim/solve.h"
#include "tests/support/functions.h"
#include "tests/support/tasks.h"

static oc_transcription *transcribe(const tasks_task *x) {
  oc_transcription *p = NULL;
  dm_message msg = {""};
  if (oc_transcription_new(&p, &x->t, &msg) != DM_OK) fail_msg("%s", msg.text);
  return p;
}

// a row, the knot it belongs to, and its name
typedef struct row {
  int row, knot;
  const char *text;
} row;

static void check_names(const oc_nlp *p, const row *names, int count) {
  for (int i = 0; i < count; i++) {
    char text[64];
    int knot;
    p->row_name(p->self, names[i].row, text, sizeof text, &knot);
    assert_string_equal(text, names[i].text);
    assert_int_equal(knot, names[i].knot);
  }
}

static void rows_are_named_in_words(void **state) {
  (void)state;
  for (int free_time = 0; free_time < 2; free_time++) {
    tasks_task x = tasks_cart_pole(10);
    x.m->v_max[0] = 3;
    x.t.time.free = free_time, x.t.time.min = 1, x.t.time.max = 3;
    oc_transcription *t = transcribe(&x);
    const oc_nlp *p = oc_transcription_nlp(t);
    const row names[] = {{0, 0, "start velocity of slider"},
                         {1, 0, "start velocity of pole"},
                         {9, 4, "motion of pole"},
                         {21, 10, "goal velocity of pole"},
                         {oc_rows_at(t, OC_RATE_ROWS, 0) - 1, 9, "speed limit of slider"},
                         {oc_rows_at(t, OC_VELOCITY_ROWS, 3), 4, "velocity of slider"},
                         {p->m - 1, 9, "velocity of pole"},
                         {22, 0, "speed limit of slider"}};
    check_names(p, names, COUNT(names));
    oc_transcription_free(t);
    tasks_free(&x);
  }
}

static void bad_tasks_are_named(void **state) {
  (void)state;
  for (int which = 0; which < 10; which++) {
    tasks_task x = tasks_cart_pole(10);
    const char *expected = "";
    double two[] = {1, -1};
    switch (which) {
    case 0:
      x.t.N = 0, expected = "steps";
      break;
    case 1:
      x.t.time.T = -1, expected = "final time";
      break;
    case 2:
      x.t.time.free = true, x.t.time.min = 2, x.t.time.max = 1, expected = "free final";
      break;
    case 3:
      x.pool[0] = 3, expected = "start of slider";
      break;
    case 4:
      x.m->u_min[0] = 30, expected = "bounds on the input of slider";
      break;
    case 5:
      x.t.cost[OC_P].running = two, expected = "momentum of pole";
      break;
    case 6:
      x.t.system.L.contract = NULL, expected = "third derivatives";
      break;
    case 7:
      x.m->v_max[1] = 0, expected = "speed limit of pole";
      break;
    case 9:
      x.t.cost[OC_Q].reference = tasks_reference(&x, 0);
      tasks_reference(&x, 0)[5] = NAN;
      expected = "the reference of the position of pole at knot 2 is not finite";
      break;
    case 8:
      x.m->v_max[0] = 1, x.pool[2] = 2, expected = "start velocity of slider";
      break;
    }
    oc_transcription *t = NULL;
    dm_message msg = {""};
    assert_int_equal(oc_transcription_new(&t, &x.t, &msg), DM_BAD_INPUT);
    assert_null(t);
    if (!strstr(msg.text, expected)) fail_msg("'%s' is not in '%s'", expected, msg.text);
    tasks_free(&x);
  }
}

// one invalid member of a system each; oc_solve refuses the task
static void clear_rule(dm_system *s) {
  s->rule = (dm_rule){0};
}
static void spoil_weights(dm_system *s) {
  s->rule.weight[0] = 2;
}
static void add_points(dm_system *s) {
  s->rule.points = 99;
}
static void forget_coordinates(dm_system *s) {
  s->input_coord = NULL;
}
static void act_elsewhere(dm_system *s) {
  static const int nowhere[] = {7};
  s->input_coord = nowhere;
}
static void add_energy(dm_system *s) {
  static const double damping[] = {0, -0.5};
  s->damping = damping;
}
static void damp_by_nothing(dm_system *s) {
  static const double damping[] = {NAN, 0};
  s->damping = damping;
}
static void gear_infinitely(dm_system *s) {
  static const double gear[] = {INFINITY};
  s->input_gear = gear;
}
static void count_prescribed(dm_system *s) {
  s->nk = 1;
}
static void forget_lagrangian(dm_system *s) {
  s->L.eval = NULL;
}
static const struct {
  void (*spoil)(dm_system *s);
  const char *expected;
} bad_systems[] = {
    {clear_rule, "the system's rule has 0 points"},
    {spoil_weights, "weights with the sum 2"},
    {add_points, "the system's rule has 99 points"},
    {forget_coordinates, "no input_coord"},
    {act_elsewhere, "input 0 of the system acts on coordinate 7, expected one of 0 to 1"},
    {add_energy, "damping[1] of the system is -0.5"},
    {damp_by_nothing, "damping[0] of the system is nan"},
    {gear_infinitely, "input_gear[0] of the system is inf"},
    {count_prescribed, "1 kinematic coordinates by nk, and 0"},
    {forget_lagrangian, "no eval"},
};

static void systems_that_cannot_be_stepped_are_refused(void **state) {
  (void)state;
  for (int i = 0; i < COUNT(bad_systems); i++) {
    tasks_task x = tasks_cart_pole(10);
    bad_systems[i].spoil(&x.t.system);
    const oc_setup set = oc_setup_default();
    dm_trajectory *motion = NULL;
    oc_solve_info info;
    dm_message msg = {""};
    assert_int_equal(oc_solve(&x.t, &set, &motion, &info, &msg), DM_BAD_INPUT);
    assert_null(motion);
    if (!strstr(msg.text, bad_systems[i].expected))
      fail_msg("'%s' is not in '%s'", bad_systems[i].expected, msg.text);
    tasks_free(&x);
  }
}

// c = x^2 of the cart's place, a row of one's own
static dm_status eval_square(const void *self, const functions_own *at, int order, const double *y,
                             double *c, double *c_y, double *c_yy) {
  (void)self;
  *c += y[0] * y[0];
  if (order >= 1) c_y[0] += 2 * y[0];
  if (order >= 2) c_yy[0] += 2;
  (void)at;
  return DM_OK;
}

static void rows_of_rates_and_paths_are_named(void **state) {
  (void)state;
  const double rate[] = {30};
  functions_own square = {.name = "square", .eval = eval_square};
  tasks_task x = tasks_cart_pole(10);
  const oc_path_constraint path = functions_path(&square, &x.t, 0, 9);
  x.t.bounds[OC_RATE].high = rate;
  x.t.functions.paths = &path;
  x.t.functions.npaths = 1;
  oc_transcription *t = transcribe(&x);
  const row names[] = {{oc_rows_at(t, OC_RATE_ROWS, 0) + 2, 2, "rate limit of slider"},
                       {oc_rows_at(t, OC_PATH_ROWS, 4), 4, "path constraint square"}};
  check_names(oc_transcription_nlp(t), names, COUNT(names));
  oc_transcription_free(t);
  tasks_free(&x);

  // velocities at knots beside constraints: their rows are the momenta, then Dh v
  x = tasks_four_bar(10);
  x.m->v_max[0] = 3;
  t = transcribe(&x);
  const row own[] = {{oc_rows_at(t, OC_VELOCITY_ROWS, 1) + x.m->nq, 2, "rate of constraint pin"}};
  check_names(oc_transcription_nlp(t), own, COUNT(own));
  oc_transcription_free(t);
  tasks_free(&x);
}

static void rows_of_constraints_are_named(void **state) {
  (void)state;
  tasks_task x = tasks_hung_bar(10);
  tasks_fill(x.pool + 3 * x.m->nq, x.m->nq, NAN);
  oc_transcription *t = transcribe(&x);
  const oc_nlp *p = oc_transcription_nlp(t);
  const row names[] = {{6, 1, "next value of hook"},
                       {60, 10, "end velocity of hook"},
                       {61, 10, "motion of tx"},
                       {oc_rows_at(t, OC_CONSTRAINT_ROWS, 3) + 1, 3, "constraint right"},
                       {oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, 0), 0, "rate of constraint left"},
                       {p->m - 1, 10, "rate of constraint right"}};
  check_names(p, names, COUNT(names));
  oc_transcription_free(t);
  tasks_free(&x);
}

// rows that only given values move are free: held already, or not to be held at all
static void given_ends_free_their_rows(void **state) {
  (void)state;
  tasks_task x = tasks_hung_bar(10);
  oc_transcription *t = transcribe(&x);
  const oc_nlp *p = oc_transcription_nlp(t);
  for (int end = 0; end < 2; end++)
    for (int c = 0; c < 2; c++) {
      assert_true(p->g_max[oc_rows_at(t, OC_CONSTRAINT_ROWS, end ? 10 : 0) + c] == INFINITY);
      assert_true(p->g_max[oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, end) + c] == INFINITY);
    }
  assert_true(p->g_max[oc_rows_at(t, OC_CONSTRAINT_ROWS, 5)] == 0);
  oc_transcription_free(t);
  x.pool[5] = NAN; // the right string's length at the start, and then its end velocity
  x.pool[3 * x.m->nq + 5] = NAN;
  t = transcribe(&x);
  p = oc_transcription_nlp(t);
  assert_true(p->g_max[oc_rows_at(t, OC_CONSTRAINT_ROWS, 0)] == INFINITY);
  assert_true(p->g_max[oc_rows_at(t, OC_CONSTRAINT_ROWS, 0) + 1] == 0);
  assert_true(p->g_max[oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, 1)] == INFINITY);
  assert_true(p->g_max[oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, 1) + 1] == 0);
  oc_transcription_free(t);
  x.pool[4] += 1e-3; // the left one's
  dm_message msg;
  assert_int_equal(oc_transcription_new(&t, &x.t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "the start violates constraint 'left' by -0.002"));
  tasks_free(&x);
}

// where a goal gives the velocities alone, the place must be one where constraints allow them
static void given_velocities_of_a_free_goal_keep_their_row(void **state) {
  (void)state;
  tasks_task x = tasks_hung_bar(10);
  const int n = x.m->nq;
  const double length = x.pool[2 * n + 5];
  x.pool[2 * n + 5] = NAN; // the right string's at the goal
  oc_transcription *t = transcribe(&x);
  const int rate = oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, 1);
  assert_true(oc_transcription_nlp(t)->g_max[rate + 1] == INFINITY); // at rest anywhere
  oc_transcription_free(t);

  x.pool[3 * n + 5] = 0.1;
  t = transcribe(&x);
  assert_true(oc_transcription_nlp(t)->g_max[rate] == INFINITY);
  assert_true(oc_transcription_nlp(t)->g_max[rate + 1] == 0);
  oc_transcription_free(t);

  x.pool[2 * n + 5] = length; // and with the place given nothing is left to hold
  t = transcribe(&x);
  assert_true(oc_transcription_nlp(t)->g_max[rate + 1] == INFINITY);
  oc_transcription_free(t);
  tasks_free(&x);
}

static void costs_on_momentum_that_are_not_taken(void **state) {
  (void)state;
  tasks_task x = tasks_hung_bar(10);
  dm_message msg;
  oc_transcription *t;
  double w[6] = {0, 1};
  x.t.cost[OC_P].running = x.t.cost[OC_P].goal = w;
  assert_int_equal(oc_transcription_new(&t, &x.t, &msg), DM_OK);
  oc_transcription_free(t);
  w[0] = 1;
  assert_int_equal(oc_transcription_new(&t, &x.t, &msg), DM_BAD_INPUT);
  assert_non_null(
      strstr(msg.text, "hook is kinematic: found a cost on its momentum, expected none"));
  tasks_free(&x);
}

// the velocity of a prescribed coordinate at the start is that of the step before: 0 unless given
static void what_is_prescribed_starts_from_rest(void **state) {
  (void)state;
  tasks_task x = tasks_hung_bar(4);
  x.t.start.v = NULL;
  oc_transcription *t;
  assert_int_equal(oc_transcription_new(&t, &x.t, NULL), DM_OK);
  const oc_nlp *p = oc_transcription_nlp(t);
  for (int i = 0; i < x.m->nq; i++) {
    int j = oc_transcription_v(t, 0) + i;
    assert_true(x.m->kinematic[i] ? p->x_min[j] == 0 && p->x_max[j] == 0 : isinf(p->x_min[j]));
  }
  oc_transcription_free(t);
  tasks_free(&x);
}

// oc_task_of returns a valid task: free ends, no cost, the model's limits
static void trees_make_tasks_with_their_limits(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  oc_task task = oc_task_of(m, 10, 2);
  assert_int_equal(task.N, 10);
  assert_true(task.time.T == 2 && !task.time.free);
  assert_int_equal(task.system.L.nq, 2);
  assert_int_equal(task.system.nu, 1);
  assert_ptr_equal(task.bounds[OC_Q].low, m->q_min);
  assert_ptr_equal(task.bounds[OC_Q].high, m->q_max);
  assert_ptr_equal(task.bounds[OC_V].high, m->v_max);
  assert_ptr_equal(task.bounds[OC_U].low, m->u_min);
  assert_ptr_equal(task.bounds[OC_U].high, m->u_max);
  assert_string_equal(task.coord_name[1], "pole");
  assert_null(task.start.q);
  assert_null(task.cost[OC_U].running);
  assert_int_equal(oc_task_check(&task, NULL), DM_OK);
  dm_model_free(m);
}

// the model has no bounds for inputs that are kinematic
static void kinematic_inputs_start_without_bounds(void **state) {
  (void)state;
  tasks_task x = tasks_hung_bar(4);
  oc_task task = oc_task_of(x.m, 4, 1);
  assert_true(task.system.nk > 0);
  assert_null(task.bounds[OC_U].low);
  assert_null(task.bounds[OC_U].high);
  assert_null(task.input_name);
  assert_int_equal(oc_task_check(&task, NULL), DM_OK);
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_make_tasks_with_their_limits),
      cmocka_unit_test(kinematic_inputs_start_without_bounds),
      cmocka_unit_test(what_is_prescribed_starts_from_rest),
      cmocka_unit_test(rows_are_named_in_words),
      cmocka_unit_test(bad_tasks_are_named),
      cmocka_unit_test(systems_that_cannot_be_stepped_are_refused),
      cmocka_unit_test(rows_of_rates_and_paths_are_named),
      cmocka_unit_test(rows_of_constraints_are_named),
      cmocka_unit_test(given_ends_free_their_rows),
      cmocka_unit_test(given_velocities_of_a_free_goal_keep_their_row),
      cmocka_unit_test(costs_on_momentum_that_are_not_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
