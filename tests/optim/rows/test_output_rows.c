// tests/optim/rows/test_output_rows.c: limits and costs on outputs: derivatives of the
// programs that have them, limits and weights of coordinates written as theirs, via points, grids.
#include "optim/descent/descent.h"
#include "optim/program/prolong.h"
#include "optim/program/transcribe.h"
#include "optim/solve.h"
#include "optim/starts/inverse_kinematics.h"
#include "optim/starts/regrid.h"
#include "tests/support/actions.h"
#include "tests/support/asked.h"
#include "tests/support/checked.h"

static dm_message msg;

// the tip of a task's last body, how it points, its distance from a place, and its first coordinate
typedef struct asked_outputs {
  dm_outputs *w;
  oc_output_limit limit[3];
  oc_output_cost cost[3];
} asked_outputs;

enum { TIP_X, TIP_Y, TIP_Z, TILT, AWAY, FIRST, VELOCITY_X, VELOCITY_Y, VELOCITY_Z, SPEED };

static void ask_outputs(asked_outputs *a, oc_task *t, const dm_model *m) {
  static const int coord[] = {0};
  static const double weight[] = {1};
  const int last = m->nbody - 1;
  const dm_output list[] = {
      {.name = "tip", .kind = DM_OUTPUT_POSITION, .body = {last, -1}, .point = {{0.1, 0.2, -0.5}}},
      {.name = "tilt",
       .kind = DM_OUTPUT_ALIGNMENT,
       .body = {last, -1},
       .axis = {{0, 0.6, 0.8}, {1, 0, 0}}},
      {.name = "away", .kind = DM_OUTPUT_DISTANCE, .body = {last, -1}, .point = {{0}, {3, 2, 1}}},
      {.name = "first", .kind = DM_OUTPUT_SUM, .n = 1, .coord = coord, .weight = weight},
      {.name = "velocity",
       .kind = DM_OUTPUT_VELOCITY,
       .body = {last, -1},
       .point = {{0.1, 0.2, -0.5}}},
      {.name = "speed", .kind = DM_OUTPUT_SPEED, .body = {last, -1}, .point = {{0.1, 0.2, -0.5}}}};
  t->outputs =
      (oc_outputs){.y = asked_map(&a->w, m, 6, list), .limits = a->limit, .costs = a->cost};
}

// fixed and free final time, integrated and plainly summed, constraints, kinematic coordinates
static void derivatives_hold(void **state) {
  (void)state;
  double references[21];
  for (int k = 0; k <= 20; k++) references[k] = 0.1 * k;
  tasks_task tasks[] = {tasks_cart_pole(20), tasks_acrobot(20), tasks_four_bar(20)};
  for (int i = 0; i < 3; i++)
    for (int way = 0; way < 4; way++) {
      oc_task *t = &tasks[i].t;
      asked_outputs a = {
          .limit = {{TIP_X, {0.2, 0.6}, -1, 1, NULL},
                    {AWAY, {0.5, 0.5}, 1, 4, NULL},
                    {TILT, {1, 1}, 0, 1, NULL}},
          .cost = {{.output = TIP_Z, .at = {0, 1}, .weight = 2, .reference = 0.3},
                   {.output = AWAY, .at = {0.3, 1}, .weight = 1, .references = references},
                   {.output = TILT, .at = {0.5, 0.7}, .once = true, .weight = 3}}};
      ask_outputs(&a, t, tasks[i].m);
      t->outputs.nlimits = t->outputs.ncosts = 3;
      asked_vary(t, way);
      t->time.grid = i == 1 ? tasks_knots() : NULL;
      checked_task(t, NULL, 1);
      dm_outputs_free(a.w);
    }
  for (int i = 0; i < 3; i++) tasks_free(&tasks[i]);
}

