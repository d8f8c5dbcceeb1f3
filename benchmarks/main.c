// benchmarks/main.c: run the benchmarks and print one figure per line: name value unit.
//
//   bench [--filter TEXT]                  only figures whose names contain TEXT
//   bench --against BUILD [--filter TEXT]  compare with another build folder (benchmarks/against.h)
#include "benchmarks/against.h"
#include "benchmarks/figures.h"

#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// LU factorization of a 40 x 40 matrix in plain C: a reference for comparing machines
static void factor_yardstick(void *self) {
  enum { n = 40 };
  double *A = self, F[n * n];
  memcpy(F, A, sizeof F);
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double l = F[i * n + k] /= F[k * n + k];
      for (int j = k + 1; j < n; j++) F[i * n + j] -= l * F[k * n + j];
    }

  // prevents the compiler from removing the loop
  A[0] += 1e-300 * F[n * n - 1];
}

static double yardstick[40 * 40];

static void bench_yardstick(void) {
  for (int i = 0; i < 40 * 40; i++) yardstick[i] = sin(i) + (i % 41 ? 0 : 40);
  bench_print("yardstick_us", bench_time_us(factor_yardstick, yardstick), "us");
}

// prefixes of figures; `asked`: runs only with a filter, because it takes minutes
static const struct {
  const char *name;
  void (*run)(void);
  bool asked;
} groups[] = {{"yardstick", bench_yardstick, false},
              {"chain", bench_mechanics, false},
              {"formula", bench_formula, false},
              {"marionette", bench_marionette, false},
              {"riccati", bench_riccati, false},
              {"programs", bench_programs, false},
              {"linear", bench_linear, true},
              {"descent", bench_descent, false},
              {"second", bench_second, false},
              {"contact", bench_contact, false},
              {"friction", bench_friction, false},
              {"receding", bench_receding, false},
              {"identify", bench_identification, true},
              {"growth", bench_growth, true},
              {"whip", bench_whip, true},
              {"factor", bench_factorizations, true}};

// does a filter name a group, as factor.loops or identify_7?
static bool names_group(const char *filter, const char *name) {
  const size_t n = strlen(name);
  return !strncmp(filter, name, n) && (filter[n] == '.' || filter[n] == '_');
}

static int refuse_usage(void) {
  fprintf(stderr, "usage: bench [--against BUILD] [--filter TEXT]\n");
  return 2;
}

int main(int argc, char **argv) {
  const char *filter = NULL, *against = NULL;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return refuse_usage();
    if (!strcmp(argv[i], "--filter"))
      filter = argv[i + 1];
    else if (!strcmp(argv[i], "--against"))
      against = argv[i + 1];
    else
      return refuse_usage();
  }
  if (against) return bench_against(argv[0], against, filter);
  if (filter) bench_filter(filter);

  // one thread: for small matrices, and for comparability between machines
  openblas_set_num_threads(1);
  fprintf(stderr, "OpenBLAS core: %s, one thread\n", openblas_get_corename());
  const size_t all = sizeof groups / sizeof *groups;
  bool named = false;
  for (size_t i = 0; i < all; i++) named = named || (filter && names_group(filter, groups[i].name));
  for (size_t i = 0; i < all; i++)
    if (named ? names_group(filter, groups[i].name) : filter || !groups[i].asked) groups[i].run();
  return 0;
}
