// Boundary value problems of second order by Newton's method: the two-link arm from hanging to
// upright in a second, and a reach of an arm of seven joints.
#include "benchmarks/figures.h"
#include "optim/second/newton_bvp.h"
#include "tests/support/arm.h"

#include <sys/resource.h>

enum { RUNS = 9 };

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// the most memory so far, MB
static double peak(void) {
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

static void bow(int N, double *goal, double *X) {
  arm_bow(N, 1.5, X);
  goal[0] = ARM_PI, goal[1] = goal[2] = goal[3] = 0;
}

static const problem problems[] = {{"two-link", "taylor", 2, arm_new, bow},
                                   {"arm7", "hermite-gauss", ARM_SEVEN, arm_seven, arm_reach}};

// From a guess, by coarse grids or on the given one at once; allocation is in the time.
static void run(const problem *p, int N, bool at_once) {
  char name[64];
  int size = 2 * p->n, runs = N > 2000 ? 3 : RUNS;
  double ms[RUNS], start[2 * ARM_SEVEN] = {0}, goal[2 * ARM_SEVEN];
  double *X = calloc((size_t)size * ((size_t)N + 1), sizeof *X);
  arm a = p->open();
  dm_second_order_rule rule;
  dm_second_order *w;
  oc_newton_settings set;
  oc_newton_info info = {0};
  set = oc_newton_default();
  if (at_once) set.coarse = 0;
  bench_need(dm_second_order_rule_set(&rule, p->rule, 2, NULL), "a rule");
  bench_need(dm_second_order_new(&w, &a.C, &rule, NULL), "memory");
  for (int r = 0; r < runs; r++) {
    oc_newton *x;
    p->guess(N, goal, X);
    double from = bench_now();
    bench_need(oc_newton_new(&x, w, N, start, goal, NULL), "a workspace");
    bench_need(oc_newton_solve(x, &set, 1. / N, X, NULL, 0, &info, NULL), "a motion");
    oc_newton_free(x);
    ms[r] = 1e3 * (bench_now() - from);
  }
  qsort(ms, (size_t)runs, sizeof *ms, ascending);
  const char *how = at_once ? "at_once_" : "";
  snprintf(name, sizeof name, "%s.N%d.%ssolve_ms", p->name, N, how);
  bench_print(name, ms[runs / 2], "ms");
  snprintf(name, sizeof name, "%s.N%d.%siterations", p->name, N, how);
  bench_print(name, info.iterations, "iterations");
  snprintf(name, sizeof name, "%s.N%d.peak_MB", p->name, N);
  if (!at_once) bench_print(name, peak(), "MB");
  arm_free(&a), dm_second_order_free(w), free(X);
}

void bench_second(void) {
  static const int steps[COUNT(problems)][3] = {{100, 500, 2000}, {100, 1000, 10000}};
  for (int p = 0; p < COUNT(problems); p++)
    for (int r = 0; r < 6; r++)
      if (bench_wanted(problems[p].name)) run(&problems[p], steps[p][r / 2], r % 2);
}
