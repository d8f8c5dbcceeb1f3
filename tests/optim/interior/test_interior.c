// The stage solver on small programs whose answers are known.
#include "optim/interior/hand_over.h"
#include "optim/interior/interior.h"
#include "optim/nlp/best_point.h"
#include "tests/support/allocations.h"
#include "tests/support/tasks.h"

#include <limits.h>
#include <pthread.h>

enum { MOST = 4 };

// a dense program of a few variables: f, g with their derivatives by hand
typedef struct small {
  const char *name;
  int n, m;
  double start[MOST], x_min[MOST], x_max[MOST], g_min[MOST], g_max[MOST];
  double (*f)(const double *x, double *grad, double hess[MOST][MOST]);
  // row i: its value, gradient, Hessian
  double (*g)(int i, const double *x, double *grad, double hess[MOST][MOST]);
  dm_status status;
  double objective;
} small;

static dm_status small_f(void *self, const double *x, double *f) {
  double grad[MOST], hess[MOST][MOST];
  *f = ((small *)self)->f(x, grad, hess);
  return DM_OK;
}

static dm_status small_grad(void *self, const double *x, double *grad) {
  double hess[MOST][MOST];
  ((small *)self)->f(x, grad, hess);
  return DM_OK;
}

static dm_status small_g(void *self, const double *x, double *g) {
  const small *p = self;
  double grad[MOST], hess[MOST][MOST];
  for (int i = 0; i < p->m; i++) g[i] = p->g(i, x, grad, hess);
  return DM_OK;
}

static dm_status small_jac(void *self, const double *x, oc_triplets *s) {
  const small *p = self;
  double grad[MOST] = {0}, hess[MOST][MOST];
  for (int i = 0; i < p->m; i++) {
    if (x) p->g(i, x, grad, hess);
    for (int j = 0; j < p->n; j++) oc_put(s, i, j, grad[j]);
  }
  return DM_OK;
}

static dm_status small_hess(void *self, const double *x, double sigma, const double *lambda,
                            oc_triplets *s) {
  const small *p = self;
  double grad[MOST], sum[MOST][MOST] = {{0}}, hess[MOST][MOST] = {{0}};
  for (int i = -1; x && i < p->m; i++) {
    memset(hess, 0, sizeof hess);
    if (i < 0)
      p->f(x, grad, hess);
    else
      p->g(i, x, grad, hess);
    double by = i < 0 ? sigma : lambda[i];
    for (int j = 0; j < p->n; j++)
      for (int k = 0; k < p->n; k++) sum[j][k] += by * hess[j][k];
  }
  for (int j = 0; j < p->n; j++)
    for (int k = 0; k <= j; k++) oc_put(s, j, k, sum[j][k]);
  return DM_OK;
}

static oc_nlp program_of(small *p) {
  return (oc_nlp){.n = p->n,
                  .m = p->m,
                  .jac_nnz = p->n * p->m,
                  .hess_nnz = p->n * (p->n + 1) / 2,
                  .x_min = p->x_min,
                  .x_max = p->x_max,
                  .g_min = p->g_min,
                  .g_max = p->g_max,
                  .self = p,
                  .f = small_f,
                  .grad = small_grad,
                  .g = small_g,
                  .jac = small_jac,
                  .hess = small_hess};
}

// -- the programs

static double rosenbrock(const double *x, double *grad, double hess[MOST][MOST]) {
  double a = x[1] - x[0] * x[0], b = 1 - x[0];
  grad[0] = -400 * x[0] * a - 2 * b;
  grad[1] = 200 * a;
  hess[0][0] = 1200 * x[0] * x[0] - 400 * x[1] + 2;
  hess[0][1] = hess[1][0] = -400 * x[0];
  hess[1][1] = 200;
  return 100 * a * a + b * b;
}

static double no_row(int i, const double *x, double *grad, double hess[MOST][MOST]) {
  (void)i;
  (void)x;
  (void)grad;
  (void)hess;
  return 0;
}

