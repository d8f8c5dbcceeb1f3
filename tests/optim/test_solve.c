// tests/optim/test_solve.c: from a task in arrays to a motion in one call; that the call is what its
// parts make; guesses, warm starts, falling back.
#include "optim/solve.h"
#include "tests/support/actions.h"

static dm_message msg;

static dm_trajectory *solve_task(const oc_task *task, const oc_setup *set, oc_solve_info *info) {
  dm_trajectory *motion;
  dm_status s = oc_solve(task, set, &motion, info, &msg);
  if (s == DM_UNAVAILABLE) skip_test(NO_IPOPT);
  if (s != DM_OK) fail_msg("%s", s < 0 ? msg.text : info->detail);
  return motion;
}

// largest difference of a motion's knots from the system's own steps
static double gap_of(const oc_task *task, const dm_trajectory *motion) {
  dm_del *del;
  double gap;
  int worst;
  assert_int_equal(dm_del_new(&del, &task->system, NULL), DM_OK);
  assert_int_equal(dm_trajectory_certify(motion, del, NULL, &gap, &worst), DM_OK);
  dm_del_free(del);
  return gap;
}

static void the_pendulum_swings_up_with_the_defaults(void **state) {
  (void)state;
  tasks_task x = tasks_pendulum(3);
  oc_solve_info info;
  dm_trajectory *motion = solve_task(&x.t, NULL, &info);
  assert_int_equal(info.status, DM_OK);
  assert_false(info.newton || info.late || info.warm);
  assert_true(info.max_violation < 1e-8);
  assert_true(info.iterations > 0 && info.objective > 0);

  // from hanging to upright, by steps of the system, under inputs within their limits
  assert_int_equal(motion->N, 100);
  assert_close(motion->h, 0.1, 1e-15);
  assert_close(motion->q[0], 0, 1e-15);
  assert_close(motion->q[100], TASKS_PI, 1e-15);
  for (int k = 0; k < 100; k++) assert_true(fabs(motion->u[k]) <= 3 + 1e-8);
  assert_true(gap_of(&x.t, motion) < 1e-7);

  // the objective is the integral of u^2 / 2
  double cost = 0;
  for (int k = 0; k < 100; k++) cost += 0.5 * 0.1 * motion->u[k] * motion->u[k];
  assert_close(info.objective, cost, 1e-9);
  dm_trajectory_free(motion);
  tasks_free(&x);
}

// a task is infeasible only after other guesses: a motor of 9 N, for which the line between the ends
// leads nowhere, swings up from the rollout; with 0.1 N none does, and the figures are the first's
static void no_task_is_infeasible_from_one_guess(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(100);
  const double low[] = {-9}, high[] = {9};
  x.t.bounds[OC_U].low = low;
  x.t.bounds[OC_U].high = high;
  oc_setup set = oc_setup_default();
  oc_solve_info one, all;
  dm_trajectory *motion;

  // the first guess alone, and with the others
  set.options.only_guess = true;
  dm_status s = oc_solve(&x.t, &set, &motion, &one, &msg);
  if (s == DM_UNAVAILABLE) skip_test(NO_IPOPT);
  assert_int_equal(s, DM_INFEASIBLE);
  assert_int_equal(one.guesses, 1);
  dm_trajectory_free(motion);
  motion = solve_task(&x.t, NULL, &all);
  assert_int_equal(all.guesses, 2);
  assert_true(gap_of(&x.t, motion) < 1e-7);
  for (int k = 0; k < 100; k++) assert_true(fabs(motion->u[k]) <= 9 + 1e-7);
  dm_trajectory_free(motion);

  // if no search succeeds, the first one is reported, with the time of all
  const double weak[] = {-0.1}, strong[] = {0.1};
  x.t.bounds[OC_U].low = weak;
  x.t.bounds[OC_U].high = strong;
  dm_trajectory *first;
  assert_int_equal(oc_solve(&x.t, &set, &first, &one, &msg), DM_INFEASIBLE);
  assert_int_equal(oc_solve(&x.t, NULL, &motion, &all, &msg), DM_INFEASIBLE);
  assert_true(one.guesses == 1 && all.guesses > 1);
  assert_true(all.iterations == one.iterations && all.rows == one.rows);
  assert_true(all.worst_row == one.worst_row && all.max_violation == one.max_violation);
  assert_memory_equal(motion->q, first->q, 2 * 101 * sizeof *motion->q);
  dm_trajectory_free(first);
  dm_trajectory_free(motion);
  tasks_free(&x);
}

