// First- and second-order descent: iterations and time to tolerance for several problems and
// numbers of steps; times of a direction by the Riccati sweep and by one sparse system.
#include "optim/descent/descent.h"
#include "benchmarks/figures.h"
#include "problems/readers/task/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[][2] = {
    {"pendulum", "problems/pendulum/paper-001.yaml"},
    {"pendulum-bounded", "problems/pendulum/bounded.yaml"},
    {"cart-pole", "problems/cart-pole/paper-001.yaml"},
    {"acrobot", "problems/acrobot/swing-up.yaml"},
    {"two-link", "problems/two-link/descend.yaml"},
    {"marionette", "problems/marionette/descend.yaml"},
    {"pendubot", "problems/pendubot/swing-up.yaml"},
    {"pendulum-swing-up", "problems/pendulum/swing-up.yaml"},
    {"cart-pole-swing-up", "problems/cart-pole/swing-up.yaml"},
    {"cart-pole-headroom", "problems/cart-pole/headroom.yaml"},
    {"cart-pole-minimum-time", "problems/cart-pole/minimum-time.yaml"},
    {"six-axis-arm", "problems/six-axis-arm/reach.yaml"},
    {"sidestep", "problems/quadrotor/sidestep.yaml"},
    {"flip", "problems/quadrotor/flip.yaml"},
    {"flip-3d", "problems/quadrotor/flip-3d.yaml"},
    {"four-bar", "problems/four-bar/turn.yaml"},
    {"winches", "problems/two-string-load/winches.yaml"},
    {"servo", "problems/two-string-load/servo.yaml"},
    {"satellite", "problems/satellite/reorient.yaml"},
    {"series-elastic", "problems/series-elastic/swing-up.yaml"},
    {"lift", "problems/series-elastic/lift.yaml"},
};
enum { SIZED = 7 }; // number of problems whose directions are timed too
static const int steps[] = {50, 100, 200, 500, 1000, 2000};

static pb_problem *read_problem(const char *file) {
  pb_problem *p;
  dm_message msg;
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, file);
  if (pb_problem_read(&p, path, &msg) == DM_OK) return p;
  fprintf(stderr, "bench: %s\n", msg.text);
  exit(3);
}

// -- whole descents

// the methods, and the paper's variant of the last
static const struct {
  const char *name;
  oc_method method;
  bool paper;
} ways[] = {{"steepest", OC_STEEPEST, false},
            {"quasi", OC_QUASI, false},
            {"newton", OC_NEWTON, false},
            {"paper", OC_PAPER, true}};

// limit of a descent [s]; an unfinished one has a status other than 0
static const double LIMIT = 10;

// resample the guess to the task's grid, at equal fractions of the time
static dm_trajectory *lay_on_grid(const oc_task *task, const dm_trajectory *guess) {
  dm_trajectory *x;
  size_t n = (size_t)guess->n, nu = (size_t)guess->nu, nc = (size_t)guess->nc;
  bench_need(dm_trajectory_of(&x, task->N, &task->system), "memory");
  for (int k = 0; k <= task->N; k++) {
    size_t to = (size_t)k, at = to * (size_t)guess->N / (size_t)task->N;
    memcpy(x->q + to * n, guess->q + at * n, n * sizeof(double));
    if (k == task->N) break;
    memcpy(x->u + to * nu, guess->u + at * nu, nu * sizeof(double));
    if (nc) memcpy(x->lambda + to * nc, guess->lambda + at * nc, nc * sizeof(double));
  }
  x->h = oc_task_step(task);
  return x;
}

