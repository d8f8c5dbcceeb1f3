// tests/optim/test_multistart.c: searches from many guesses: goals on circles, the same best for any
// number of threads, no aliased optimum before a sound one.
#include "optim/multistart.h"
#include "optim/starts/circle_goals.h"
#include "optim/starts/regrid.h"
#include "tests/support/tasks.h"

static dm_message msg;

static oc_multistart search_with(const tasks_task *x, const oc_setup *set, const oc_known *own) {
  oc_multistart found;
  if (oc_multistart_run(&found, &x->t, x->m, set, own, &msg) != DM_OK) fail_msg("%s", msg.text);
  return found;
}

static oc_multistart search_task(const tasks_task *x, const oc_setup *set) {
  return search_with(x, set, NULL);
}

// a pole has a circle to turn on, a cart has none; nor has a pole whose angle is bounded or costs
static void a_goal_is_on_a_circle_where_turns_change_nothing(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(20);
  bool circle[2];
  x.m->q_min[1] = -INFINITY;
  x.m->q_max[1] = INFINITY;
  assert_int_equal(oc_find_circles(&x.t, x.m, circle), 1);
  assert_true(!circle[0] && circle[1]);
  x.m->q_max[1] = 4;
  assert_int_equal(oc_find_circles(&x.t, x.m, circle), 0);
  x.m->q_max[1] = INFINITY;
  x.t.cost[OC_Q].running = (double[]){0, 1};
  assert_int_equal(oc_find_circles(&x.t, x.m, circle), 0);
  tasks_free(&x);
}

// the task's own goal is the first, and goals are whole turns off it; a pair of mirror images is one
static void goals_are_whole_turns_off_each_other(void **state) {
  (void)state;
  tasks_task x = tasks_acrobot(20);
  bool circle[2];
  oc_circle_goals g;
  assert_int_equal(oc_find_circles(&x.t, x.m, circle), 2);
  assert_int_equal(oc_circle_goals_new(&g, &x.t, circle, (int[]){-1, 0, 1}, 3), DM_OK);
  for (int i = 0; i < 2; i++) assert_int_equal(g.turns[i], 0);
  for (int k = 0; k < g.count; k++)
    for (int i = 0; i < 2; i++)
      assert_close(g.q[2 * k + i], x.t.goal.q[i] + 2 * TASKS_PI * g.turns[2 * k + i], 1e-14);

  // (pi + 2 pi a, 2 pi b) and its image, a' = -1 - a, b' = -b: of nine goals three pairs
  assert_int_equal(g.count, 6);
  for (int k = 0; k < g.count; k++)
    for (int l = 0; l < g.count; l++)
      assert_false(g.turns[2 * k] + g.turns[2 * l] == -1 &&
                   g.turns[2 * k + 1] + g.turns[2 * l + 1] == 0);
  oc_circle_goals_free(&g);
  tasks_free(&x);
}

// the cart-pole is told to turn one way; the other costs less
static void the_better_turn_is_found(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(60);
  oc_setup set = oc_setup_default();
  oc_setup one = oc_setup_default();
  oc_solve_info info;
  dm_trajectory *motion;
  one.options.method = OC_SOLVER_STAGE;
  assert_int_equal(oc_solve(&x.t, &one, &motion, &info, &msg), DM_OK);
  oc_multistart found = search_task(&x, &set);
  const oc_optimum *best = &found.optimum[0];
  assert_true(found.count > 0 && !best->aliased);
  assert_true(best->objective < 0.8 * info.objective);
  assert_int_equal(best->turns[1], -1);
  assert_close(best->motion->q[2 * 60 + 1], -TASKS_PI, 1e-12);
  assert_true(found.better > 0 && found.better < 1 && found.unseen >= 0 && found.unseen <= 1);

  // what is told of it is in order
  for (int i = 1; i < found.count; i++)
    assert_true(found.optimum[i].aliased ||
                found.optimum[i - 1].objective < found.optimum[i].objective);
  oc_multistart_free(&found);
  dm_trajectory_free(motion);
  tasks_free(&x);
}

