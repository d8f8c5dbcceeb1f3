// tests/optim/starts/test_nearest_rollout.c: of many rollouts the one that misses least.
#include "lib/discrete/del.h"
#include "optim/starts/nearest_rollout.h"
#include "optim/starts/random_inputs.h"
#include "optim/starts/rollout.h"
#include "optim/starts/seeded_guess.h"
#include "tests/support/asked.h"

enum { STEPS = 60 };

static dm_trajectory *room_for(const tasks_task *x) {
  dm_trajectory *y;
  assert_int_equal(dm_trajectory_of(&y, x->t.N, &x->t.system), DM_OK);
  return y;
}

static dm_trajectory *find_nearest(const tasks_task *x, int number) {
  dm_trajectory *y = room_for(x);
  assert_int_equal(oc_nearest_rollout(&x->t, 0, number, NULL, y), DM_OK);
  return y;
}

// the end of a motion, off its goal, over the extent of the robot and half the time
static double measure_miss(const oc_task *t, const dm_trajectory *x) {
  double sum = 0;
  for (int i = 0; i < x->n; i++) {
    const bool slides = t->system.length && t->system.length[i];
    const double way = slides ? t->system.extent : 1, half = x->h * x->N / 2;
    const double dq = (x->q[x->N * x->n + i] - t->goal.q[i]) / way;
    const double dv = half * (x->v[x->N * x->n + i] - t->goal.v[i]) / way;
    if (!isnan(dq)) sum += dq * dq;
    if (!isnan(dv)) sum += dv * dv;
  }
  return sqrt(sum);
}

// Cart-pole and two links, one driven: the goal is where smooth inputs led that nobody kept.
static tasks_task make_reachable(int robot) {
  static const double low[] = {-6}, high[] = {6}, bent[] = {0.3, -0.2};
  tasks_task x = robot ? tasks_make(models_chain(2, 1, 1), STEPS, 1.5) : tasks_cart_pole(STEPS);
  if (robot) tasks_rest(&x, 0, bent);
  x.t.bounds[OC_U].low = low;
  x.t.bounds[OC_U].high = high;
  dm_del *del;
  int failed;
  dm_trajectory *y = room_for(&x);
  assert_int_equal(oc_rollout_begin(&del, &x.t, y), DM_OK);
  oc_random_inputs_draw(&x.t, 77, robot, 0.5, y->u);
  assert_int_equal(oc_rollout_follow(del, y, &failed), DM_OK);
  assert_int_equal(failed, -1);
  const size_t n = (size_t)y->n;
  memcpy(x.pool + 2 * n, y->q + STEPS * n, n * sizeof *y->q);
  memcpy(x.pool + 3 * n, y->v + STEPS * n, n * sizeof *y->v);
  dm_del_free(del);
  dm_trajectory_free(y);
  return x;
}

// It keeps the equations of motion, the start and the limits of inputs, and kinematic coordinates follow
// the line.
static void it_is_a_motion_of_the_map(void **state) {
  (void)state;
  for (int which = 0; which < 3; which++) {
    tasks_task x = which < 2 ? make_reachable(which) : tasks_hung_bar(20);
    dm_trajectory *y = find_nearest(&x, 1);
    dm_del *del;
    double gap;
    int worst;
    assert_int_equal(dm_del_new(&del, &x.t.system, NULL), DM_OK);
    assert_int_equal(dm_trajectory_certify(y, del, NULL, &gap, &worst), DM_OK);
    assert_true(gap < 1e-10);
    for (int i = 0; i < y->n; i++) {
      if (!isnan(x.t.start.q[i])) assert_true(y->q[i] == x.t.start.q[i]);
      for (int k = 0; x.m->kinematic[i] && k <= y->N; k++)
        assert_close(y->q[k * y->n + i], y->q[i] + (x.t.goal.q[i] - y->q[i]) * k / y->N, 1e-14);
    }
    for (int k = 0; x.t.bounds[OC_U].high && k < y->N; k++)
      assert_true(fabs(y->u[k * y->nu]) <= x.t.bounds[OC_U].high[0]);
    dm_del_free(del);
    dm_trajectory_free(y);
    tasks_free(&x);
  }
}