// run each method from the guess: status, iterations, time, cost
static void time_descents(const char *name, const pb_problem *p, const oc_task *task,
                          const dm_trajectory *guess) {
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    char label[120];
    snprintf(label, sizeof label, "descent.%s.%s", name, ways[i].name);
    if (!bench_wanted(label)) continue;

    // each method starts from the same guess
    dm_trajectory *x = lay_on_grid(task, guess);
    oc_options set = oc_options_default();
    oc_descent_info info;
    dm_message msg;
    set.descent.method = ways[i].method;
    set.max_time = LIMIT;
    set.max_iter = p->options.max_iter;
    double begun = bench_now();
    dm_status s = oc_descend(task, &set, NULL, x, NULL, 0, &info, &msg);
    double took = bench_now() - begun;
    bench_print(label, s, "status");
    snprintf(label, sizeof label, "descent.%s.%s_iterations", name, ways[i].name);
    bench_print(label, info.iterations, "1");
    snprintf(label, sizeof label, "descent.%s.%s_ms", name, ways[i].name);
    bench_print(label, 1e3 * took, "ms");
    snprintf(label, sizeof label, "descent.%s.%s_cost", name, ways[i].name);
    bench_print(label, info.cost, "1");
    // the fraction of iterations with a step along the requested direction
    snprintf(label, sizeof label, "descent.%s.%s_won", name, ways[i].name);
    int fell = info.fell[OC_QUASI] + info.fell[OC_STEEPEST];
    bench_print(label, info.iterations ? 1 - (double)fell / info.iterations : 1, "1");
    dm_trajectory_free(x);
  }
}

// scale the running weights of a sum for another number of steps
static const double *scale_weights(const double *w, int n, double scale, double **pool) {
  double *to = *pool;
  if (!w) return NULL;
  for (int i = 0; i < n; i++) to[i] = scale * w[i];
  *pool += n;
  return to;
}

// the same task with N steps
static oc_task regrid_task(const oc_task *t, int N, double *pool) {
  oc_task x = *t;
  int n = t->system.L.nq;
  double scale = t->sum ? (double)t->N / N : 1, *ref;
  x.N = N;
  x.cost[OC_Q].running = scale_weights(t->cost[OC_Q].running, n, scale, &pool);
  x.cost[OC_P].running = scale_weights(t->cost[OC_P].running, n, scale, &pool);
  x.cost[OC_U].running =
      scale_weights(t->cost[OC_U].running, dm_system_inputs(&t->system), scale, &pool);

  // references at equal fractions of the time
  ref = pool;
  for (int k = 0; t->cost[OC_Q].reference && k <= N; k++)
    memcpy(ref + k * n, t->cost[OC_Q].reference + k * t->N / N * n, (size_t)n * sizeof *ref);
  x.cost[OC_Q].reference = t->cost[OC_Q].reference ? ref : NULL;
  x.cost[OC_P].reference = x.cost[OC_V].reference = x.cost[OC_U].reference =
      NULL; // zero in these problems
  return x;
}

// memory for the new task, to be freed by free
static double *allocate_regrid(const oc_task *t, int N) {
  size_t n = (size_t)t->system.L.nq, nu = (size_t)dm_system_inputs(&t->system);
  return calloc(2 * n + nu + ((size_t)N + 1) * n, sizeof(double));
}

static void compare_over_problems(void) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    pb_problem *p = read_problem(files[i][1]);
    dm_trajectory *guess;
    bench_need(pb_problem_guess(p, &guess), "a guess");
    time_descents(files[i][0], p, &p->task, guess);
    dm_trajectory_free(guess);
    pb_problem_free(p);
  }
}

static void compare_over_steps(void) {
  for (size_t i = 0; i < 3; i += 2) { // pendulum and cart-pole of paper 001
    pb_problem *p = read_problem(files[i][1]);
    dm_trajectory *guess;
    bench_need(pb_problem_guess(p, &guess), "a guess");
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
      char name[64];
      double *pool = allocate_regrid(&p->task, steps[k]);
      oc_task task = regrid_task(&p->task, steps[k], pool);
      snprintf(name, sizeof name, "%s.N%d", files[i][0], steps[k]);
      time_descents(name, p, &task, guess);
      free(pool);
    }
    dm_trajectory_free(guess);
    pb_problem_free(p);
  }
}

// -- one direction

typedef struct point {
  oc_projection_operator *p;
  oc_merit *merit;
  oc_search_direction *d;
  oc_method method;
  bool cut;
} point;

static dm_status solve_direction(point *x) {
  double slope;
  int failed;
  return oc_search_direction_solve(x->d, x->cut, &slope, &failed);
}

static dm_status make_direction(point *x) {
  dm_status s = oc_projection_operator_gains(x->p, 1);
  if (s == DM_OK) s = oc_search_direction_model(x->d, oc_methods[x->method].model);
  return s == DM_OK ? solve_direction(x) : s;
}

static void time_solution(void *self) {
  solve_direction(self);
}

static void time_making(void *self) {
  make_direction(self);
}

