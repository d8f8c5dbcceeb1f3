// The two linear solvers for IPOPT, ldl and MUMPS, on programs of many widths and lengths:
// processor time, the estimate of `auto`, and its choice.
#include "benchmarks/figures.h"
#include "optim/nlp/ipopt.h"
#include "optim/nlp/linear_solver.h"
#include "optim/program/transcribe.h"
#include "problems/readers/task/problem.h"
#include "tests/support/tasks.h"

#include <time.h>

enum { RUNS = 3, JOINTS = 20 };
enum { ITERATIONS = 12 }; // maximum number per solve; the figures are times per iteration

static void print_figure(const char *name, const char *what, double value, const char *unit) {
  char text[128];
  snprintf(text, sizeof text, "%s.%s", name, what);
  bench_print(text, value, unit);
}

static const char *const solvers[] = {"ldl", "mumps"};

// The minimum processor time over a few runs of each solver, alternately, in s, and their
// iterations.
static void time_solvers(const char *name, oc_transcription *t, const dm_trajectory *guess,
                         double least[2], int iterations[2]) {
  const oc_nlp *nlp = oc_transcription_nlp(t);
  size_t n = (size_t)nlp->n, m = (size_t)nlp->m;
  double *x = calloc(3 * n + m, sizeof *x);
  oc_point point = {.x = x, .z_l = x + n, .z_u = x + 2 * n, .lambda = x + 3 * n};
  bench_need(x ? DM_OK : DM_NO_MEMORY, name);
  oc_options set = oc_options_default();
  oc_ipopt_info info;
  set.max_iter = ITERATIONS;
  for (int r = 0; r < RUNS; r++)
    for (int s = 0; s < 2; s++) {
      oc_transcription_pack(t, guess, x);
      set.linear = solvers[s];
      double begun = bench_now();
      dm_status status = oc_ipopt_solve(nlp, &set, NULL, &point, NULL, 0, &info);
      double took = bench_now() - begun;
      if (status < 0) bench_need(status, name);
      if (took < least[s]) least[s] = took;
      iterations[s] = info.iterations;
      if (took > 1) r = RUNS; // long runs vary little: one is enough
    }
  free(x);
}

// times of both solvers, and the estimate of `auto`
static void compare_solvers(const char *name, const oc_task *task, const dm_trajectory *guess) {
  oc_transcription *t;
  double least[2] = {INFINITY, INFINITY};
  int iterations[2] = {0};
  bench_need(oc_transcription_new(&t, task, NULL), name);
  time_solvers(name, t, guess, least, iterations);

  // the work counted from the pattern, and the time of counting
  oc_linear_solver_work work;
  double begun = bench_now();
  bench_need(oc_linear_solver_measure(oc_transcription_nlp(t), &work), name);
  double counted = bench_now() - begun;
  print_figure(name, "unknowns", work.unknowns, "unknowns");
  print_figure(name, "entries", work.entries, "entries");
  print_figure(name, "products", work.products, "products");
  print_figure(name, "count_ms", 1e3 * counted, "ms");

  // the estimated and the measured cost
  oc_linear_solver_cost cost = oc_linear_solver_estimate(&work);
  print_figure(name, "expected", cost.ldl / cost.mumps, "of mumps by ldl");
  for (int s = 0; s < 2; s++) {
    char what[32];
    snprintf(what, sizeof what, "%s_iterations", solvers[s]);
    print_figure(name, what, iterations[s], "iterations");
    snprintf(what, sizeof what, "%s_ms", solvers[s]);
    print_figure(name, what, 1e3 * least[s], "ms");
  }
  oc_transcription_free(t);
}

// -- arms: hanging chains of driven joints, bent within a second, with four kinds of limits

static const struct {
  const char *name;
  double effort, turn, speed;
  bool free_time;
} ranges[] = {{"free", INFINITY, INFINITY, INFINITY, false},
              {"efforts", 200, 3, INFINITY, false},
              {"speeds", INFINITY, INFINITY, 3, false},
              {"time", 200, INFINITY, INFINITY, true}};

