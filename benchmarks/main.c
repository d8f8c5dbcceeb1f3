// benchmarks/main.c: run the benchmarks and print one figure a line: name value unit.
//
//   bench [--filter TEXT]    only figures whose names contain TEXT
#include "benchmarks/figures.h"

#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// a plain-C LU of a 40 x 40 matrix: the yardstick that carries figures to another machine
static void factor_yardstick(void *self) {
  enum { n = 40 };
  double *A = self, F[n * n];
  memcpy(F, A, sizeof F);
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double l = F[i * n + k] /= F[k * n + k];
      for (int j = k + 1; j < n; j++) F[i * n + j] -= l * F[k * n + j];
    }

  // so that the compiler keeps it
  A[0] += 1e-300 * F[n * n - 1];
}

int main(int argc, char **argv) {
  bool all = argc < 2;
  if (argc > 3 || (!all && (argc != 3 || strcmp(argv[1], "--filter")))) {
    fprintf(stderr, "usage: bench [--filter TEXT]\n");
    return 2;
  }
  if (!all) bench_filter(argv[2]);

  // one thread: figures of small matrices, comparable from machine to machine
  openblas_set_num_threads(1);
  fprintf(stderr, "OpenBLAS core: %s, one thread\n", openblas_get_corename());

  static double A[40 * 40];
  for (int i = 0; i < 40 * 40; i++) A[i] = sin(i) + (i % 41 ? 0 : 40);
  bench_print("yardstick_us", bench_time_us(factor_yardstick, A), "us");
  bench_mechanics();
  bench_marionette();
  bench_riccati();
  bench_programs();
  if (!all) bench_linear(); // some minutes: by name alone
  bench_descent();
  bench_second();
  bench_contact();
  return 0;
}