// Hock and Schittkowski 71: x0 x3 (x0 + x1 + x2) + x2, product >= 25, sum of squares = 40
static double hs71_f(const double *x, double *grad, double hess[MOST][MOST]) {
  double sum = x[0] + x[1] + x[2];
  memset(hess, 0, MOST * MOST * sizeof(double));
  grad[0] = x[3] * (sum + x[0]);
  grad[1] = x[0] * x[3];
  grad[2] = x[0] * x[3] + 1;
  grad[3] = x[0] * sum;
  hess[0][0] = 2 * x[3];
  hess[0][1] = hess[1][0] = hess[0][2] = hess[2][0] = x[3];
  hess[0][3] = hess[3][0] = sum + x[0];
  hess[1][3] = hess[3][1] = hess[2][3] = hess[3][2] = x[0];
  return x[0] * x[3] * sum + x[2];
}

static double hs71_g(int i, const double *x, double *grad, double hess[MOST][MOST]) {
  double product = x[0] * x[1] * x[2] * x[3], squares = 0;
  memset(hess, 0, MOST * MOST * sizeof(double));
  for (int j = 0; j < 4; j++) {
    squares += x[j] * x[j];
    grad[j] = i ? 2 * x[j] : product / x[j];
    if (i) hess[j][j] = 2;
    for (int k = 0; k < 4 && !i; k++)
      if (k != j) hess[j][k] = product / (x[j] * x[k]);
  }
  return i ? squares : product;
}

// Maratos: 2 (x^2 + y^2 - 1) - x on the unit circle; full steps raise both f and |c|
static double maratos_f(const double *x, double *grad, double hess[MOST][MOST]) {
  grad[0] = 4 * x[0] - 1;
  grad[1] = 4 * x[1];
  hess[0][0] = hess[1][1] = 4;
  hess[0][1] = hess[1][0] = 0;
  return 2 * (x[0] * x[0] + x[1] * x[1] - 1) - x[0];
}

// rows: the circle, then the same once more (dependent)
static double circle_g(int i, const double *x, double *grad, double hess[MOST][MOST]) {
  double by = i ? 2 : 1;
  grad[0] = 2 * by * x[0];
  grad[1] = 2 * by * x[1];
  hess[0][0] = hess[1][1] = 2 * by;
  hess[0][1] = hess[1][0] = 0;
  return by * (x[0] * x[0] + x[1] * x[1]);
}

// x0 with x0^2 - x1 = 1, x0 - x2 = 1/2, x1, x2 >= 0: at x0 = -1 the violation has a local minimum
static double first_f(const double *x, double *grad, double hess[MOST][MOST]) {
  (void)hess;
  grad[0] = 1;
  grad[1] = grad[2] = 0;
  return x[0];
}

static double cusp_g(int i, const double *x, double *grad, double hess[MOST][MOST]) {
  grad[0] = i ? 1 : 2 * x[0];
  grad[1] = i ? 0 : -1;
  grad[2] = i ? -1 : 0;
  hess[0][0] = i ? 0 : 2;
  return i ? x[0] - x[2] : x[0] * x[0] - x[1];
}

#define FREE                                                                                       \
  { -INFINITY, -INFINITY, -INFINITY, -INFINITY }
#define ANY                                                                                        \
  { INFINITY, INFINITY, INFINITY, INFINITY }

