// tests/optim/test_solver.c: a task solved again from other starts to other goals: no iteration from its own
// solution, few from nearby, the optimum of a cold solve, and no memory of the program's size.
#include "optim/solve.h"
#include "optim/solver.h"
#include "tests/support/allocations.h"
#include "tests/support/skips.h"
#include "tests/support/tasks.h"

#include <pthread.h>

static dm_message msg;

// three links with limited torques and speeds, some of which are active
static tasks_task limited_arm(int N) {
  dm_model *m = models_chain(3, 0.4, 0);
  const double torque[] = {5, 6, 4};
  for (int i = 0; i < 3; i++) {
    m->u_min[i] = -torque[i];
    m->u_max[i] = torque[i];
    m->v_max[i] = i == 0 ? 6 : 30;
  }
  tasks_task x = tasks_make(m, N, 1);
  tasks_rest(&x, 0, (double[]){0, 0, 0});
  tasks_rest(&x, 1, (double[]){2, -1, 0.5});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 3, 1);
  return x;
}

static tasks_task two_links(int N) {
  tasks_task x = tasks_make(models_chain(2, 1, 0), N, 1.5);
  tasks_rest(&x, 0, (double[]){0, 0});
  tasks_rest(&x, 1, (double[]){2, -1});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 2, 1);
  return x;
}

// the acrobot, leaning, to upright
static tasks_task leaning_acrobot(int N) {
  tasks_task x = tasks_acrobot(N);
  x.t.time.T = 3;
  tasks_rest(&x, 0, (double[]){TASKS_PI - 0.4, 0.3});
  return x;
}

typedef struct row {
  const char *name;
  tasks_task (*make)(int N);
  int N;
  double by; // a change of an end whose effect is nearly linear
} row;

static const row rows[] = {{"cart-pole", tasks_cart_pole, 100, 2e-3},
                           {"two links", two_links, 100, 2e-3},
                           {"acrobot", leaning_acrobot, 100, 1e-4},
                           {"an arm with limits", limited_arm, 60, 2e-3}};
enum { ROWS = sizeof rows / sizeof *rows };

static oc_solver *open_solver(const tasks_task *x, const oc_setup *set) {
  oc_solver *s;
  if (oc_solver_new(&s, &x->t, set, &msg) != DM_OK) fail_msg("%s", msg.text);
  return s;
}

static void solve_to_end(oc_solver *s, const oc_end *start, const oc_end *goal) {
  const dm_status status = oc_solver_solve(s, start, goal, &msg);
  if (status == DM_UNAVAILABLE) skip_test(NO_IPOPT);
  if (status != DM_OK) fail_msg("%s", status < 0 ? msg.text : oc_solver_info(s)->detail);
}

// the start of a task with `by` added to coordinate i
static const double *moved_start(const tasks_task *x, int i, double by) {
  static double q[8];
  memcpy(q, x->t.start.q, (size_t)x->m->nq * sizeof *q);
  q[i] += by;
  return q;
}

static void its_own_solution_takes_no_iteration(void **state) {
  (void)state;
  for (int r = 0; r < ROWS; r++) {
    tasks_task x = rows[r].make(rows[r].N);
    oc_solver *s = open_solver(&x, NULL);
    solve_to_end(s, NULL, NULL);
    const oc_solve_info cold = *oc_solver_info(s);
    assert_true(cold.iterations > 3 && !cold.warm);
    for (int k = 0; k < 3; k++) {
      solve_to_end(s, NULL, NULL);
      const oc_solve_info *warm = oc_solver_info(s);
      if (!warm->warm || warm->iterations)
        fail_msg("%s: %d iterations", rows[r].name, warm->iterations);
      assert_close(warm->objective, cold.objective, 1e-9 * cold.objective);
    }
    oc_solver_free(s);
    tasks_free(&x);
  }
}

