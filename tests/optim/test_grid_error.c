// tests/optim/test_grid_error.c: the error that a second grid tells, against a grid so fine that it
// stands for continuous time; its order; and that a point on another grid is nearly a solution there.
#include "optim/grid_error.h"
#include "optim/program/prolong.h"
#include "optim/program/residual.h"
#include "tests/support/tasks.h"

static dm_message msg;

static oc_solution *solve_on(const oc_task *t, const dm_trajectory *from) {
  oc_setup set = oc_setup_default();
  oc_solution *w;
  set.options.method = OC_SOLVER_STAGE;
  assert_int_equal(oc_solution_new(&w, t, &set, &msg), DM_OK);
  assert_int_equal(oc_solution_start(w, from), DM_OK);
  assert_int_equal(oc_solution_find(w, &msg), DM_OK);
  assert_int_equal(w->info.status, DM_OK);
  return w;
}

// largest difference of positions at the knots of x, which y's of `share` times as many steps are among
static double find_distance(const dm_trajectory *x, const dm_trajectory *y, int share) {
  double most = 0;
  for (int k = 0; k <= x->N; k++)
    for (int i = 0; i < x->n; i++)
      most = fmax(most, fabs(x->q[k * x->n + i] - y->q[k * share * x->n + i]));
  return most;
}

// Richardson's value is nearer by far, and the error told is the true one to a tenth; over twice the
// steps a quarter is left
static void the_error_told_is_the_true_one(void **state) {
  (void)state;
  enum { STEPS = 100, FINE = 1600 };
  tasks_task x = tasks_cart_pole(STEPS);
  oc_solution *w = solve_on(&x.t, NULL);
  oc_task t = x.t;
  t.N = FINE;
  oc_solution *exact = solve_on(&t, w->motion);
  t.N = 2 * STEPS;
  oc_solution *twice = solve_on(&t, w->motion);

  oc_grid_error e, e2;
  assert_int_equal(oc_grid_error_measure(&e, w, w->motion, 0), DM_OK);
  assert_int_equal(oc_grid_error_measure(&e2, twice, twice->motion, 0), DM_OK);
  assert_true(oc_grid_error_is_known(&e) && oc_grid_error_is_known(&e2));
  const double off = fabs(w->info.objective - exact->info.objective);
  assert_close(e.objective_error, off, 0.1 * off);
  assert_true(fabs(e.objective - exact->info.objective) < 0.02 * off);
  assert_close(e.objective_error / e2.objective_error, 4, 0.2);

  // of positions, too; and it took few iterations
  const double distance = find_distance(w->motion, exact->motion, FINE / STEPS);
  assert_close(e.q_error, distance, 0.2 * distance);
  assert_close(e.q_error / e2.q_error, 4, 0.4);
  assert_true(2 * e.iterations < w->info.iterations);
  oc_solution_free(w);
  oc_solution_free(exact);
  oc_solution_free(twice);
  tasks_free(&x);
}

// the defects show the order of a smooth motion, and another grid agrees; of few steps of an acrobot
// nothing is said to be an error that is none
static void an_order_that_is_not_there_is_said(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(100), y = tasks_acrobot(22);
  oc_solution *smooth = solve_on(&x.t, NULL), *coarse = solve_on(&y.t, NULL);
  oc_grid_error a, b;
  assert_int_equal(oc_grid_error_measure(&a, smooth, smooth->motion, 0), DM_OK);
  assert_int_equal(oc_grid_error_measure(&b, coarse, coarse->motion, 1000), DM_OK);
  assert_int_equal(a.source, OC_ERROR_DEFECTS);
  assert_int_equal(a.third, 0);
  assert_close(a.objective_order, 2, 0.1);
  assert_true(!a.differs && !a.why);
  assert_true(b.differs);
  assert_true(b.source == OC_ERROR_GRIDS || (b.source == OC_ERROR_LARGEST && b.why[0]));
  oc_solution_free(smooth);
  oc_solution_free(coarse);
  tasks_free(&x);
  tasks_free(&y);
}

static bool count_iterates(void *user, const oc_iterate *it) {
  int *left = user;
  (void)it;
  return (*left)-- > 0;
}

// whoever watches the search watches those on other grids, too, and may end them
static void the_search_on_another_grid_is_watched(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(101); // odd: a grid of twice the steps is a search of its own
  oc_solution *w = solve_on(&x.t, NULL);
  oc_grid_error e;
  int left = 0;
  w->set.hooks.watch = count_iterates;
  w->set.hooks.user = &left;
  oc_grid_error_measure(&e, w, w->motion, 1000);
  assert_true(left == -1 && e.status == DM_INTERRUPTED && isnan(e.q_error));
  left = 1000;
  assert_int_equal(oc_grid_error_measure(&e, w, w->motion, 1000), DM_OK);
  assert_true(left < 1000 && e.status == DM_OK && e.q_error > 0);
  oc_solution_free(w);
  tasks_free(&x);
}

