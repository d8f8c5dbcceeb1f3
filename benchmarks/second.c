// Second-order boundary value problems by Newton's method: the two-link arm from hanging to upright
// in one second, and a reaching motion of an arm with seven joints.
#include "benchmarks/figures.h"
#include "optim/second/newton_bvp.h"
#include "tests/support/arm.h"

#include <sys/resource.h>

enum { RUNS = 9 };

// peak memory so far, MB
static double measure_peak_memory(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)u.ru_maxrss / 1024;
}

typedef struct problem {
  const char *name, *rule;
  int n;
  arm (*open)(void);
  void (*guess)(int N, double *goal, double *X);
} problem;

static void guess_bow(int N, double *goal, double *X) {
  arm_bow(N, 1.5, X);
  goal[0] = ARM_PI;
  goal[1] = goal[2] = goal[3] = 0;
}

static const problem problems[] = {{"two-link", "taylor", 2, arm_new, guess_bow},
                                   {"arm7", "hermite-gauss", ARM_SEVEN, arm_seven, arm_reach}};

// Solve from a guess, by grid refinement or directly on the given grid; allocations are included in
// the time.
static void time_problem(const problem *p, int N, bool at_once) {
  int size = 2 * p->n, runs = N > 2000 ? 3 : RUNS;
  double ms = INFINITY, start[2 * ARM_SEVEN] = {0}, goal[2 * ARM_SEVEN];
  double *X = calloc((size_t)size * ((size_t)N + 1), sizeof *X);

  // the second-order discrete Lagrangian
  arm a = p->open();
  dm_second_order_rule rule;
  dm_second_order *w;
  bench_need(dm_second_order_rule_set(&rule, p->rule, 2, NULL), "a rule");
  bench_need(dm_second_order_new(&w, &a.C, &rule, NULL), "memory");

  oc_options set = oc_options_default();
  oc_newton_info info = {0};
  if (at_once) set.newton.coarse = 0;
  for (int r = 0; r < runs; r++) {
    oc_newton *x;
    p->guess(N, goal, X);
    double from = bench_now();
    bench_need(oc_newton_new(&x, w, N, start, goal, NULL), "a workspace");
    bench_need(oc_newton_solve(x, &set, NULL, 1. / N, X, NULL, 0, &info, NULL), "a motion");
    oc_newton_free(x);
    ms = fmin(ms, 1e3 * (bench_now() - from));
  }

  // the peak includes previous rows, therefore sizes increase from row to row
  char name[64];
  const char *how = at_once ? "at_once_" : "";
  snprintf(name, sizeof name, "%s.N%d.%ssolve_ms", p->name, N, how);
  bench_print(name, ms, "ms");
  snprintf(name, sizeof name, "%s.N%d.%siterations", p->name, N, how);
  bench_print(name, info.iterations, "iterations");
  snprintf(name, sizeof name, "%s.N%d.peak_MB", p->name, N);
  if (!at_once) bench_print(name, measure_peak_memory(), "MB");
  arm_free(&a);
  dm_second_order_free(w);
  free(X);
}

void bench_second(void) {
  static const int steps[COUNT(problems)][3] = {{100, 500, 2000}, {100, 1000, 10000}};
  for (int p = 0; p < COUNT(problems); p++)
    for (int r = 0; r < 6; r++)
      if (bench_wanted(problems[p].name)) time_problem(&problems[p], steps[p][r / 2], r % 2);
}