// without iteration the only factorization is that of the check, on fine grids also, whose rows are nearly dependent
static void a_minimum_is_checked_by_one_factorization(void **state) {
  (void)state;
  static const int steps[] = {50, 500, 5000};
  for (int i = 0; i < 3; i++) {
    tasks_task x = tasks_cart_pole(steps[i]);
    oc_solver *s = open_solver(&x, NULL);
    solve_to_end(s, NULL, NULL);
    solve_to_end(s, NULL, NULL);
    const oc_solve_info *info = oc_solver_info(s);
    assert_int_equal(info->inertia.kind, OC_INERTIA_MINIMUM);
    if (info->factorizations != 1)
      fail_msg("%d steps: %d factorizations", steps[i], info->factorizations);
    oc_solver_free(s);
    tasks_free(&x);
  }
}

// the arm's limits are active, so that they matter below
static void the_limits_of_the_arm_are_active(void **state) {
  (void)state;
  tasks_task x = limited_arm(60);
  oc_solver *s = open_solver(&x, NULL);
  solve_to_end(s, NULL, NULL);
  const dm_trajectory *y = oc_solver_motion(s);
  int torques = 0, speeds = 0;
  for (int k = 0; k < 60; k++) {
    for (int i = 0; i < 3; i++) torques += fabs(y->u[3 * k + i]) > x.m->u_max[i] - 1e-6;
    speeds += fabs(y->q[3 * k + 3] - y->q[3 * k]) > x.m->v_max[0] * y->h - 1e-8;
  }
  if (torques <= 3 || speeds <= 3)
    fail_msg("%d torques, %d speeds at their limits", torques, speeds);
  oc_solver_free(s);
  tasks_free(&x);
}

// from a start 0.01 off, each coordinate in turn, and the optimum is that of a cold solve
static void a_start_nearby_takes_four_iterations(void **state) {
  (void)state;
  for (int r = 0; r < ROWS; r++) {
    tasks_task x = rows[r].make(rows[r].N);
    for (int i = 0; i < x.m->nq; i++) {
      oc_solver *s = open_solver(&x, NULL);
      solve_to_end(s, NULL, NULL);
      const oc_end start = {.q = moved_start(&x, i, 0.01)};
      oc_setup set = oc_setup_default();
      solve_to_end(s, &start, NULL);
      const oc_solve_info warm = *oc_solver_info(s);
      if (!warm.warm || warm.iterations > 4)
        fail_msg("%s, coordinate %d: %d iterations", rows[r].name, i, warm.iterations);

      // a cold solve of the same task, from the motion
      oc_task task = x.t;
      dm_trajectory *cold;
      oc_solve_info info;
      task.start.q = start.q;
      set.guess = oc_solver_motion(s);
      assert_int_equal(oc_solve(&task, &set, &cold, &info, &msg), DM_OK);
      assert_close(warm.objective, info.objective, 1e-8 * info.objective);
      for (int k = 0; k < x.t.N * x.m->nu; k++)
        assert_close(oc_solver_motion(s)->u[k], cold->u[k], 1e-7);
      dm_trajectory_free(cold);
      oc_solver_free(s);
    }
    tasks_free(&x);
  }
}

// ends may move far: the motion is that of the ends, whatever it takes
static void ends_far_away_are_reached(void **state) {
  (void)state;
  tasks_task x = two_links(60);
  oc_solver *s = open_solver(&x, NULL);
  const double start_q[] = {0.6, -0.4}, start_v[] = {0.5, 0}, goal_q[] = {-1.5, 0.7};
  const oc_end start = {start_q, start_v}, goal = {.q = goal_q};
  solve_to_end(s, NULL, NULL);
  solve_to_end(s, &start, &goal);
  const dm_trajectory *y = oc_solver_motion(s);
  for (int i = 0; i < 2; i++) {
    assert_close(y->q[i], start_q[i], 1e-14);
    assert_close(y->v[i], start_v[i], 1e-8);
    assert_close(y->q[2 * x.t.N + i], goal_q[i], 1e-14);
    assert_close(y->v[2 * x.t.N + i], 0, 1e-8);
  }
  oc_solver_free(s);
  tasks_free(&x);
}