// pi rad in 10 s by 0.31 rad/s is beyond any motion: one search says which rows are off, and the
// coordinate is named; by 0.34 rad/s, or in a time that may be longer, it is sought from several guesses
static void a_goal_that_speeds_do_not_reach_is_known_to_be(void **state) {
  (void)state;
  tasks_task x = tasks_pendulum(3);
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  dm_trajectory *motion;
  set.options.method = OC_SOLVER_STAGE;
  x.m->v_max[0] = 0.31;
  assert_int_equal(oc_solve(&x.t, &set, &motion, &info, &msg), DM_INFEASIBLE);
  assert_true(info.too_far && info.too_far_coord == 0 && info.guesses == 1);
  dm_trajectory_free(motion);

  // no motor holds it at this speed, but this does not prove infeasibility
  x.m->v_max[0] = 0.34;
  assert_int_equal(oc_solve(&x.t, &set, &motion, &info, &msg), DM_INFEASIBLE);
  assert_true(!info.too_far && info.guesses > 1);
  dm_trajectory_free(motion);
  x.m->v_max[0] = 0.31;
  x.t.time.free = true;
  x.t.time.min = 1;
  x.t.time.max = 11;
  assert_true(oc_solve(&x.t, &set, &motion, &info, &msg) > 0);
  assert_true(!info.too_far && info.guesses > 1);
  dm_trajectory_free(motion);
  tasks_free(&x);
}

// iterations of runs that are over, and of the one under way
typedef struct counted {
  int before, now;
} counted;

// a run begins with iteration 0; where its restoration does, an iteration is told of twice
static bool count_iterations(void *user, const oc_iterate *it) {
  counted *c = user;
  if (it->iteration == 0) c->before += c->now;
  c->now = it->iteration;
  return true;
}

// max_iter is of all runs together: of a task that nobody solves, whatever solver begins however often
static void a_limit_of_iterations_is_of_all_that_is_tried(void **state) {
  (void)state;
  static const oc_solver_kind solvers[] = {OC_SOLVER_AUTO, OC_SOLVER_STAGE, OC_SOLVER_IPOPT};
  static const int limits[] = {1, 10, 60, 150};
  tasks_task x = tasks_cart_pole(20);
  const double low[] = {-0.1}, high[] = {0.1};
  x.t.bounds[OC_U].low = low;
  x.t.bounds[OC_U].high = high;
  oc_setup set = oc_setup_default();
  for (size_t i = 0; i < COUNT(solvers); i++) {
    for (size_t j = 0; j < COUNT(limits); j++) {
      oc_solve_info info;
      dm_trajectory *motion;
      counted c = {0};
      set.options.method = solvers[i];
      set.options.max_iter = limits[j];
      set.hooks.watch = count_iterations;
      set.hooks.user = &c;
      dm_status s = oc_solve(&x.t, &set, &motion, &info, &msg);
      if (s == DM_UNAVAILABLE) continue;
      assert_true(s == DM_MAX_ITER || s == DM_INFEASIBLE);
      assert_true(info.spent <= limits[j]);
      assert_int_equal(info.spent, c.before + c.now);
      assert_false(info.late);
      dm_trajectory_free(motion);
    }
  }
  tasks_free(&x);
}

// by a rule with nodes within the step: its knots are steps of the map, and nearer to the motion of
// the same inputs in continuous time than four times as many straight ones
static void nodes_within_the_step_make_few_steps_do(void **state) {
  (void)state;
  static const char *const rule[] = {"lobatto-3", "midpoint"};
  double off[2];
  for (int r = 0; r < 2; r++) {
    tasks_task x = tasks_cart_pole(r ? 80 : 20);
    oc_solve_info info;
    dm_rule *of = &x.t.system.rule;
    assert_int_equal(dm_rule_set(of, rule[r], 0.5, "midpoint", NULL), DM_OK);
    dm_trajectory *motion = solve_task(&x.t, NULL, &info);
    assert_true(gap_of(&x.t, motion) < 1e-7);

    // ten steps for each of its own, by the rule of sixth order
    dm_system fine = x.t.system;
    dm_del *del;
    dm_del_info of_step;
    double q[2], p[2], next[2];
    assert_int_equal(dm_rule_set(&fine.rule, "lobatto-4", 0.5, "midpoint", NULL), DM_OK);
    assert_int_equal(dm_del_new(&del, &fine, NULL), DM_OK);
    memcpy(q, motion->q, sizeof q);
    memcpy(p, motion->p, sizeof p);
    for (int k = 0; k < 10 * motion->N; k++) {
      memcpy(next, q, sizeof next);
      assert_int_equal(
          dm_del_step(del, q, p, motion->u + k / 10, motion->h / 10, next, p, &of_step), DM_OK);
      memcpy(q, next, sizeof next);
    }
    off[r] = fmax(fabs(q[0] - 1), fabs(q[1] - TASKS_PI));
    dm_del_free(del);
    dm_trajectory_free(motion);
    tasks_free(&x);
  }
  print_message("20 steps of lobatto-3 end %.3g off, 80 of midpoint %.3g\n", off[0], off[1]);
  assert_true(off[0] < off[1]);
}