// an odd number of steps has no half: the second grid is the finer one, and tells as much
static void odd_steps_are_compared_with_twice_as_many(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(101), y = tasks_cart_pole(102);
  oc_solution *odd = solve_on(&x.t, NULL), *even = solve_on(&y.t, NULL);
  oc_grid_error a, b;
  assert_int_equal(oc_grid_error_measure(&a, odd, odd->motion, 0), DM_OK);
  assert_int_equal(oc_grid_error_measure(&b, even, even->motion, 0), DM_OK);
  assert_int_equal(a.steps, 202);
  assert_int_equal(b.steps, 51);
  assert_close(a.objective, b.objective, 2e-3 * b.objective_error + 1e-3);
  assert_close(a.objective_error, b.objective_error, 0.1 * b.objective_error);
  oc_solution_free(odd);
  oc_solution_free(even);
  tasks_free(&x);
  tasks_free(&y);
}

// on its own grid a point is prolonged to itself
static void a_point_is_itself_on_its_own_grid(void **state) {
  (void)state;
  tasks_task x = tasks_four_bar(20);
  x.m->v_max[0] = 30;
  x.t.time.free = true;
  x.t.time.min = 0.2;
  x.t.time.max = 2;
  x.t.time.weight = 1;
  oc_solution *w = solve_on(&x.t, NULL), *other;
  oc_setup set = oc_setup_default();
  assert_int_equal(oc_solution_new(&other, &x.t, &set, &msg), DM_OK);
  oc_transcription_prolong(w->first, &w->point, other->first, &other->point);
  for (int i = 0; i < w->nlp->n; i++) {
    assert_close(other->point.x[i], w->point.x[i], 1e-12 * (1 + fabs(w->point.x[i])));
    assert_close(other->point.z_l[i], w->point.z_l[i], 1e-9 * (1 + w->point.z_l[i]));
    assert_close(other->point.z_u[i], w->point.z_u[i], 1e-9 * (1 + w->point.z_u[i]));
  }
  for (int i = 0; i < w->nlp->m; i++)
    assert_close(other->point.lambda[i], w->point.lambda[i], 1e-9 * (1 + fabs(w->point.lambda[i])));

  // and costs there what it costs
  oc_residual r = {0};
  assert_int_equal(oc_residual_add(&r, w->first, &w->point, other->first), DM_OK);
  assert_close(r.objective, w->info.objective, 1e-5 * w->info.objective);
  assert_close(r.other, w->info.objective, 1e-5 * w->info.objective);
  oc_solution_free(w);
  oc_solution_free(other);
  tasks_free(&x);
}

// a cost that is a sum over steps has no second grid
static void a_sum_over_steps_has_no_error(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(40);
  x.t.sum = true;
  oc_solution *w = solve_on(&x.t, NULL);
  oc_grid_error e;
  assert_int_equal(oc_grid_error_measure(&e, w, w->motion, 0), DM_UNAVAILABLE);
  assert_true(!oc_grid_error_is_known(&e) && strstr(e.why, "sum over steps"));
  oc_solution_free(w);
  tasks_free(&x);
}

// a task in two halves has the error of the whole, at the same knots
static void phases_have_the_error_of_the_whole(void **state) {
  (void)state;
  enum { STEPS = 100 };
  tasks_task whole = tasks_cart_pole(STEPS),
             half[2] = {tasks_cart_pole(STEPS / 2), tasks_cart_pole(STEPS / 2)};
  oc_solution *one = solve_on(&whole.t, NULL), *two;
  oc_pair pairs[2];
  const oc_task *task[] = {&half[0].t, &half[1].t};
  const char *const name[] = {"first", "second"};
  oc_join join = {.pairs = pairs, .npairs = oc_phases_pair(task[0], task[1], pairs)};
  const oc_phases_task t = {.n = 2, .task = task, .name = name, .join = &join};
  for (int i = 0; i < 2; i++) half[i].t.time.T /= 2;
  tasks_fill(half[0].pool + 4, 4, NAN);
  tasks_fill(half[1].pool, 4, NAN);
  assert_int_equal(oc_solution_of_phases(&two, &t, NULL, &msg), DM_OK);
  assert_int_equal(oc_solution_start_phases(two, NULL), DM_OK);
  assert_int_equal(oc_solution_find(two, &msg), DM_OK);

  oc_grid_error e, e2;
  assert_int_equal(oc_grid_error_measure(&e, one, one->motion, 0), DM_OK);
  assert_int_equal(oc_grid_error_of_phases(&e2, two, (const dm_trajectory *const *)two->motions, 0),
                   DM_OK);
  assert_true(oc_grid_error_is_known(&e) && oc_grid_error_is_known(&e2));
  assert_close(e2.other - two->info.objective, e.other - one->info.objective,
               1e-6 * e.objective_error);
  // between knots each phase is interpolated on its own
  assert_close(e2.objective_error, e.objective_error, 1e-3 * e.objective_error);
  assert_close(e2.q_error, e.q_error, 1e-4 * e.q_error);
  assert_int_equal(e2.coord, e.coord);
  assert_int_equal(e2.knot + e2.phase * STEPS / 2, e.knot);
  assert_true(e2.iterations < two->info.iterations);
  oc_solution_free(one);
  oc_solution_free(two);
  tasks_free(&whole);
  for (int i = 0; i < 2; i++) tasks_free(&half[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_error_told_is_the_true_one),
      cmocka_unit_test(an_order_that_is_not_there_is_said),
      cmocka_unit_test(the_search_on_another_grid_is_watched),
      cmocka_unit_test(odd_steps_are_compared_with_twice_as_many),
      cmocka_unit_test(a_point_is_itself_on_its_own_grid),
      cmocka_unit_test(a_sum_over_steps_has_no_error),
      cmocka_unit_test(phases_have_the_error_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