// what an end may be: the numbers that the task gives, finite and within its bounds
static void a_wrong_end_is_refused_and_nothing_changes(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(40);
  ((double *)x.t.goal.v)[0] = NAN;
  oc_solver *s = open_solver(&x, NULL);
  solve_to_end(s, NULL, NULL);
  const double objective = oc_solver_info(s)->objective;
  const double nan[] = {NAN, 0}, outside[] = {-3, 0}, given[] = {0, 0};
  const struct {
    oc_end start, goal;
    const char *says;
  } wrong[] = {{{nan, NULL}, {NULL, NULL}, "start position of"},
               {{outside, NULL}, {NULL, NULL}, "-3"},
               {{NULL, NULL}, {NULL, given}, "expected NAN"}};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(oc_solver_solve(s, &wrong[i].start, &wrong[i].goal, &msg), DM_BAD_INPUT);
    assert_non_null(strstr(msg.text, wrong[i].says));
  }
  solve_to_end(s, NULL, NULL);
  assert_int_equal(oc_solver_info(s)->iterations, 0);
  assert_close(oc_solver_info(s)->objective, objective, 1e-9 * objective);
  oc_solver_free(s);
  tasks_free(&x);
}

// memory is kept: the number of allocations of a warm solve depends neither on the horizon nor on iterations
static int count_allocations(int N, double off) {
  tasks_task x = tasks_cart_pole(N);
  oc_solver *s = open_solver(&x, NULL);
  solve_to_end(s, NULL, NULL);
  solve_to_end(s, NULL, NULL);
  const oc_end start = {.q = moved_start(&x, 0, off)};
  const int before = allocations;
  solve_to_end(s, &start, NULL);
  const int count = allocations - before;
  oc_solver_free(s);
  tasks_free(&x);
  return count;
}

static void memory_is_kept(void **state) {
  (void)state;
  assert_int_equal(count_allocations(50, 0), 0);
  assert_int_equal(count_allocations(50, 0.01), 0);
  assert_int_equal(count_allocations(200, 0.01), 0);
}

// the caller sees every iterate, and may stop
static bool count_iterates(void *user, const oc_iterate *it) {
  int *left = user;
  (void)it;
  return (*left)-- > 0;
}

static void iterations_are_reported_and_stopped(void **state) {
  (void)state;
  tasks_task x = tasks_cart_pole(50);
  int left = 1000;
  oc_setup set = oc_setup_default();
  set.hooks = (oc_hooks){.watch = count_iterates, .user = &left};
  oc_solver *s = open_solver(&x, &set);
  solve_to_end(s, NULL, NULL);
  assert_int_equal(1000 - left, oc_solver_info(s)->iterations + 1);
  const oc_end start = {.q = moved_start(&x, 1, 0.01)};
  left = 1;
  assert_int_equal(oc_solver_solve(s, &start, NULL, &msg), DM_INTERRUPTED);
  left = 1000;
  solve_to_end(s, NULL, NULL);
  assert_true(oc_solver_info(s)->iterations <= 4);
  oc_solver_free(s);
  tasks_free(&x);
}

// one solver per thread: the numbers are those of one thread alone, bit for bit
typedef struct worker {
  tasks_task x;
  oc_solver *s;
  double *u;
} worker;

static void *work(void *self) {
  worker *w = self;
  const int n = w->x.t.N;
  for (int k = 0; k < 10; k++) {
    const double q[] = {0.01 * k, 0};
    const oc_end start = {.q = q};
    if (oc_solver_solve(w->s, &start, NULL, NULL) != DM_OK) return NULL;
    memcpy(w->u + k * n, oc_solver_motion(w->s)->u, (size_t)n * sizeof *w->u);
  }
  return w;
}

static void threads_have_solvers_of_their_own(void **state) {
  (void)state;
  worker w[3];
  pthread_t thread[2];
  for (int i = 0; i < 3; i++) {
    w[i].x = tasks_cart_pole(40);
    w[i].s = open_solver(&w[i].x, NULL);
    w[i].u = calloc(10 * 40, sizeof *w[i].u);
  }
  assert_non_null(work(&w[0]));
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, work, &w[1 + i]), 0);
  for (int i = 0; i < 2; i++) {
    void *done;
    pthread_join(thread[i], &done);
    assert_non_null(done);
    assert_memory_equal(w[1 + i].u, w[0].u, 10 * 40 * sizeof *w->u);
  }
  for (int i = 0; i < 3; i++) {
    free(w[i].u);
    oc_solver_free(w[i].s);
    tasks_free(&w[i].x);
  }
}

// -- sensitivities

typedef struct slopes {
  oc_sensitivity d;
  double *numbers;
} slopes;