// every bit is the same by 1 and by 3 threads, and another seed is another search
static void threads_change_nothing(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(40);
  oc_setup set = oc_setup_default();
  set.options.starts.seed = 5;
  set.options.starts.returns = 3;
  oc_multistart one = search_task(&x, &set);
  set.options.starts.threads = 3;
  oc_multistart three = search_task(&x, &set);
  assert_true(one.count > 0);
  assert_int_equal(one.count, three.count);
  assert_int_equal(one.searches, three.searches);
  assert_int_equal(one.runs, three.runs);
  for (int i = 0; i < one.count; i++) {
    const oc_optimum *a = &one.optimum[i], *b = &three.optimum[i];
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->runs, b->runs);
    assert_memory_equal(&a->objective, &b->objective, sizeof a->objective);
    assert_memory_equal(a->motion->q, b->motion->q, 2 * 41 * sizeof(double));
  }
  oc_multistart_free(&one);
  oc_multistart_free(&three);
  tasks_free(&x);
}

// an optimum that turns further in a step than allowed stands behind all that do not
static void aliased_optima_are_never_the_best(void **state) {
  (void)state;
  tasks_task x = tasks_acrobot(25);
  oc_setup set = oc_setup_default();
  set.options.starts.count = 60;
  set.options.starts.turn = 1;
  oc_multistart found = search_task(&x, &set);
  for (int i = 0; i < found.count; i++) {
    assert_int_equal(found.optimum[i].aliased, found.optimum[i].turn > 1);
    if (i > 0) assert_true(found.optimum[i].aliased >= found.optimum[i - 1].aliased);
  }
  oc_multistart_free(&found);
  tasks_free(&x);
}

// the optimum that the task's own guess leads to; NULL: there is none
static const oc_optimum *find_own(const oc_multistart *found) {
  for (int i = 0; i < found->count; i++)
    if (found->optimum[i].first < 0) return &found->optimum[i];
  return NULL;
}

// what oc_solve finds is one of the optima, whoever found it, and however few searches there are
static void no_search_is_worse_than_none(void **state) {
  (void)state;
  for (int searches = 1; searches <= 13; searches += 4) {
    tasks_task x = tasks_acrobot(40);
    oc_setup set = oc_setup_default();
    oc_setup one = oc_setup_default();
    oc_solution *own;
    one.options.method = OC_SOLVER_STAGE;
    assert_int_equal(oc_solution_new(&own, &x.t, &one, &msg), DM_OK);
    assert_int_equal(oc_solution_start(own, NULL), DM_OK);
    assert_int_equal(oc_solution_find(own, &msg), DM_OK);
    set.options.starts.count = searches;
    set.options.starts.turn = INFINITY; // nothing is aliased
    oc_multistart alone = search_task(&x, &set);
    const oc_known known = {.solution = own, .motion = own->motion};
    oc_multistart with = search_with(&x, &set, &known);
    for (int i = 0; i < 2; i++) {
      const oc_multistart *found = i ? &with : &alone;
      const oc_optimum *o = find_own(found);
      assert_non_null(o);
      assert_string_equal(o->kind, "own");
      assert_close(o->objective, own->info.objective, 1e-8 * own->info.objective);
      assert_true(found->optimum[0].objective <= o->objective);
    }
    oc_multistart_free(&alone);
    oc_multistart_free(&with);
    oc_solution_free(own);
    tasks_free(&x);
  }
}

// a search ends where it has cost what it may, whoever counts
static void work_is_limited_alike_by_all_threads(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(30);
  oc_setup set = oc_setup_default();
  oc_multistart all = search_task(&x, &set);
  set.options.starts.work = all.work / 2;
  oc_multistart one = search_task(&x, &set);
  set.options.starts.threads = 3;
  oc_multistart three = search_task(&x, &set);
  assert_true(one.searches > 0 && one.searches < all.searches);
  assert_true(one.work >= set.options.starts.work);
  assert_int_equal(one.searches, three.searches);
  assert_memory_equal(&one.work, &three.work, sizeof one.work);
  oc_multistart_free(&all);
  oc_multistart_free(&one);
  oc_multistart_free(&three);
  tasks_free(&x);
}

// searches are so many at most, and a search that is told to stop does
static bool always(void *user) {
  (void)user;
  return true;
}

