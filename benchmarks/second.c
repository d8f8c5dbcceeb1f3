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

enum { COARSE = 20 };

// the swing from the guess in X [(N+1) x 4], with allocation and analysis; iterations are returned
static int solve(const arm *a, const char *rule_name, int N, double *X) {
  double up[] = {ARM_PI, 0, 0, 0}, down[] = {0, 0, 0, 0};
  dm_second_rule rule;
  dm_second *w;
  oc_newton *x;
  oc_newton_settings set;
  oc_newton_info info = {0};
  oc_newton_default(&set);
  bench_need(dm_second_rule_set(&rule, rule_name, 2, NULL), "a rule");
  bench_need(dm_second_new(&w, &a->C, &rule, NULL), "memory");
  bench_need(oc_newton_new(&x, w, N, down, up, NULL), "a workspace");
  bench_need(oc_newton_solve(x, &set, 1. / N, X, NULL, 0, &info, NULL), "a swing-up");
  oc_newton_free(x), dm_second_free(w);
  return info.iterations;
}

// from the bow, or from the solution of fourth order on the coarse grid, found from the bow
static void run(int N, bool nested) {
  char name[64];
  double ms[RUNS], *X = calloc(4 * ((size_t)N + 1), sizeof *X), coarse[4 * (COARSE + 1)];
  int iterations = 0, times = N / COARSE;
  arm a = arm_new();
  for (int r = 0; r < RUNS; r++) {
    double start = bench_now();
    arm_bow(N, 1.5, X);
    if (nested) {
      arm_bow(COARSE, 1.5, coarse);
      solve(&a, "hermite-gauss", COARSE, coarse);
      for (int k = 0; k < N; k++) {
        const double *X0 = coarse + 4 * (k / times);
        dm_second_between(2, 2, X0, X0 + 4, 1. / COARSE, (double)(k % times) / times, X + 4 * k);
      }
    }
    iterations = solve(&a, "taylor", N, X);
    ms[r] = 1e3 * (bench_now() - start);
  }
  qsort(ms, RUNS, sizeof *ms, ascending);
  snprintf(name, sizeof name, "two-link.N%d.%s_ms", N, nested ? "nested" : "solve");
  bench_print(name, ms[RUNS / 2], "ms");
  snprintf(name, sizeof name, "two-link.N%d.%siterations", N, nested ? "nested_" : "");
  bench_print(name, iterations, "iterations");
  arm_free(&a), free(X);
}

void bench_second(void) {
  static const int steps[] = {100, 500, 2000};
  for (int r = 0; r < 2 * COUNT(steps); r++)
    if (bench_wanted("two-link")) run(steps[r / 2], r % 2);
}