// It ends nearer to the goal than twenty rollouts under random inputs do, by far.
static void it_ends_near_a_goal_that_can_be_reached(void **state) {
  (void)state;
  int inputs = 0;
  while (strcmp(oc_guess_kinds[inputs].name, "inputs") != 0) inputs++;
  for (int robot = 0; robot < 2; robot++) {
    tasks_task x = make_reachable(robot);
    dm_trajectory *y = room_for(&x), *near = find_nearest(&x, 1);
    double least = INFINITY;
    for (int number = 0; number < 20; number++) {
      assert_int_equal(oc_guess_kinds[inputs].draw(&x.t, 0, number, y), DM_OK);
      least = fmin(least, measure_miss(&x.t, y));
    }
    assert_true(measure_miss(&x.t, near) < 0.2 * least);
    dm_trajectory_free(y);
    dm_trajectory_free(near);
    tasks_free(&x);
  }
}

// Forces have the middle of their range in the mean, propellers' too, are within their limits, and within those
// for a while; what stood there does not matter, or is changed.
static void forces_are_drawn_within_their_limits(void **state) {
  (void)state;
  const double low[][2] = {{-2, -2}, {0, 0}, {1, -1}, {0, -INFINITY}},
               high[][2] = {{2, 2}, {4, 3}, {4, 0.2}, {INFINITY, 3}};
  const double middle[][2] = {{0, 0}, {2, 1.5}, {2.5, -0.4}, {NAN, NAN}};
  const oc_input_limit brief = {.input = 1, .at = {0.5, 1}, .low = -0.3, .high = 0.1};
  tasks_task x = tasks_make(models_chain(2, 1, 0), STEPS, 1);
  dm_trajectory *y = room_for(&x), *z = room_for(&x);
  for (int row = 0; row < 4; row++) {
    double sum[2] = {0}, largest[2] = {0};
    x.t.bounds[OC_U].low = low[row];
    x.t.bounds[OC_U].high = high[row];
    for (int number = 0; number < 200; number++) {
      oc_random_inputs_draw(&x.t, 0, number, 0.2, y->u);
      for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < 2; i++) {
          const double u = y->u[2 * k + i];
          assert_true(u >= low[row][i] && u <= high[row][i]);
          sum[i] += u / (200 * STEPS);
          largest[i] = fmax(largest[i], fabs(u));
        }
    }
    for (int i = 0; i < 2; i++) {
      assert_true(largest[i] > 0);
      if (!isnan(middle[row][i]))
        assert_close(sum[i], middle[row][i], 0.1 * (high[row][i] - low[row][i]));
    }
  }
  x.t.bounds[OC_U].low = low[0];
  x.t.bounds[OC_U].high = high[0];
  x.t.inputs.limit = &brief;
  x.t.inputs.n = 1;
  oc_random_inputs_draw(&x.t, 0, 1, 3, y->u);
  for (int k = 0; k < STEPS; k++) {
    const bool is_brief = 2 * k >= STEPS;
    assert_true(y->u[2 * k + 1] >= (is_brief ? -0.3 : -2) &&
                y->u[2 * k + 1] <= (is_brief ? 0.1 : 2));
  }
  memset(z->u, 1, 2 * STEPS * sizeof *z->u);
  oc_random_inputs_draw(&x.t, 0, 1, 3, z->u);
  assert_memory_equal(y->u, z->u, 2 * STEPS * sizeof *z->u);
  oc_random_inputs_add(&x.t, 0, 2, 0.1, z->u);
  assert_memory_not_equal(y->u, z->u, 2 * STEPS * sizeof *z->u);
  dm_trajectory_free(y), dm_trajectory_free(z);
  tasks_free(&x);
}

static bool is_same(const dm_trajectory *a, const dm_trajectory *b) {
  const size_t q = (size_t)((a->N + 1) * a->n), u = (size_t)(a->N * a->nu);
  return a->h == b->h && !memcmp(a->q, b->q, q * sizeof *a->q) &&
         !memcmp(a->u, b->u, u * sizeof *a->u);
}

static void it_is_a_function_of_its_number(void **state) {
  (void)state;
  tasks_task x = make_reachable(0);
  dm_trajectory *a = find_nearest(&x, 1), *b = find_nearest(&x, 1), *c = find_nearest(&x, 2);
  assert_true(is_same(a, b));
  assert_false(is_same(a, c));
  dm_trajectory_free(a), dm_trajectory_free(b), dm_trajectory_free(c);
  tasks_free(&x);
}

