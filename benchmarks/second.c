// Boundary value problems of second order by Newton's method: the two-link arm from hanging to
// upright in a second.
#include "benchmarks/bench.h"
#include "optim/newton.h"
#include "tests/arm.h"

enum { RUNS = 9 };

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void run(int N) {
  char name[64];
  double up[] = {ARM_PI, 0, 0, 0}, down[] = {0, 0, 0, 0}, ms[RUNS];
  double *X = calloc(4 * ((size_t)N + 1), sizeof *X);
  arm a = arm_new();
  dm_second_rule rule;
  dm_second *w;
  oc_newton *x;
  oc_newton_settings set;
  oc_newton_info info = {0};
  oc_newton_default(&set);
  bench_need(dm_second_rule_set(&rule, "taylor", 2, NULL), "a rule");
  bench_need(dm_second_new(&w, &a.C, &rule, NULL), "memory");
  for (int r = 0; r < RUNS; r++) {
    arm_bow(N, 1.5, X);
    double start = bench_now();
    bench_need(oc_newton_new(&x, w, N, down, up, NULL), "a workspace");
    bench_need(oc_newton_solve(x, &set, 1. / N, X, NULL, 0, &info, NULL), "a swing-up");
    oc_newton_free(x);
    ms[r] = 1e3 * (bench_now() - start);
  }
  qsort(ms, RUNS, sizeof *ms, ascending);
  snprintf(name, sizeof name, "two-link.N%d.solve_ms", N);
  bench_print(name, ms[RUNS / 2], "ms");
  snprintf(name, sizeof name, "two-link.N%d.iterations", N);
  bench_print(name, info.iterations, "iterations");
  dm_second_free(w), arm_free(&a), free(X);
}

void bench_second(void) {
  static const int steps[] = {100, 500, 2000};
  for (int r = 0; r < COUNT(steps); r++)
    if (bench_wanted("two-link")) run(steps[r]);
}