static void searches_are_limited(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(30);
  oc_setup set = oc_setup_default();
  oc_multistart found;
  set.options.starts.count = 3;
  found = search_task(&x, &set);
  assert_true(found.searches <= 3);
  oc_multistart_free(&found);
  set.hooks.stop = always;
  assert_int_equal(oc_multistart_run(&found, &x.t, x.m, &set, NULL, &msg), DM_INTERRUPTED);
  oc_multistart_free(&found);
  tasks_free(&x);
}

// references on half of the steps are those of every other knot; a sum over steps has no other grid
static void a_reference_is_sampled_on_another_grid(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(8);
  double ref[2 * 9];
  for (int i = 0; i < 18; i++) ref[i] = i * i;
  x.t.cost[OC_Q].reference = ref;
  oc_regridded half;
  assert_int_equal(oc_task_regrid(&half, &x.t, 4), DM_OK);
  assert_int_equal(half.task.N, 4);
  for (int k = 0; k <= 4; k++)
    for (int i = 0; i < 2; i++)
      assert_close(half.task.cost[OC_Q].reference[2 * k + i], ref[4 * k + i], 1e-15);
  oc_regridded_free(&half);
  x.t.sum = true;
  assert_int_equal(oc_task_regrid(&half, &x.t, 4), DM_UNAVAILABLE);
  tasks_free(&x);
}

// a body on an axle that its two arms turn by 20 degrees a cycle, and the least ratio of effort to turn:
// of the least found by any search none is above the one that the guess leads to
static void motions_that_come_back_are_looked_for(void **state) {
  (void)state;
  static const double from[] = {0, NAN, NAN}, still[] = {0, 0, 0};
  double low[] = {0.35, 0, 0}, high[] = {0.35, 0, 0};
  for (int ratio = 0; ratio < 2; ratio++) {
    dm_coordinate c[] = {models_coord("axle", false, 0, 1, 0), models_coord("left", false, 0, 1, 0),
                         models_coord("right", false, 0, 1, 0)};
    dm_body b[] = {{"hull", -1, dm_identity, 0, 1, 2, {0}, {0, 0.1}},
                   {"left", 0, dm_identity, 1, 1, 1, {0, 0, -0.4}, {0, 0.02}},
                   {"right", 0, dm_identity, 2, 1, 1, {0, 0, -0.4}, {0, 0.02}}};
    b[1].offset.p.x = -0.3;
    b[2].offset.p.x = 0.3;
    dm_input u[] = {models_input("left", 1), models_input("right", 2)};
    tasks_task x =
        tasks_make(models_make(&(dm_tree){
                       .nbody = 3, .ncoord = 3, .ninput = 2, .body = b, .coord = c, .input = u}),
                   40, 2);
    x.t.start.q = from;
    x.t.start.v = still;
    x.t.goal.q = x.t.goal.v = NULL;
    x.t.cost[OC_U].running = tasks_weight(&x, 0, 2, 1);
    x.t.periodic = true;
    high[0] = ratio ? 0.6 : 0.35;
    x.t.bounds[OC_TRAVEL].low = low;
    x.t.bounds[OC_TRAVEL].high = high;
    x.t.per.of = ratio ? OC_PER_TRAVEL : OC_PER_MOTION;

    oc_setup set = oc_setup_default();
    set.options.starts.count = 30;
    set.options.starts.steps = 40;
    oc_multistart found = search_task(&x, &set);
    dm_trajectory *own;
    oc_solve_info info;
    const dm_status s = oc_solve(&x.t, NULL, &own, &info, &msg);
    assert_true(found.count > 0 && found.goals == 1 && (s == DM_OK || s == DM_ACCEPTABLE));
    assert_true(found.optimum[0].objective <= info.objective * (1 + 1e-7));
    dm_trajectory_free(own);
    oc_multistart_free(&found);
    tasks_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_goal_is_on_a_circle_where_turns_change_nothing),
      cmocka_unit_test(goals_are_whole_turns_off_each_other),
      cmocka_unit_test(the_better_turn_is_found),
      cmocka_unit_test(motions_that_come_back_are_looked_for),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(aliased_optima_are_never_the_best),
      cmocka_unit_test(searches_are_limited),
      cmocka_unit_test(no_search_is_worse_than_none),
      cmocka_unit_test(work_is_limited_alike_by_all_threads),
      cmocka_unit_test(a_reference_is_sampled_on_another_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
