// Least times of six robots under limits of speed and torque: limits hold at every knot, in the
// middle of every step and on a plant that shares nothing with the map, to the order of the step;
// inputs do not ring. Limits that are far are asked for where they are passed.
#include "control/loop/plant.h"
#include "optim/nlp/ipopt.h"
#include "optim/rows/knot_speeds.h"
#include "optim/solve.h"
#include "tests/support/skips.h"
#include "tests/support/tasks.h"

enum { MOST_LINKS = 4 };

static const struct {
  int links;
  double length, speed, torque[MOST_LINKS];
  double start[MOST_LINKS], goal[MOST_LINKS];
} robots[] = {
    {1, 1, 2, {12}, {0}, {2}},
    {2, 1, 2, {40, 10}, {0, 0.5}, {1.2, -0.5}},
    {2, 0.5, 3, {12, 2.5}, {-1, 1}, {1, -1}},
    {3, 0.4, 2.5, {25, 10, 2.5}, {0, 0.5, 0.5}, {1, -0.5, -0.5}},
    {3, 0.3, 4, {14, 6, 1.5}, {-0.5, 0, 1}, {0.5, 1, 0}},
    {4, 0.25, 3, {16, 8, 4, 1}, {0, 0.3, 0.3, 0.3}, {1, -0.3, 0.6, -0.6}},
};

// from rest to rest in the least time
static tasks_task least_time(int robot, int N) {
  int n = robots[robot].links;
  dm_model *m = models_chain(n, robots[robot].length, 0);
  for (int i = 0; i < n; i++) {
    m->v_max[i] = robots[robot].speed;
    m->u_min[i] = -robots[robot].torque[i];
    m->u_max[i] = robots[robot].torque[i];
  }
  tasks_task x = tasks_make(m, N, 1);
  tasks_rest(&x, 0, robots[robot].start);
  tasks_rest(&x, 1, robots[robot].goal);
  x.t.time.free = true;
  x.t.time.min = 0.05;
  x.t.time.max = 5;
  x.t.time.weight = 1;
  return x;
}

static dm_trajectory *solve(const tasks_task *x) {
  oc_transcription *t;
  oc_options set;
  oc_ipopt_info info;
  dm_trajectory *motion;
  dm_message msg = {""};
  if (oc_transcription_new(&t, &x->t, &msg) != DM_OK) fail_msg("%s", msg.text);
  const oc_nlp *p = oc_transcription_nlp(t);
  size_t n = (size_t)p->n;
  oc_point at = {.x = calloc(3 * n + (size_t)p->m, sizeof(double))};
  at.z_l = at.x + n;
  at.z_u = at.z_l + n;
  at.lambda = at.z_u + n;
  tasks_line(t, x, at.x);
  set = oc_options_default();

  assert_int_equal(oc_ipopt_solve(p, &set, NULL, &at, NULL, 0, &info), DM_OK);
  assert_int_equal(dm_trajectory_of(&motion, x->t.N, &x->t.system), DM_OK);
  assert_int_equal(oc_transcription_unpack(t, at.x, motion), DM_OK);
  free(at.x);
  oc_transcription_free(t);
  return motion;
}

// the speed of a step's middle
static double middle(const dm_trajectory *x, int k, int i) {
  return (x->q[(k + 1) * x->n + i] - x->q[k * x->n + i]) / x->h;
}

// what speeds at knots are off the mean of those in the middle of the steps beside them, over all
// knots in the mean: where torques switch it is a step's change of speed
static double apart(const dm_trajectory *x) {
  double sum = 0;
  for (int k = 1; k < x->N; k++)
    for (int i = 0; i < x->n; i++)
      sum += fabs(x->v[k * x->n + i] - (middle(x, k - 1, i) + middle(x, k, i)) / 2);
  return sum / (x->N - 1) / x->n;
}