// whoever takes the parts gets the numbers of the whole, to the bit
static void the_call_is_what_its_parts_make(void **state) {
  (void)state;
  tasks_task x = tasks_pendulum(3);
  oc_solve_info info;
  oc_solution *w;
  dm_trajectory *motion = solve_task(&x.t, NULL, &info);
  assert_int_equal(oc_solution_new(&w, &x.t, NULL, &msg), DM_OK);
  assert_int_equal(oc_solution_start(w, NULL), DM_OK);
  assert_int_equal(oc_solution_find(w, &msg), DM_OK);
  assert_memory_equal(w->motion->q, motion->q, 101 * sizeof(double));
  assert_memory_equal(w->motion->u, motion->u, 100 * sizeof(double));
  assert_int_equal(w->info.iterations, info.iterations);
  assert_true(w->info.rows > 1 && w->info.rows <= w->room);
  assert_int_equal(w->record[w->info.rows - 1].iteration, info.iterations);
  assert_null(w->curve);
  oc_solution_free(w);
  dm_trajectory_free(motion);
  tasks_free(&x);
}

// from its own solution and multipliers a program is solved at once
static void multipliers_of_a_solution_spare_iterations(void **state) {
  (void)state;
  tasks_task x = tasks_pendulum(3);
  oc_solve_info info;
  oc_setup set = oc_setup_default();
  oc_solution *w;
  assert_int_equal(oc_solution_new(&w, &x.t, NULL, &msg), DM_OK);
  assert_int_equal(oc_solution_start(w, NULL), DM_OK);
  dm_status s = oc_solution_find(w, &msg);
  if (s == DM_UNAVAILABLE) skip_test(NO_IPOPT);
  assert_int_equal(s, DM_OK);

  set.guess = w->motion;
  set.warm = &w->point;
  dm_trajectory *motion = solve_task(&x.t, &set, &info);
  assert_true(info.warm);
  assert_true(info.iterations <= 3 && w->info.iterations > 3);
  assert_close(info.objective, w->info.objective, 1e-8);
  dm_trajectory_free(motion);
  oc_solution_free(w);
  tasks_free(&x);
}

// multipliers of another robot's solution may mislead; the limits of a quadratic model are not those of the solve
static void multipliers_of_another_robot_lead_to_its_solution(void **state) {
  (void)state;
  enum { LINKS = 7 };
  tasks_task x = tasks_make(models_chain(LINKS, 0.5, 0), 100, 2);
  tasks_rest(&x, 0, (double[LINKS]){0});
  tasks_rest(&x, 1, (double[LINKS]){TASKS_PI});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, LINKS, 1);
  for (int i = 0; i < LINKS; i++) x.m->damping[i] = 10;

  // much damping, then less: from the solution with its multipliers
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  oc_solution *w;
  set.options.method = OC_SOLVER_STAGE;
  set.options.only_guess = true;
  assert_int_equal(oc_solution_new(&w, &x.t, &set, &msg), DM_OK);
  assert_int_equal(oc_solution_start(w, NULL), DM_OK);
  assert_int_equal(oc_solution_find(w, &msg), DM_OK);
  assert_int_equal(w->info.status, DM_OK);
  set.guess = w->motion;
  set.warm = &w->point;
  for (int i = 0; i < LINKS; i++) x.m->damping[i] = 3;
  dm_trajectory *motion;
  assert_int_equal(oc_solve(&x.t, &set, &motion, &info, &msg), DM_OK);
  assert_true(info.warm && !info.late && info.objective < w->info.objective);
  dm_trajectory_free(motion);
  oc_solution_free(w);
  tasks_free(&x);
}

// a motion on another grid, and a rollout, lead to the same minimum of the pendulum
static void guesses_are_resampled_and_rolled_out(void **state) {
  (void)state;
  tasks_task x = tasks_pendulum(INFINITY);
  oc_task coarse = x.t;
  oc_solve_info info[3];
  oc_setup set = oc_setup_default();
  coarse.N = 50;
  dm_trajectory *motion[3] = {solve_task(&coarse, NULL, &info[0])};
  set.guess = motion[0];
  motion[1] = solve_task(&x.t, &set, &info[1]);
  assert_int_equal(motion[1]->N, 100);
  set.guess = NULL;
  set.rollout = true;
  set.rollout_u = (double[]){1};
  motion[2] = solve_task(&x.t, &set, &info[2]);
  assert_close(info[1].objective, info[0].objective, 0.1 * info[0].objective);
  assert_close(motion[2]->q[100], TASKS_PI, 1e-15);
  for (int i = 0; i < 3; i++) dm_trajectory_free(motion[i]);
  tasks_free(&x);
}