static slopes differentiate(oc_solver *s, const tasks_task *x) {
  const size_t n = (size_t)x->m->nq, nu = (size_t)x->m->nu, N = (size_t)x->t.N;
  slopes w = {.numbers = calloc(4 * n * ((N + 1) * n + N * nu + 2), sizeof(double))};
  w.d.q = w.numbers;
  w.d.u = w.d.q + 4 * n * (N + 1) * n;
  w.d.h = w.d.u + 4 * n * N * nu;
  w.d.objective = w.d.h + 4 * n;
  if (oc_solver_differentiate(s, &w.d, &msg) != DM_OK) fail_msg("%s", msg.text);
  return w;
}

// the largest remainder of a solution at ends moved by `by` in entry i, to first order: of q and u, relative, and of
// the objective
static void find_remainder(oc_solver *s, const tasks_task *x, int i, double by, const slopes *w,
                           const dm_trajectory *y, double objective, double *left) {
  const int n = x->m->nq, nu = x->m->nu, N = x->t.N;
  double end[4][8];
  const double *from[] = {x->t.start.q, x->t.start.v, x->t.goal.q, x->t.goal.v};
  for (int e = 0; e < 4; e++) memcpy(end[e], from[e], (size_t)n * sizeof(double));
  end[i / n][i % n] += by;
  const oc_end start = {end[0], end[1]}, goal = {end[2], end[3]};
  solve_to_end(s, &start, &goal);
  const dm_trajectory *z = oc_solver_motion(s);
  left[0] = left[1] = 0;
  for (int k = 0; k < (N + 1) * n; k++)
    left[0] = fmax(left[0], fabs(z->q[k] - y->q[k] - by * w->d.q[i * (N + 1) * n + k]));
  for (int k = 0; k < N * nu; k++)
    left[1] = fmax(left[1], fabs(z->u[k] - y->u[k] - by * w->d.u[i * N * nu + k]));
  left[2] = fabs(oc_solver_info(s)->objective - objective - by * w->d.objective[i]);
}

// solutions at moved ends differ from the derivative's by the square of the distance, also with active limits
static void derivatives_are_those_of_solutions(void **state) {
  (void)state;
  for (int r = 0; r < ROWS; r++) {
    tasks_task x = rows[r].make(rows[r].N);
    oc_setup set = oc_setup_default();
    set.options.tol = 1e-11;
    oc_solver *s = open_solver(&x, &set);
    solve_to_end(s, NULL, NULL);
    solve_to_end(s, NULL, NULL);
    const double objective = oc_solver_info(s)->objective;
    dm_trajectory *y;
    assert_int_equal(dm_trajectory_of(&y, x.t.N, &x.t.system), DM_OK);
    dm_trajectory_copy(y, oc_solver_motion(s));
    slopes w = differentiate(s, &x);
    for (int i = 0; i < 4 * x.m->nq; i++) {
      const double by = rows[r].by;
      double coarse[3], fine[3];
      find_remainder(s, &x, i, by, &w, y, objective, coarse);
      find_remainder(s, &x, i, by / 4, &w, y, objective, fine);
      for (int j = 0; j < 3; j++) {
        const double order = log(coarse[j] / fine[j]) / log(4);
        if (fabs(order - 2) > 0.15)
          fail_msg("%s, entry %d: the remainders %g and %g are of order %g", rows[r].name, i,
                   coarse[j], fine[j], order);
      }
    }
    dm_trajectory_free(y);
    free(w.numbers);
    oc_solver_free(s);
    tasks_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(its_own_solution_takes_no_iteration),
      cmocka_unit_test(a_minimum_is_checked_by_one_factorization),
      cmocka_unit_test(the_limits_of_the_arm_are_active),
      cmocka_unit_test(a_start_nearby_takes_four_iterations),
      cmocka_unit_test(ends_far_away_are_reached),
      cmocka_unit_test(a_wrong_end_is_refused_and_nothing_changes),
      cmocka_unit_test(memory_is_kept),
      cmocka_unit_test(iterations_are_reported_and_stopped),
      cmocka_unit_test(threads_have_solvers_of_their_own),
      cmocka_unit_test(derivatives_are_those_of_solutions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