// the largest speed on the continuous plant, restarted at each knot, at four points per step
static double on_the_plant(const tasks_task *task, const dm_trajectory *x) {
  enum { SEEN = 4 };
  fb_plant plant;
  dm_continuous *c;
  double state[2 * MOST_LINKS], v[MOST_LINKS] = {0}, most = 0;
  size_t row = (size_t)x->n * sizeof(double);
  assert_int_equal(fb_plant_continuous(&plant, &task->t.system, 1e-9), DM_OK);
  assert_int_equal(dm_continuous_new(&c, &task->t.system), DM_OK);
  for (int k = 0; k < x->N; k++) {
    memcpy(state, x->q + k * x->n, row);
    memcpy(state + x->n, x->p + k * x->n, row);
    for (int part = 0; part < SEEN; part++) {
      assert_int_equal(plant.step(plant.self, state, x->u + k * x->nu, x->h / SEEN), DM_OK);
      assert_int_equal(dm_velocity_of(c, state, state + x->n, v), DM_OK);
      for (int i = 0; i < x->n; i++) most = fmax(most, fabs(v[i]));
    }
  }
  dm_continuous_free(c);
  fb_plant_free(&plant);
  return most;
}

static void limits_hold_at_knots_between_and_on_the_plant(void **state) {
  (void)state;
  for (int robot = 0; robot < COUNT(robots); robot++) {
    double beyond[2], off[2], limit = robots[robot].speed;
    for (int fine = 0; fine < 2; fine++) {
      tasks_task task = least_time(robot, fine ? 60 : 30);
      dm_trajectory *x = solve(&task);
      for (int k = 0; k <= x->N; k++)
        for (int i = 0; i < x->n; i++) {
          assert_true(fabs(x->v[k * x->n + i]) <= limit * (1 + 1e-7));
          if (k < x->N) assert_true(fabs(middle(x, k, i)) <= limit * (1 + 1e-7));
        }
      off[fine] = apart(x);
      beyond[fine] = on_the_plant(&task, x) / limit - 1;
      dm_trajectory_free(x);
      tasks_free(&task);
    }

    // half the step: half as far apart, and on the plant beyond the limit by a quarter
    if (!(off[1] < 0.7 * off[0])) fail_msg("robot %d: %g, %g apart", robot, off[0], off[1]);
    if (!(beyond[0] < 0.03 && beyond[1] < 0.35 * beyond[0]))
      fail_msg("robot %d: %g, %g beyond its limit", robot, beyond[0], beyond[1]);
  }
}

// Inputs that go up and down in turn cost nothing in a least time, and are not there.
static void inputs_do_not_ring(void **state) {
  (void)state;
  for (int robot = 0; robot < COUNT(robots); robot++) {
    tasks_task task = least_time(robot, 60);
    dm_trajectory *x = solve(&task);
    for (int j = 0; j < x->nu; j++) {
      double sum = 0;
      for (int k = 0; k < x->N; k++) sum += (k % 2 ? -1 : 1) * x->u[k * x->nu + j];
      double part = fabs(sum) / x->N / robots[robot].torque[j];
      if (!(part < 0.04)) fail_msg("robot %d: input %d rings by %g of its limit", robot, j, part);
    }
    dm_trajectory_free(x);
    tasks_free(&task);
  }
}

// the tie-break is no part of the time, and changes it by little: without it the time is the same
// to 1e-3, and a limit on the rate makes it longer
static void rates_are_kept(void **state) {
  (void)state;
  double time[3];
  for (int which = 0; which < 3; which++) {
    tasks_task task = least_time(1, 40);
    double none[2] = {0, 0}, most[2] = {100, 100};
    if (which == 1) task.t.cost[OC_RATE].running = none;
    if (which == 2) task.t.bounds[OC_RATE].high = most;
    dm_trajectory *x = solve(&task);
    time[which] = x->N * x->h;
    for (int k = 0; which == 2 && k + 1 < x->N; k++)
      for (int j = 0; j < x->nu; j++) {
        double rate = (x->u[(k + 1) * x->nu + j] - x->u[k * x->nu + j]) / x->h;
        assert_true(fabs(rate) <= 100 * (1 + 1e-6));
      }
    dm_trajectory_free(x);
    tasks_free(&task);
  }
  assert_true(fabs(time[0] / time[1] - 1) < 1e-3);
  assert_true(time[2] > time[1] * 1.01);
}