static small programs[] = {
    {"Rosenbrock", 2, 0, {-1.2, 1}, FREE, ANY, {0}, {0}, rosenbrock, no_row, DM_OK, 0},
    {"Rosenbrock, x <= 1/2",
     2,
     0,
     {-1.2, 1},
     FREE,
     {0.5, INFINITY},
     {0},
     {0},
     rosenbrock,
     no_row,
     DM_OK,
     0.25},
    {"Rosenbrock, x = -1",
     2,
     0,
     {0, 1},
     {-1, -INFINITY},
     {-1, INFINITY},
     {0},
     {0},
     rosenbrock,
     no_row,
     DM_OK,
     4},
    {"HS 71",
     4,
     2,
     {1, 5, 5, 1},
     {1, 1, 1, 1},
     {5, 5, 5, 5},
     {25, 40},
     {INFINITY, 40},
     hs71_f,
     hs71_g,
     DM_OK,
     17.0140172891563},
    {"Maratos", 2, 1, {0.8, 0.6}, FREE, ANY, {1}, {1}, maratos_f, circle_g, DM_OK, -1},
    {"dependent rows", 2, 2, {0.8, 0.6}, FREE, ANY, {1, 2}, {1, 2}, maratos_f, circle_g, DM_OK, -1},
    {"rows without bounds",
     2,
     2,
     {0.8, 0.6},
     FREE,
     ANY,
     {1, -INFINITY},
     {1, INFINITY},
     maratos_f,
     circle_g,
     DM_OK,
     -1},
    {"contradiction",
     2,
     2,
     {0.8, 0.6},
     FREE,
     ANY,
     {1, 3},
     {1, 3},
     maratos_f,
     circle_g,
     DM_INFEASIBLE,
     NAN},
    {"out of reach",
     2,
     1,
     {0.1, 0.1},
     {-1, -1},
     {1, 1},
     {9},
     {INFINITY},
     maratos_f,
     circle_g,
     DM_INFEASIBLE,
     NAN},
    {"a minimum of the violation",
     3,
     2,
     {-2, 3, 1},
     {-INFINITY, 0, 0},
     ANY,
     {1, 0.5},
     {1, 0.5},
     first_f,
     cusp_g,
     DM_INFEASIBLE,
     NAN},
    {"the same from the other side",
     3,
     2,
     {2, 3, 1},
     {-INFINITY, 0, 0},
     ANY,
     {1, 0.5},
     {1, 0.5},
     first_f,
     cusp_g,
     DM_OK,
     1},
};

typedef dm_status small_solver(const oc_nlp *nlp, const oc_options *options, const oc_hooks *hooks,
                               oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info);

// by oc_interior_solve or another one that is called as it is
static oc_ipopt_info solve_small_by(small_solver *solve, small *p, double *numbers) {
  oc_nlp nlp = program_of(p);
  oc_options set = oc_options_default();
  oc_ipopt_info info;
  memset(numbers, 0, 4 * MOST * sizeof *numbers);
  memcpy(numbers, p->start, sizeof p->start);
  oc_point at = {numbers, numbers + MOST, numbers + 2 * MOST, numbers + 3 * MOST};
  solve(&nlp, &set, NULL, &at, NULL, 0, &info);
  return info;
}

static oc_ipopt_info solve_small(small *p, double *numbers) {
  return solve_small_by(oc_interior_solve, p, numbers);
}

static void known_programs_have_their_answers(void **state) {
  (void)state;
  for (int i = 0; i < COUNT(programs); i++) {
    double numbers[4 * MOST];
    oc_ipopt_info info = solve_small(programs + i, numbers);
    if (info.status != programs[i].status)
      fail_msg("%s: %s after %d", programs[i].name, dm_status_text(info.status), info.iterations);
    if (isnan(programs[i].objective)) {
      assert_true(info.max_violation > 0.1);
      assert_in_range(info.worst_row, 0, programs[i].m - 1);
    } else if (fabs(info.objective - programs[i].objective) > 1e-8) {
      fail_msg("%s: %.12g", programs[i].name, info.objective);
    }
  }
}

// the second-order correction takes full steps where the Maratos effect would halve them
static void corrections_keep_convergence_fast(void **state) {
  (void)state;
  double numbers[4 * MOST];
  oc_ipopt_info info = solve_small(programs + 4, numbers);
  assert_int_equal(info.status, DM_OK);
  assert_in_range(info.iterations, 1, 10);
}

static void multipliers_are_those_of_the_program(void **state) {
  (void)state;
  // Rosenbrock at the bound x = 1/2, y = x^2: z_u = -f_x = 2 (1 - x)
  double numbers[4 * MOST];
  solve_small(programs + 1, numbers);
  assert_true(fabs(numbers[3 * MOST] - 1) < 1e-6);
  assert_true(numbers[0] <= 0.5 && numbers[0] > 0.5 - 1e-8);
  // on the circle at (1, 0): 3 + 2 lambda = 0
  solve_small(programs + 4, numbers);
  assert_true(fabs(numbers[MOST] + 1.5) < 1e-7);
}

// -- with IPOPT behind it

// Rosenbrock's function, which is not a number where it is evaluated for the first time
static bool is_evaluated;