// set the motion about which directions are computed
static void set_motion(oc_projection_operator *p, const dm_trajectory *at) {
  memcpy(p->x->q, at->q, (size_t)((at->N + 1) * at->n) * sizeof(double));
  memcpy(p->x->p, at->p, (size_t)((at->N + 1) * at->n) * sizeof(double));
  memcpy(p->x->u, at->u, (size_t)(at->N * at->nu) * sizeof(double));
  memcpy(p->x->lambda, at->lambda, (size_t)(at->N * at->nc) * sizeof(double));
}

// Time only the solution of the quasi-Newton subproblem, which is convex; and, by the Riccati
// sweep, setup and solution of the Newton subproblem, regularized if it is not convex.
static void time_direction(const char *name, point *x, const char *solver, bool newton) {
  char label[120];
  bench_need(make_direction(x), "a direction");
  snprintf(label, sizeof label, "descent.solve.%s.%s_ms", name, solver);
  bench_print(label, 1e-3 * bench_time_us(time_solution, x), "ms");
  x->method = OC_NEWTON;
  snprintf(label, sizeof label, "descent.direction.%s.%s_ms", name, solver);
  x->cut = make_direction(x) == DM_NOT_DEFINITE;
  if (newton && make_direction(x) == DM_OK)
    bench_print(label, 1e-3 * bench_time_us(time_making, x), "ms");
}

// by the Riccati sweep, and with `both` also by one sparse system
static void time_directions(const char *name, const oc_task *task, const dm_trajectory *at,
                            bool both) {
  static const char *const solvers[] = {"riccati", "cholmod"};
  oc_task free_inputs = *task;
  free_inputs.bounds[OC_U].low = free_inputs.bounds[OC_U].high =
      NULL; // unsupported by the sparse system
  for (int sparse = 0; sparse < 1 + both; sparse++) {
    point x = {.method = OC_QUASI};
    bench_need(oc_projection_operator_new(&x.p, &free_inputs), "memory");
    bench_need(oc_merit_new(&x.merit, x.p), "memory");
    if (oc_search_direction_new(&x.d, x.p, x.merit, sparse) == DM_OK) {
      set_motion(x.p, at);
      time_direction(name, &x, solvers[sparse], !sparse);
    }
    oc_search_direction_free(x.d);
    oc_merit_free(x.merit);
    oc_projection_operator_free(x.p);
  }
}

// a solved motion of the task
static dm_trajectory *solve_task(const oc_task *task, const dm_trajectory *guess) {
  dm_trajectory *x = lay_on_grid(task, guess);
  oc_options set = oc_options_default();
  oc_descent_info info;
  set.max_time = LIMIT;
  bench_need(oc_descend(task, &set, NULL, x, NULL, 0, &info, NULL) >= 0 ? DM_OK : DM_FAULT,
             "a descent");
  return x;
}

// Directions for a file's problem and several numbers of steps. Arms and the marionette use their
// own grid instead of 100 steps, and the marionette with 1000 steps only the sweep.
static void compare_sizes(const char *word, const char *file, bool arm, bool marionette) {
  pb_problem *p = read_problem(file);
  dm_trajectory *guess;
  bench_need(pb_problem_guess(p, &guess), "a guess");
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    bool own = steps[k] == 100 && arm, large = steps[k] == 1000 && marionette;
    char name[64];
    if (arm && !own && !large) continue;
    double *pool = allocate_regrid(&p->task, steps[k]);
    oc_task task = own ? p->task : regrid_task(&p->task, steps[k], pool);
    snprintf(name, sizeof name, "%s.N%d", word, task.N);
    dm_trajectory *x = solve_task(&task, guess);
    time_directions(name, &task, x, !large);
    dm_trajectory_free(x);
    free(pool);
  }
  dm_trajectory_free(guess);
  pb_problem_free(p);
}

static void compare_over_sizes(void) {
  static const char *const kinds[] = {"descent.solve", "descent.direction"};
  if (!bench_wanted(kinds[0]) && !bench_wanted(kinds[1])) return;
  for (size_t i = 0; i < SIZED; i++) {
    if (i == 1 || i == 3 || i == 6) continue; // skip other problems
    compare_sizes(files[i][0], files[i][1], i > 3, i == 5);
  }
}

void bench_descent(void) {
  if (!bench_wanted("descent")) return;
  compare_over_problems();
  compare_over_steps();
  compare_over_sizes();
}