static void compare_arm(int joints, int N, int r) {
  char name[64];
  snprintf(name, sizeof name, "linear.arm%d.%s.N%d", joints, ranges[r].name, N);
  if (!bench_wanted(name)) return;

  // from rest at 0 to rest, bent by a total of one radian, with the cost of torques
  tasks_task x = tasks_make(models_chain(joints, 0.2, 0), N, 1);
  double rest[JOINTS] = {0}, bent[JOINTS];
  tasks_rest(&x, 0, rest);
  tasks_rest(&x, 1, tasks_fill(bent, joints, 1.0 / joints));
  x.t.cost[OC_U].running = tasks_weight(&x, 2, joints, 1);

  // finite limits add rows and bounds
  for (int i = 0; i < joints; i++) {
    x.m->u_min[i] = -ranges[r].effort;
    x.m->u_max[i] = ranges[r].effort;
    x.m->q_min[i] = -ranges[r].turn;
    x.m->q_max[i] = ranges[r].turn;
    x.m->v_max[i] = ranges[r].speed;
  }
  if (ranges[r].free_time) {
    x.t.time.free = true;
    x.t.time.min = 0.3;
    x.t.time.max = 3;
    x.t.time.weight = 1;
  }

  // the guess is a straight line
  dm_trajectory *guess;
  bench_need(dm_trajectory_of(&guess, N, &x.t.system), name);
  guess->h = oc_task_step(&x.t);
  for (int k = 0; k <= N; k++)
    for (int i = 0; i < joints; i++) guess->q[k * joints + i] = bent[i] * k / N;
  compare_solvers(name, &x.t, guess);
  dm_trajectory_free(guess);
  tasks_free(&x);
}

// -- problem files with several numbers of steps

static const char *const files[][2] = {
    {"cart-pole", "problems/cart-pole/swing-up.yaml"},
    {"minimum-time", "problems/cart-pole/minimum-time.yaml"},
    {"acrobot", "problems/acrobot/swing-up.yaml"},
    {"quadrotor", "problems/quadrotor/sidestep.yaml"},
    {"flip-3d", "problems/quadrotor/flip-3d.yaml"},
    {"six-axis-arm", "problems/six-axis-arm/reach.yaml"},
    {"four-bar", "problems/four-bar/turn.yaml"},
    {"servo", "problems/two-string-load/servo.yaml"},
    {"winches", "problems/two-string-load/winches.yaml"},
    {"satellite", "problems/satellite/reorient.yaml"},
    {"marionette", "problems/marionette/descend.yaml"},
};

static void compare_file(const char *word, const char *file, int N) {
  char name[64], path[1024], steps[16];
  snprintf(name, sizeof name, "linear.%s.N%d", word, N);
  if (!bench_wanted(name)) return;
  pb_problem *p;
  dm_message msg;
  dm_trajectory *guess;
  snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, file);
  snprintf(steps, sizeof steps, "%d", N);

  // the file's problem with N steps
  const pb_replace with = {.path = "horizon.steps", .text = steps};
  dm_status s = pb_problem_vary(&p, path, &with, 1, &msg);
  bench_need(s, s == DM_OK ? "" : msg.text);
  bench_need(pb_problem_guess(p, &guess), name);
  compare_solvers(name, &p->task, guess);
  dm_trajectory_free(guess);
  pb_problem_free(p);
}

void bench_linear(void) {
  static const int joints[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 20};
  static const int steps[] = {50, 200, 1000};
  if (!bench_wanted("linear")) return;

  // arms of many widths and lengths, as long as a solve takes only seconds
  for (int r = 0; r < COUNT(ranges); r++)
    for (int j = 0; j < COUNT(joints); j++)
      for (int i = 0; i < COUNT(steps); i++)
        if (joints[j] * steps[i] <= 2000) compare_arm(joints[j], steps[i], r);

  // the marionette's program is large: only its shortest motion
  for (int f = 0; f < COUNT(files); f++)
    for (int i = 0; i < COUNT(steps); i++)
      if (strcmp(files[f][0], "marionette") || steps[i] < 100)
        compare_file(files[f][0], files[f][1], steps[i]);
}