// A free time is drawn within its range, here one of which only the end is enough.
static void a_free_time_is_found(void **state) {
  (void)state;
  tasks_task x = make_reachable(0);
  dm_trajectory *fixed = find_nearest(&x, 1);
  x.t.time.min = 0.2 * x.t.time.T;
  x.t.time.max = 1.1 * x.t.time.T;
  x.t.time.T = 0.3 * x.t.time.T;
  dm_trajectory *hasty = find_nearest(&x, 1);
  x.t.time.free = true;
  dm_trajectory *free = find_nearest(&x, 1);
  const double T = free->h * free->N;
  assert_true(T >= x.t.time.min && T <= x.t.time.max && T > x.t.time.T);
  assert_true(measure_miss(&x.t, free) < 0.2 * measure_miss(&x.t, hasty));
  assert_true(hasty->h < fixed->h);
  dm_trajectory_free(fixed), dm_trajectory_free(hasty), dm_trajectory_free(free);
  tasks_free(&x);
}

// A place in space is a goal, too.
static void a_place_counts(void **state) {
  (void)state;
  tasks_task x = make_reachable(1);
  tasks_fill(x.pool + 2 * 2, 4, NAN); // no goal but the place
  dm_outputs *outputs;
  const dm_output end = {
      .name = "end", .kind = DM_OUTPUT_POSITION, .body = {1, -1}, .point = {{0, 0, -1}}};
  const oc_output_limit limit[] = {{0, {1, 1}, 0.9, 0.9, NULL}, {2, {1, 1}, -1.4, -1.4, NULL}};
  x.t.outputs = (oc_outputs){.y = asked_map(&outputs, x.m, 1, &end), .nlimits = 2, .limits = limit};
  dm_trajectory *y = find_nearest(&x, 1);
  const double *q = y->q + STEPS * 2;
  assert_close(-sin(q[0]) - sin(q[0] + q[1]), 0.9, 0.02);
  assert_close(-cos(q[0]) - cos(q[0] + q[1]), -1.4, 0.02);
  dm_trajectory_free(y);
  dm_outputs_free(outputs);
  tasks_free(&x);
}

// is the guess of a task that gives none the motion without forces?
static bool does_own_guess_fall(const oc_task *t, const tasks_task *x) {
  dm_trajectory *own = room_for(x), *fall = room_for(x), *line = room_for(x);
  assert_int_equal(oc_guess_own(t, own), DM_OK);
  assert_int_equal(oc_guess_rollout(t, NULL, fall), DM_OK);
  assert_int_equal(oc_guess_line(t, line), DM_OK);
  const bool falls = is_same(own, fall);
  assert_true(falls || is_same(own, line));
  assert_false(is_same(fall, line));
  dm_trajectory_free(own), dm_trajectory_free(fall), dm_trajectory_free(line);
  return falls;
}

// Two links, both driven, to a point: without limits that the fall violates, its posture is left to the forces.
static void a_point_with_a_cost_of_forces_begins_by_a_fall(void **state) {
  (void)state;
  tasks_task x = tasks_make(models_chain(2, 1, 0), STEPS, 1.5);
  tasks_rest(&x, 0, (double[]){1, -0.5});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 2, 1);
  dm_outputs *outputs;
  const dm_output end = {
      .name = "end", .kind = DM_OUTPUT_POSITION, .body = {1, -1}, .point = {{0, 0, -1}}};
  const oc_output_limit limit[] = {{0, {1, 1}, 0.9, 0.9, NULL}, {2, {1, 1}, -1.4, -1.4, NULL}};
  x.t.outputs = (oc_outputs){.y = asked_map(&outputs, x.m, 1, &end), .nlimits = 2, .limits = limit};
  assert_true(does_own_guess_fall(&x.t, &x));

  // the line: a goal of a coordinate, a limit that the fall violates, forces that cannot be 0, or cost nothing
  const double goal[] = {NAN, 0.3}, slow[] = {0.1, INFINITY}, narrow[] = {0.9, -9},
               push[] = {0.1, -9};
  oc_task other[5] = {x.t, x.t, x.t, x.t, x.t};
  other[0].goal.q = goal;
  other[1].bounds[OC_V].high = slow;
  other[2].bounds[OC_Q].low = narrow;
  other[3].bounds[OC_U].low = push;
  other[4].cost[OC_U].running = NULL;
  for (int i = 0; i < 5; i++)
    if (does_own_guess_fall(&other[i], &x)) fail_msg("task %d begins by a fall", i);
  dm_outputs_free(outputs);
  tasks_free(&x);
}

// the largest number of a coordinate of all knots, of q or v
static double find_largest(const dm_trajectory *x, const double *of, int i) {
  double most = 0;
  for (int k = 0; k <= x->N; k++) most = fmax(most, fabs(of[k * x->n + i]));
  return most;
}