// a robot between bounds 3 rad apart, under such limits of speed
static tasks_task between_bounds(int robot, double speed) {
  tasks_task x = least_time(robot, 40);
  for (int i = 0; i < x.m->nq; i++) {
    x.m->q_min[i] = -1;
    x.m->q_max[i] = 2;
    x.m->v_max[i] = speed;
  }
  return x;
}

// a task solved by the stage solver: the solution that has it
static oc_solution *find(const oc_task *task, int most) {
  oc_setup set = oc_setup_default();
  oc_solution *w;
  dm_message msg;
  set.options.method = OC_SOLVER_STAGE;
  set.options.max_iter = most;
  assert_int_equal(oc_solution_new(&w, task, &set, &msg), DM_OK);
  assert_int_equal(oc_solution_start(w, NULL), DM_OK);
  assert_int_equal(oc_solution_find(w, &msg), DM_OK);
  return w;
}

// 29 rad/s in 2 s are less than twenty times 3 rad, 30 rad/s are no less, and then velocities are no
// unknowns; a slow motion needs none
static void limits_that_are_far_cost_nothing(void **state) {
  (void)state;
  oc_solution *w[2];
  tasks_task task = between_bounds(0, 29);
  task.t.time.free = false;
  task.t.time.T = 2;
  task.t.cost[OC_U].running = tasks_weight(&task, 0, 1, 1);
  assert_true(oc_knot_speeds_wanted(&task.t));
  task.m->v_max[0] = 30;
  for (int all = 0; all < 2; all++) {
    task.t.every_speed = all;
    assert_int_equal(oc_knot_speeds_wanted(&task.t), all);
    w[all] = find(&task.t, 3000);
    assert_int_equal(w[all]->info.status, DM_OK);
    assert_int_equal(w[all]->task.every_speed, all);
  }

  // the same motion by fewer unknowns
  assert_int_equal(w[1]->nlp->n - w[0]->nlp->n, 39);
  assert_close(w[0]->info.objective, w[1]->info.objective, 1e-9 * w[1]->info.objective);
  for (int k = 0; k < 41; k++) assert_close(w[0]->motion->q[k], w[1]->motion->q[k], 1e-6);
  for (int all = 0; all < 2; all++) oc_solution_free(w[all]);
  tasks_free(&task);
}

// A least time comes to limits that a first guess of 30 s makes far: the solution is that of the
// program with all of them. However few iterations there are, none is called solved that passes one.
static void far_limits_that_are_passed_are_asked_for(void **state) {
  (void)state;
  tasks_task task = between_bounds(1, 2);
  task.t.time.T = 30;
  assert_false(oc_knot_speeds_wanted(&task.t));
  oc_solution *w = find(&task.t, 3000);
  assert_int_equal(w->info.status, DM_OK);
  assert_true(w->task.every_speed);
  assert_true(oc_knot_speeds_kept(&task.t, w->motion));

  task.t.every_speed = true;
  oc_solution *all = find(&task.t, 3000);
  assert_int_equal(w->nlp->n, all->nlp->n);
  assert_true(w->info.spent > all->info.spent);
  assert_close(w->info.objective, all->info.objective, 1e-8 * all->info.objective);
  oc_solution_free(all);

  // too fast at a knot after the first search, or cut short in the second
  task.t.every_speed = false;
  int passed = 0;
  for (int most = 1; most < w->info.spent; most++) {
    oc_solution *cut = find(&task.t, most);
    assert_int_equal(cut->info.status, DM_MAX_ITER);
    passed += !cut->task.every_speed && cut->info.max_violation < 1e-8;
    oc_solution_free(cut);
  }
  assert_true(passed > 0);
  oc_solution_free(w);
  tasks_free(&task);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_hold_at_knots_between_and_on_the_plant),
      cmocka_unit_test(inputs_do_not_ring),
      cmocka_unit_test(rates_are_kept),
      cmocka_unit_test(limits_that_are_far_cost_nothing),
      cmocka_unit_test(far_limits_that_are_passed_are_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