static double begins_badly(const double *x, double *grad, double hess[MOST][MOST]) {
  double f = rosenbrock(x, grad, hess);
  if (is_evaluated) return f;
  is_evaluated = true;
  grad[0] = NAN;
  return NAN;
}

static void what_is_solved_is_not_handed_over(void **state) {
  (void)state;
  double numbers[4 * MOST];
  for (int i = 0; i < COUNT(programs); i++) {
    if (programs[i].status != DM_OK) continue;
    oc_ipopt_info info = solve_small_by(oc_hand_over_solve, programs + i, numbers);
    assert_int_equal(info.status, DM_OK);
    assert_string_equal(info.stage, "");
    assert_string_equal(info.solver, "stages");
  }
}

static void ipopt_goes_on_where_the_stage_solver_fails(void **state) {
  (void)state;
  double numbers[4 * MOST];
  small p = programs[0];
  p.f = begins_badly;
  is_evaluated = false;
  oc_ipopt_info info = solve_small_by(oc_hand_over_solve, &p, numbers);
  if (!oc_ipopt_is_built()) {
    assert_int_equal(info.status, DM_NOT_FINITE);
    assert_string_equal(info.stage, "");
    return;
  }
  assert_int_equal(info.status, DM_OK);
  assert_string_equal(info.stage, "Invalid_Number_Detected");
  assert_string_equal(info.solver, "mumps");
  assert_true(fabs(numbers[0] - 1) < 1e-6 && fabs(numbers[1] - 1) < 1e-6);
}

// what both call infeasible is the better one of their points
static void what_neither_solves_is_told_by_both(void **state) {
  (void)state;
  double numbers[4 * MOST];
  for (int i = 0; i < COUNT(programs); i++) {
    if (programs[i].status != DM_INFEASIBLE) continue;
    oc_ipopt_info alone = solve_small(programs + i, numbers);
    oc_ipopt_info info = solve_small_by(oc_hand_over_solve, programs + i, numbers);
    assert_int_equal(info.status, DM_INFEASIBLE);
    assert_string_equal(info.stage, oc_ipopt_is_built() ? "Infeasible_Problem_Detected" : "");
    assert_true(info.max_violation <= alone.max_violation);
    assert_in_range(info.worst_row, 0, programs[i].m - 1);
  }
}

// -- tasks

typedef struct task_solve {
  tasks_task task;
  oc_transcription *t;
  oc_point at;
  oc_ipopt_info info;
  long first, last; // allocations so far at the first iterate, and at the last
  double shift;     // the largest of the Hessian
} task_solve;

static bool watch_iterate(void *user, const oc_iterate *it) {
  task_solve *s = user;
  if (it->iteration == 0) s->first = allocations;
  s->last = allocations;
  s->shift = fmax(s->shift, it->regularization);
  return true;
}

static task_solve begin_task(tasks_task task) {
  task_solve s = {.task = task};
  assert_int_equal(oc_transcription_new(&s.t, &task.t, NULL), DM_OK);
  const oc_nlp *p = oc_transcription_nlp(s.t);
  size_t n = (size_t)p->n;
  s.at.x = calloc(3 * n + (size_t)p->m, sizeof(double));
  s.at.z_l = s.at.x + n;
  s.at.z_u = s.at.z_l + n;
  s.at.lambda = s.at.z_u + n;
  return s;
}

static void end_task(task_solve *s) {
  free(s->at.x);
  oc_transcription_free(s->t);
  tasks_free(&s->task);
}

static void *run_task(void *self) {
  task_solve *s = self;
  oc_options set = oc_options_default();
  const oc_hooks hooks = {.watch = watch_iterate, .user = s};
  tasks_line(s->t, &s->task, s->at.x);
  oc_interior_solve(oc_transcription_nlp(s->t), &set, &hooks, &s->at, NULL, 0, &s->info);
  return NULL;
}

// -- shapes that are hard to come to

// n links of 1 kg and 1 m, each joint driven, from hanging at rest to 1 rad at each joint in 2 s
static tasks_task chain_to_curl(int n) {
  double start[8] = {0}, goal[8];
  assert_true(n <= 8);
  for (int i = 0; i < n; i++) goal[i] = 1;
  tasks_task x = tasks_make(models_chain(n, 1, 0), 100, 2);
  tasks_rest(&x, 0, start);
  tasks_rest(&x, 1, goal);
  x.t.cost[OC_U].running = tasks_weight(&x, 0, n, 1);
  return x;
}