// Limits of position and speed count: a cart goes to its place with its pole nearly as upright, and as slowly,
// as it is to.
static void limits_count(void **state) {
  (void)state;
  tasks_task x = make_reachable(0);
  tasks_fill(x.pool + 2 * 2, 4, NAN);
  x.pool[2 * 2] = 0.5;
  dm_trajectory *wide = find_nearest(&x, 1);
  const double angle = 0.6 * find_largest(wide, wide->q, 1),
               speed = 0.8 * find_largest(wide, wide->v, 0);
  const double q_min[] = {-INFINITY, -angle}, q_max[] = {INFINITY, angle},
               v_max[] = {speed, INFINITY};
  x.t.bounds[OC_Q].low = q_min;
  x.t.bounds[OC_Q].high = q_max;
  x.t.bounds[OC_V].high = v_max;
  dm_trajectory *narrow = find_nearest(&x, 1);
  assert_close(narrow->q[STEPS * 2], 0.5, 0.02);
  assert_true(find_largest(narrow, narrow->q, 1) < 1.05 * angle);
  assert_true(find_largest(narrow, narrow->v, 0) < 1.05 * speed);
  dm_trajectory_free(wide), dm_trajectory_free(narrow);
  tasks_free(&x);
}

typedef struct patience {
  int left;
} patience;

static bool is_out(void *user) {
  return ((patience *)user)->left-- <= 0;
}

// Who wishes the end has the best one so far: of no rollout the line, and the later the nearer.
static void it_ends_at_a_wish(void **state) {
  (void)state;
  tasks_task x = make_reachable(0);
  dm_trajectory *line = room_for(&x), *y = room_for(&x);
  assert_int_equal(oc_guess_line(&x.t, line), DM_OK);
  double last = INFINITY;
  for (int asks = 0; asks < 400; asks += 130) {
    patience p = {asks};
    oc_deadline d = {.until = INFINITY, .stop = is_out, .user = &p};
    assert_int_equal(oc_nearest_rollout(&x.t, 0, 1, &d, y), DM_OK);
    assert_int_equal(p.left, -1);
    if (asks == 0) {
      assert_true(is_same(y, line));
      continue;
    }
    assert_true(measure_miss(&x.t, y) <= last);
    last = measure_miss(&x.t, y);
  }
  dm_trajectory_free(line), dm_trajectory_free(y);
  tasks_free(&x);
}

// Where every rollout fails, under forces without end, the line is left.
static void where_none_ends_the_line_is_left(void **state) {
  static const double low[] = {-1e300}, high[] = {1e300};
  (void)state;
  tasks_task x = make_reachable(0);
  dm_trajectory *line = room_for(&x), *y = room_for(&x);
  x.t.bounds[OC_U].low = low;
  x.t.bounds[OC_U].high = high;
  assert_int_equal(oc_guess_line(&x.t, line), DM_OK);
  assert_int_equal(oc_nearest_rollout(&x.t, 0, 1, NULL, y), DM_OK);
  assert_true(is_same(y, line));
  dm_trajectory_free(line), dm_trajectory_free(y);
  tasks_free(&x);
}

// A periodic motion has no goal, of very many steps a rollout takes too long, and without forces all are one.
static void some_tasks_have_none(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(STEPS);
  assert_true(oc_has_nearest_rollout(&x.t));
  x.t.periodic = true;
  assert_false(oc_has_nearest_rollout(&x.t));
  x.t.periodic = false;
  x.t.N = 1000000;
  assert_false(oc_has_nearest_rollout(&x.t));
  x.t.N = STEPS;
  x.t.system.nu = 0;
  assert_false(oc_has_nearest_rollout(&x.t));
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_a_motion_of_the_map),
      cmocka_unit_test(it_ends_near_a_goal_that_can_be_reached),
      cmocka_unit_test(forces_are_drawn_within_their_limits),
      cmocka_unit_test(it_is_a_function_of_its_number),
      cmocka_unit_test(a_free_time_is_found),
      cmocka_unit_test(a_place_counts),
      cmocka_unit_test(a_point_with_a_cost_of_forces_begins_by_a_fall),
      cmocka_unit_test(limits_count),
      cmocka_unit_test(it_ends_at_a_wish),
      cmocka_unit_test(where_none_ends_the_line_is_left),
      cmocka_unit_test(some_tasks_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