// the same of velocities, which inner knots then have
static void derivatives_of_speeds_hold(void **state) {
  (void)state;
  tasks_task tasks[] = {tasks_cart_pole(20), tasks_acrobot(20), tasks_four_bar(20)};
  for (int i = 0; i < 3; i++)
    for (int way = 0; way < 6; way++) {
      oc_task *t = &tasks[i].t;
      asked_outputs a = {
          .limit = {{VELOCITY_X, {0.6, 0.6}, 0.3, 0.3, NULL},
                    {SPEED, {0, 1}, 0, 5, NULL},
                    {TIP_X, {0, 1}, -1, 1, NULL}},
          .cost = {{.output = VELOCITY_Z, .at = {0, 1}, .weight = 2, .reference = 0.3},
                   {.output = SPEED, .at = {0.3, 1}, .weight = 1},
                   {.output = VELOCITY_X, .at = {0.5, 0.5}, .once = true, .weight = 3}}};
      ask_outputs(&a, t, tasks[i].m);
      t->outputs.nlimits = t->outputs.ncosts = way < 4 ? 3 : 1;
      asked_vary(t, way);
      t->time.grid = i == 1 ? tasks_knots() : NULL;
      checked_task(t, NULL, 1);
      dm_outputs_free(a.w);
    }
  for (int i = 0; i < 3; i++) tasks_free(&tasks[i]);
}