// A shift of inputs feeds the multipliers that ask for it: seven links came to 1e14, and to no end.
static void heavy_chains_are_solved_from_the_line(void **state) {
  (void)state;
  for (int n = 3; n <= 7; n += 2) {
    task_solve s = begin_task(chain_to_curl(n));
    run_task(&s);
    if (s.info.status != DM_OK) fail_msg("%d links: %s", n, s.info.detail);
    assert_true(s.info.max_violation <= 1e-9);
    assert_in_range(s.info.iterations, 1, 400);
    if (s.shift > 1e8) fail_msg("%d links: a shift of %g", n, s.shift);
    end_task(&s);
  }
}

// Where the shift has grown so far that stages find no pivots, the solve begins anew: eight links, from
// hanging to standing, were factored by ldl five times.
static void a_shift_beyond_the_stages_begins_anew(void **state) {
  enum { LINKS = 8 };
  const double start[LINKS] = {0}, goal[LINKS] = {acos(-1)};
  (void)state;
  tasks_task x = tasks_make(models_chain(LINKS, 1, 0), 50, 2);
  tasks_rest(&x, 0, start);
  tasks_rest(&x, 1, goal);
  x.t.cost[OC_U].running = tasks_weight(&x, 0, LINKS, 1);
  task_solve s = begin_task(x);
  run_task(&s);
  if (s.info.status != DM_OK) fail_msg("%s", s.info.detail);
  assert_true(s.info.max_violation <= 1e-9);
  assert_in_range(s.info.by_ldl, 1, 3);
  end_task(&s);
}

static void iterations_do_not_allocate(void **state) {
  (void)state;
  task_solve s = begin_task(tasks_cart_pole(100));
  run_task(&s);
  assert_int_equal(s.info.status, DM_OK);
  assert_true(s.last == s.first && s.first > 0);
  end_task(&s);
}

// each allocation of a solve failing in turn: it says so, and leaves its point alone
static void failed_allocations_are_told(void **state) {
  (void)state;
  // a program without knots, which ldl orders
  double numbers[4 * MOST];
  int k = 0;
  for (oc_ipopt_info info = {.status = DM_NO_MEMORY}; info.status != DM_OK;) {
    failing_allocation = ++k;
    info = solve_small(programs + 1, numbers);
    if (info.status == DM_OK) break;
    assert_int_equal(info.status, DM_NO_MEMORY);
    assert_memory_equal(numbers, programs[1].start, sizeof programs[1].start);
  }
  assert_true(k > 4);

  // and one of stages
  failing_allocation = 0;
  task_solve s = begin_task(tasks_cart_pole(20));
  const oc_options set = oc_options_default();
  tasks_line(s.t, &s.task, s.at.x);
  s.info.status = DM_NO_MEMORY;
  for (k = 0; s.info.status != DM_OK;) {
    failing_allocation = ++k;
    dm_status status =
        oc_interior_solve(oc_transcription_nlp(s.t), &set, NULL, &s.at, NULL, 0, &s.info);
    assert_true(status == DM_OK || status == DM_NO_MEMORY);
  }
  failing_allocation = 0;
  assert_true(k > 3);
  end_task(&s);
}

static bool same_bits(const task_solve *a, const task_solve *b) {
  const oc_nlp *p = oc_transcription_nlp(a->t);
  return !memcmp(a->at.x, b->at.x, (size_t)(3 * p->n + p->m) * sizeof(double));
}

// twice in a row, and in two threads at once: the same bits
static void runs_are_the_same_bit_by_bit(void **state) {
  (void)state;
  task_solve s[3] = {begin_task(tasks_cart_pole(60)), begin_task(tasks_cart_pole(60)),
                     begin_task(tasks_cart_pole(60))};
  pthread_t thread;
  run_task(s);
  assert_int_equal(pthread_create(&thread, NULL, run_task, s + 1), 0);
  run_task(s + 2);
  pthread_join(thread, NULL);
  assert_true(same_bits(s, s + 1) && same_bits(s, s + 2));
  for (int i = 0; i < 3; i++) end_task(s + i);
}