// the knots of the arm's bow as a motion
static dm_trajectory *bow_motion(const oc_task *task) {
  dm_trajectory *x;
  double X[4 * 21];
  assert_int_equal(dm_trajectory_of(&x, task->N, &task->system), DM_OK);
  arm_bow(task->N, 1.5, X);
  for (int k = 0; k <= task->N; k++)
    for (int i = 0; i < 2; i++) {
      x->q[2 * k + i] = X[4 * k + i];
      x->v[2 * k + i] = X[4 * k + 2 + i];
    }
  return x;
}

// of second order without bounds Newton's method solves, and IPOPT where it is asked for; a motion
// of the system's own steps follows
static void second_order_takes_newton_or_ipopt(void **state) {
  (void)state;
  tasks_task x = arm_task(20);
  oc_torque_transcription_settings second = settings(&x, "taylor");
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  dm_trajectory *bow = bow_motion(&x.t);
  set.second = &second;
  set.guess = bow;
  set.options.method = OC_SOLVER_NEWTON;
  dm_trajectory *motion = solve_task(&x.t, &set, &info);
  assert_true(info.newton);
  assert_close(info.objective, 77.30431, 6e-6);
  assert_int_equal(info.followed, DM_OK);
  assert_true(gap_of(&x.t, motion) < 1e-7);
  dm_trajectory_free(motion);

  set.options.method = OC_SOLVER_IPOPT;
  motion = solve_task(&x.t, &set, &info);
  assert_false(info.newton);
  assert_close(info.objective, 77.30431, 6e-6);
  dm_trajectory_free(motion);
  dm_trajectory_free(bow);
  tasks_free(&x);
}

static void count_fall_back(void *user, const char *why) {
  assert_true(why[0] != '\0');
  ++*(int *)user;
}

// what Newton's method cannot begin from it leaves to IPOPT, and says so; unless it alone is asked
static void newton_gives_up_and_says_so(void **state) {
  (void)state;
  tasks_task x = arm_task(20);
  oc_torque_transcription_settings second = settings(&x, "taylor");
  oc_setup set = oc_setup_default();
  dm_trajectory *bow = bow_motion(&x.t), *motion;
  int fell = 0;
  bow->q[20] = NAN;
  set.second = &second;
  set.guess = bow;
  set.hooks.fall_back = count_fall_back;
  set.hooks.user = &fell;
  assert_true(oc_solve(&x.t, &set, &motion, NULL, &msg) < 0);
  assert_int_equal(fell, 1);
  assert_null(motion);

  set.options.method = OC_SOLVER_NEWTON;
  assert_int_equal(oc_solve(&x.t, &set, &motion, NULL, &msg), DM_BAD_INPUT);
  assert_int_equal(fell, 1);
  assert_true(msg.text[0] != '\0');
  dm_trajectory_free(bow);
  tasks_free(&x);
}

static bool stop_at_third(void *user, const oc_iterate *it) {
  (void)user;
  return it->iteration < 3;
}

static void who_watches_can_stop_it(void **state) {
  (void)state;
  tasks_task x = tasks_pendulum(3);
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  dm_trajectory *motion;
  set.hooks.watch = stop_at_third;
  dm_status s = oc_solve(&x.t, &set, &motion, &info, &msg);
  if (s == DM_UNAVAILABLE) skip_test(NO_IPOPT);
  assert_int_equal(s, DM_INTERRUPTED);
  assert_non_null(motion);
  dm_trajectory_free(motion);
  tasks_free(&x);
}

static void a_task_that_is_none_is_refused_in_words(void **state) {
  (void)state;
  tasks_task x = tasks_pendulum(3);
  dm_trajectory *motion;
  x.t.N = 0;
  assert_int_equal(oc_solve(&x.t, NULL, &motion, NULL, &msg), DM_BAD_INPUT);
  assert_null(motion);
  assert_string_equal(msg.text, "steps must be at least 1, got 0");
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pendulum_swings_up_with_the_defaults),
      cmocka_unit_test(no_task_is_infeasible_from_one_guess),
      cmocka_unit_test(a_goal_that_speeds_do_not_reach_is_known_to_be),
      cmocka_unit_test(a_limit_of_iterations_is_of_all_that_is_tried),
      cmocka_unit_test(nodes_within_the_step_make_few_steps_do),
      cmocka_unit_test(the_call_is_what_its_parts_make),
      cmocka_unit_test(multipliers_of_a_solution_spare_iterations),
      cmocka_unit_test(multipliers_of_another_robot_lead_to_its_solution),
      cmocka_unit_test(guesses_are_resampled_and_rolled_out),
      cmocka_unit_test(second_order_takes_newton_or_ipopt),
      cmocka_unit_test(newton_gives_up_and_says_so),
      cmocka_unit_test(who_watches_can_stop_it),
      cmocka_unit_test(a_task_that_is_none_is_refused_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