static double solve_task(const oc_task *t, dm_trajectory **motion) {
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  set.options.method = OC_SOLVER_STAGE;
  if (oc_solve(t, &set, motion, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
  return info.objective;
}

// a bound and a weight of a coordinate, by their own words and as an output's
static void a_coordinate_is_an_output(void **state) {
  (void)state;
  tasks_task task = tasks_cart_pole(40);
  oc_task *t = &task.t;
  const int n = t->system.L.nq;
  double low[] = {-0.1, -INFINITY}, high[] = {1.05, INFINITY}, w_q[] = {30, 0};
  dm_trajectory *a, *b;
  assert_int_equal(n, 2);
  t->bounds[OC_Q].low = low;
  t->bounds[OC_Q].high = high;
  t->cost[OC_Q].running = w_q;
  const double given = solve_task(t, &a);

  asked_outputs ask = {.limit = {{FIRST, {0, 1}, low[0], high[0], NULL}},
                       .cost = {{.output = FIRST, .at = {0, 1}, .weight = w_q[0]}}};
  ask_outputs(&ask, t, task.m);
  t->outputs.nlimits = t->outputs.ncosts = 1;
  t->bounds[OC_Q].low = t->bounds[OC_Q].high = NULL;
  t->cost[OC_Q].running = NULL;
  const double asked = solve_task(t, &b);
  assert_close(asked, given, 1e-8 * given);
  for (int i = 0; i < (t->N + 1) * n; i++) assert_close(a->q[i], b->q[i], 1e-5);
  dm_trajectory_free(a);
  dm_trajectory_free(b);
  dm_outputs_free(ask.w);
  tasks_free(&task);
}

// the tip passes a point of space half way and leaves a window of time alone
static void a_via_point_is_passed(void **state) {
  (void)state;
  tasks_task task = tasks_acrobot(60);
  oc_task *t = &task.t;
  asked_outputs ask = {.limit = {{TIP_X, {0.5, 0.5}, 0.4, 0.4, NULL},
                                 {TILT, {0.2, 0.4}, -0.5, 0.5, NULL},
                                 {TIP_Z, {0.5, 0.5}, -INFINITY, -0.3, NULL}}};
  ask_outputs(&ask, t, task.m);
  t->outputs.nlimits = 3;
  dm_trajectory *x;
  solve_task(t, &x);

  void *scratch = aligned_alloc(64, t->outputs.y.scratch + 64);
  for (int k = 0; k <= t->N; k++) {
    double y[10]; // of all rows
    assert_int_equal(
        dm_output_map_eval(&t->outputs.y, scratch, x->q + k * x->n, NULL, y, NULL, NULL), DM_OK);
    if (k == 30) assert_close(y[TIP_X], 0.4, 1e-8);
    if (k == 30) assert_true(y[TIP_Z] <= -0.3 + 1e-8);
    if (k >= 12 && k <= 24) assert_true(fabs(y[TILT]) <= 0.5 + 1e-8);
  }
  free(scratch);
  dm_trajectory_free(x);
  dm_outputs_free(ask.w);
  tasks_free(&task);
}

// a limit that a value at one knot touches, before or after it in the list
static void a_limit_touches_a_value(void **state) {
  (void)state;
  tasks_task task = tasks_acrobot(40);
  oc_task *t = &task.t;
  double objective[2];
  int iterations[2];
  for (int way = 0; way < 2; way++) {
    const oc_output_limit via = {TIP_X, {0.5, 0.5}, 0.4, 0.4, NULL};
    const oc_output_limit wall = {TIP_X, {0, 1}, -INFINITY, 0.4, NULL};
    asked_outputs ask = {.limit = {way ? via : wall, way ? wall : via}};
    ask_outputs(&ask, t, task.m);
    t->outputs.nlimits = 2;

    // at that knot one row, which has the value
    oc_transcription *p;
    assert_int_equal(oc_transcription_new(&p, t, &msg), DM_OK);
    const oc_nlp *of = oc_transcription_nlp(p);
    int held = 0, asked = 0;
    for (int row = oc_rows_at(p, OC_OUTPUT_ROWS, 0); row < of->m; row++) {
      char text[40];
      int knot;
      of->row_name(of->self, row, text, sizeof text, &knot);
      if (strcmp(text, "output tip.x") != 0 || knot != 20) continue;
      held += of->g_min[row] == 0.4 && of->g_max[row] == 0.4;
      asked += isfinite(of->g_min[row]) || isfinite(of->g_max[row]);
    }
    assert_int_equal(held, 1);
    assert_int_equal(asked, 1);
    oc_transcription_free(p);

    oc_setup set = oc_setup_default();
    oc_solve_info info;
    dm_trajectory *x;
    set.options.method = OC_SOLVER_STAGE;
    if (oc_solve(t, &set, &x, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
    objective[way] = info.objective;
    iterations[way] = info.iterations;
    dm_trajectory_free(x);
    dm_outputs_free(ask.w);
  }
  assert_close(objective[0], objective[1], 1e-9 * objective[1]);
  assert_int_equal(iterations[0], iterations[1]);
  tasks_free(&task);
}

// two limits, each of one side, that leave one value; and two that leave none
static void limits_meet(void **state) {
  (void)state;
  oc_output_limit limit[] = {{0, {0.2, 1}, 1, INFINITY, NULL}, {0, {0, 0.6}, -INFINITY, 1, NULL}};
  oc_outputs o = {.nlimits = 2, .limits = limit};
  double low, high;
  oc_outputs_bounds(&o, 10, 0, 4, &low, &high);
  assert_true(low == 1 && high == 1);
  oc_outputs_bounds(&o, 10, 1, 4, &low, &high);
  assert_true(isinf(low) && isinf(high));
  oc_outputs_bounds(&o, 10, 1, 1, &low, &high);
  assert_true(isinf(low) && high == 1);
  limit[0].low += 1e-12;
  oc_outputs_bounds(&o, 10, 0, 4, &low, &high);
  assert_true(low == high && fabs(low - 1) < 1e-12);

  tasks_task task = tasks_cart_pole(10);
  asked_outputs ask = {.limit = {{TIP_X, {0.2, 1}, 1, 2, NULL}, {TIP_X, {0, 0.6}, -1, 0.5, NULL}}};
  ask_outputs(&ask, &task.t, task.m);
  task.t.outputs.nlimits = 2;
  assert_int_equal(oc_outputs_check(&task.t.outputs, 10, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'tip.x' at knot 2: found at least 1 and at most 0.5"));
  dm_outputs_free(ask.w);
  tasks_free(&task);
}

// the tip of an arm of three joints at a place, by postures that keep what is limited
static void postures_are_found(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 1, 0);
  oc_task t = oc_task_of(m, 10, 1);
  const dm_output tip = {
      .name = "tip", .kind = DM_OUTPUT_POSITION, .body = {2, -1}, .point = {{0, 0, -1}}};
  oc_output_limit limit[] = {{.output = 0, .at = {1, 1}, .low = 0.7, .high = 0.7},
                             {.output = 2, .at = {1, 1}, .low = -1.9, .high = -1.5},
                             {.output = 2, .at = {0.5, 0.5}, .low = 1, .high = 1}};
  dm_outputs *w;
  assert_int_equal(dm_outputs_new(&w, m, 1, &tip, &msg), DM_OK);
  const dm_holonomic signals = dm_outputs_signals(w);
  t.outputs = (oc_outputs){.y = dm_outputs_map(w, &signals, 3), .nlimits = 3, .limits = limit};
  assert_true(oc_is_waypoint(&t, 10) && oc_is_waypoint(&t, 5) && !oc_is_waypoint(&t, 4));

  // from hanging straight, where a step along the chain has no slope; near it, and elsewhere
  void *scratch = aligned_alloc(64, t.outputs.y.scratch + 64);
  const double low[] = {-2, 0.3, -2}, high[] = {2, 1, 2};
  double near[3] = {0}, y[3];
  for (uint64_t branch = 0; branch < 4; branch++) {
    double q[3] = {0}, off = 0;
    t.bounds[OC_Q].low = low;
    t.bounds[OC_Q].high = high;
    assert_int_equal(oc_inverse_kinematics(&t, 10, NULL, branch, q, &msg), DM_OK);
    assert_int_equal(dm_output_map_eval(&t.outputs.y, scratch, q, NULL, y, NULL, NULL), DM_OK);
    assert_close(y[0], 0.7, 1e-9);
    assert_true(y[2] >= -1.9 - 1e-9 && y[2] <= -1.5 + 1e-9);
    for (int i = 0; i < 3; i++) {
      assert_true(q[i] >= low[i] && q[i] <= high[i]);
      off = fmax(off, fabs(q[i] - near[i]));
      if (branch == 0) near[i] = q[i];
    }
    if (branch > 0) assert_true(off > 0.05);
  }

  // what is fixed stays; what is out of reach is said, and changes nothing
  const bool fixed[] = {true, false, false};
  double q[] = {-1.2, 0.5, 0.1};
  assert_int_equal(oc_inverse_kinematics(&t, 10, fixed, 0, q, &msg), DM_OK);
  assert_close(q[0], -1.2, 0);
  limit[0].low = limit[0].high = 9;
  double far[] = {0.2, 0.5, 0.1};
  assert_int_equal(oc_inverse_kinematics(&t, 10, NULL, 0, far, &msg), DM_INFEASIBLE);
  assert_non_null(strstr(msg.text, "'tip.x'"));
  assert_close(far[0], 0.2, 0);
  free(scratch);
  dm_outputs_free(w);
  dm_model_free(m);
}

// knots of spans, and of what lies between knots the nearest; their shares are a trapezoid sum
static void spans_are_knots(void **state) {
  (void)state;
  static const struct {
    oc_span at;
    int N, first, last;
  } list[] = {{{0, 1}, 10, 0, 10},         {{0.5, 0.5}, 10, 5, 5},   {{0.5, 0.5}, 11, 6, 6},
              {{0.31, 0.58}, 10, 4, 5},    {{0.31, 0.34}, 10, 3, 3}, {{1, 1}, 7, 7, 7},
              {{1 / 3., 2 / 3.}, 3, 1, 2}, {{0.1, 0.7}, 100, 10, 70}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    int first, last;
    double whole = 0;
    oc_span_knots(list[i].at, list[i].N, &first, &last);
    assert_int_equal(first, list[i].first);
    assert_int_equal(last, list[i].last);
    for (int k = first; k <= last; k++) whole += oc_span_share(k, first, last, i % 2);
    assert_close(whole, first == last ? 1 : last - first, 1e-15);
  }
}

// a solution on one grid begins another: as near to its own as the grids are
static void another_grid_asks_the_same(void **state) {
  (void)state;
  tasks_task task = tasks_acrobot(40);
  oc_task *t = &task.t;
  double references[41];
  for (int k = 0; k <= 40; k++) references[k] = sin(0.1 * k);
  asked_outputs ask = {
      .limit = {{TIP_X, {0.5, 0.5}, 0.4, 0.4, NULL}, {TILT, {0.2, 0.4}, -0.5, 0.5, NULL}},
      .cost = {{.output = TIP_Z, .at = {0, 1}, .weight = 2, .references = references}}};
  ask_outputs(&ask, t, task.m);
  t->outputs.nlimits = 2;
  t->outputs.ncosts = 1;
  assert_true(oc_task_can_regrid(t));
  oc_regridded fine;
  assert_int_equal(oc_task_regrid(&fine, t, 80), DM_OK);
  assert_close(fine.task.outputs.costs[0].references[40], references[20], 1e-15);
  assert_close(fine.task.outputs.costs[0].references[41], (references[20] + references[21]) / 2,
               1e-15);

  // rows of the same value, and multipliers of a point and of a span
  oc_transcription *a, *b;
  assert_int_equal(oc_transcription_new(&a, t, &msg), DM_OK);
  assert_int_equal(oc_transcription_new(&b, &fine.task, &msg), DM_OK);
  const oc_nlp *from = oc_transcription_nlp(a), *to = oc_transcription_nlp(b);
  assert_int_equal(oc_rows_at(a, OC_CURVE_ROWS, 0) - oc_rows_at(a, OC_OUTPUT_ROWS, 0), 1 + 9);
  assert_int_equal(oc_rows_at(b, OC_CURVE_ROWS, 0) - oc_rows_at(b, OC_OUTPUT_ROWS, 0), 1 + 17);
  double *x = calloc((size_t)(from->n + to->n) * 3 + (size_t)(from->m + to->m), sizeof *x);
  oc_point p = {.x = x, .z_l = x + from->n, .z_u = x + 2 * from->n, .lambda = x + 3 * from->n};
  double *y = p.lambda + from->m;
  oc_point q = {.x = y, .z_l = y + to->n, .z_u = y + 2 * to->n, .lambda = y + 3 * to->n};
  const int row = oc_rows_at(a, OC_OUTPUT_ROWS, 0), fine_row = oc_rows_at(b, OC_OUTPUT_ROWS, 0);
  p.lambda[row] = 3;
  for (int k = 0; k < 9; k++) p.lambda[row + 1 + k] = k;
  oc_transcription_prolong(a, &p, b, &q);
  assert_close(q.lambda[fine_row], 3, 1e-15);
  for (int k = 0; k < 17; k++) assert_close(q.lambda[fine_row + 1 + k], 0.25 * k, 1e-14);
  free(x);

  // and names
  char text[80];
  int knot;
  from->row_name(from->self, row + 3, text, sizeof text, &knot);
  assert_string_equal(text, "output tilt");
  assert_int_equal(knot, 10);
  oc_transcription_free(a);
  oc_transcription_free(b);
  oc_regridded_free(&fine);
  dm_outputs_free(ask.w);
  tasks_free(&task);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  tasks_task task = tasks_cart_pole(10);
  oc_task *t = &task.t;
  oc_transcription *p = NULL;
  asked_outputs ask = {.limit = {{TILT, {0, 1}, 2, 1, NULL}},
                       .cost = {{.output = 10, .at = {0, 1}}}};
  ask_outputs(&ask, t, task.m);
  t->outputs.nlimits = 1;
  assert_int_equal(oc_transcription_new(&p, t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'tilt': found [2, 1], expected low <= high"));
  ask.limit[0].at.to = 1.5;
  assert_int_equal(oc_transcription_new(&p, t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "found the shares 0 to 1.5 of the horizon"));
  t->outputs.nlimits = 0;
  t->outputs.ncosts = 1;
  assert_int_equal(oc_transcription_new(&p, t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "a cost is on output 10, and there are 10"));
  ask.cost[0] = (oc_output_cost){.output = AWAY, .at = {0, 1}, .weight = -1};
  assert_int_equal(oc_transcription_new(&p, t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "the cost on output 'away' must be >= 0"));
  ask.cost[0] = (oc_output_cost){.output = AWAY, .at = {0, 1}, .weight = 1, .reference = NAN};
  assert_int_equal(oc_transcription_new(&p, t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'away' at knot 0 is not finite"));
  assert_int_equal(oc_descent_check(t, false, NULL, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'away' at knot 0 is not finite"));
  ask.cost[0].reference = 0;
  assert_int_equal(oc_descent_check(t, false, NULL, &msg), DM_OK);
  ask.limit[0] = (oc_output_limit){TILT, {0, 1}, -1, 1, NULL};
  t->outputs.nlimits = 1;
  assert_int_equal(oc_descent_check(t, false, NULL, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "limits on outputs ('tilt'): use optimize"));
  dm_outputs_free(ask.w);
  tasks_free(&task);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_hold),           cmocka_unit_test(derivatives_of_speeds_hold),
      cmocka_unit_test(a_coordinate_is_an_output),  cmocka_unit_test(a_via_point_is_passed),
      cmocka_unit_test(postures_are_found),         cmocka_unit_test(spans_are_knots),
      cmocka_unit_test(another_grid_asks_the_same), cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(a_limit_touches_a_value),    cmocka_unit_test(limits_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