// -- wishes to end

// a solve that is asked to end at the ask of a number, and how many more asks it then needs
typedef struct wish {
  int at, asks;
} wish;

static bool make_wish(void *user) {
  wish *w = user;
  return ++w->asks == w->at;
}

static dm_status solve_with_wish(task_solve *s, wish *w) {
  oc_options set = oc_options_default();
  const oc_hooks hooks = {.stop = make_wish, .user = w};
  w->asks = 0;
  tasks_line(s->t, &s->task, s->at.x);
  return oc_interior_solve(oc_transcription_nlp(s->t), &set, &hooks, &s->at, NULL, 0, &s->info);
}

// what a solve says of its point is so
static void assert_point_is_as_told(const task_solve *s) {
  const oc_nlp *p = oc_transcription_nlp(s->t);
  double f, *g = calloc((size_t)p->m, sizeof *g);
  assert_int_equal(p->f(p->self, s->at.x, &f), DM_OK);
  assert_int_equal(p->g(p->self, s->at.x, g), DM_OK);
  const double violation = oc_row_violation(p, g), bounds = oc_bound_violation(p, s->at.x);
  assert_true(f == s->info.objective);
  assert_true(fmax(violation, bounds) == s->info.max_violation);
  free(g);
}

// Whenever the wish comes, within an evaluation, a factorization, a line search or a restoration, the
// solve ends with the best iterate, and does not ask again; who never wishes changes no bit.
static void a_wish_ends_a_solve_at_once(void **state) {
  enum { SOME = 40 };
  (void)state;
  const struct {
    tasks_task task, same;
  } of[] = {{tasks_cart_pole(700), tasks_cart_pole(700)}, {chain_to_curl(5), chain_to_curl(5)}};
  for (int i = 0; i < 2; i++) {
    task_solve s = begin_task(of[i].task), plain = begin_task(of[i].same);
    wish never = {.at = INT_MAX};
    run_task(&plain);
    assert_int_equal(solve_with_wish(&s, &never), DM_OK);
    assert_true(same_bits(&s, &plain));
    assert_true(never.asks >
                (5 + of[i].task.t.N / 10) * s.info.iterations); // and tells that it works

    for (int k = 0; k < SOME; k++) {
      wish w = {.at = 1 + (int)((long)k * never.asks / SOME)};
      assert_int_equal(solve_with_wish(&s, &w), DM_INTERRUPTED);
      assert_int_equal(w.asks, w.at);
      assert_point_is_as_told(&s);
    }
    end_task(&s);
    end_task(&plain);
  }
}

// time that is over before the solve began is told as that, of a point that was evaluated
static void time_that_is_over_is_told(void **state) {
  (void)state;
  task_solve s = begin_task(tasks_cart_pole(60));
  oc_options set = oc_options_default();
  set.max_time = 0;
  tasks_line(s.t, &s.task, s.at.x);
  assert_int_equal(
      oc_interior_solve(oc_transcription_nlp(s.t), &set, NULL, &s.at, NULL, 0, &s.info),
      DM_MAX_ITER);
  assert_string_equal(s.info.detail, "Maximum_Time_Exceeded");
  assert_point_is_as_told(&s);
  end_task(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_programs_have_their_answers),
      cmocka_unit_test(corrections_keep_convergence_fast),
      cmocka_unit_test(multipliers_are_those_of_the_program),
      cmocka_unit_test(what_is_solved_is_not_handed_over),
      cmocka_unit_test(ipopt_goes_on_where_the_stage_solver_fails),
      cmocka_unit_test(what_neither_solves_is_told_by_both),
      cmocka_unit_test(heavy_chains_are_solved_from_the_line),
      cmocka_unit_test(a_shift_beyond_the_stages_begins_anew),
      cmocka_unit_test(iterations_do_not_allocate),
      cmocka_unit_test(failed_allocations_are_told),
      cmocka_unit_test(runs_are_the_same_bit_by_bit),
      cmocka_unit_test(a_wish_ends_a_solve_at_once),
      cmocka_unit_test(time_that_is_over_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
