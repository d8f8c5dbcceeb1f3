// Whole solves of driven chains, uniform links of 1 kg and together 1 m, from rest: their growth with the number of
// joints, and optima from the line and from a smooth guess (optim/smooth_guess.h).
#include "benchmarks/figures.h"
#include "optim/smooth_guess.h"
#include "optim/solver.h"
#include "optim/starts/guess.h"
#include "tests/support/tasks.h"

#include <math.h>

enum { MOST = 80, RUNS = 3 };

// all joints to an angle in 1 s
static tasks_task make_chain(int links, int steps, double angle, double damping) {
  double q[2][MOST] = {{0}};
  dm_model *m = models_chain(links, 1.0 / links, 0);
  for (int i = 0; i < links; i++) {
    m->damping[i] = damping;
    q[1][i] = angle;
  }
  tasks_task x = tasks_make(m, steps, 1);
  for (int end = 0; end < 2; end++) tasks_rest(&x, end, q[end]);
  x.t.cost[OC_U].running = tasks_weight(&x, 0, links, 1);
  return x;
}

static void print_chain(const char *group, int links, const char *what, double value,
                        const char *unit) {
  char name[96];
  snprintf(name, sizeof name, "%s.%d.%s", group, links, what);
  bench_print(name, value, unit);
}

// the least time of a solve from the line, and of one from its own solution
static void time_chain(int links) {
  double least[2] = {INFINITY, INFINITY};
  dm_message msg;
  int iterations = 0;
  for (int r = 0; r < RUNS; r++) {
    tasks_task x = make_chain(links, 20, 0.01, 20);
    oc_solver *s;
    bench_need(oc_solver_new(&s, &x.t, NULL, &msg), msg.text);
    for (int k = 0; k < 2; k++) {
      const double begun = bench_now();
      bench_need(oc_solver_solve(s, NULL, NULL, &msg), "a chain");
      least[k] = fmin(least[k], 1e3 * (bench_now() - begun));
      if (k == 0) iterations = oc_solver_info(s)->iterations;
    }
    oc_solver_free(s);
    tasks_free(&x);
  }
  print_chain("growth", links, "solve_ms", least[0], "ms");
  print_chain("growth", links, "iterations", iterations, "iterations");
  print_chain("growth", links, "again_ms", least[1], "ms");
}

void bench_growth(void) {
  static const int links[] = {2, 5, 10, 20, 40, 80};
  for (int i = 0; i < COUNT(links); i++) time_chain(links[i]);
}

// an undamped chain, half a radian in each joint, from the line and from a smooth guess
static void compare_guesses(int links) {
  tasks_task x = make_chain(links, 100, 0.5, 0);
  dm_trajectory *guess, *motion;
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  dm_message msg;
  bench_need(dm_trajectory_of(&guess, x.t.N, &x.t.system), "memory");
  guess->h = oc_task_step(&x.t);
  bench_need(oc_guess_line(&x.t, guess), "the line");
  for (int k = 0; k < 2; k++) {
    const double begun = bench_now();
    if (k) bench_need(oc_smooth_guess(&x.t, &set.options, NULL, guess), "a smooth guess");
    set.guess = k ? guess : NULL;
    bench_need(oc_solve(&x.t, &set, &motion, &info, &msg), msg.text);
    print_chain("whip", links, k ? "smooth_ms" : "line_ms", 1e3 * (bench_now() - begun), "ms");
    print_chain("whip", links, k ? "smooth" : "line", info.objective, "objective");
    dm_trajectory_free(motion);
  }
  dm_trajectory_free(guess);
  tasks_free(&x);
}

void bench_whip(void) {
  static const int links[] = {3, 5, 7, 10};
  for (int i = 0; i < COUNT(links); i++) compare_guesses(links[i]);
}
