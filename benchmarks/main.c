// benchmarks/main.c: run the benchmarks and print one figure a line: name value unit.
//
//   bench [--filter TEXT]    only figures whose names contain TEXT
#include "benchmarks/bench.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *filter = "";

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_time_us(void (*call)(void *), void *self) {
  enum { BATCHES = 15 };
  double figure[BATCHES], start;
  // a batch of about 2 ms
  int calls = 0;
  start = bench_now();
  do call(self), calls++;
  while (bench_now() - start < 2e-3);
  for (int b = 0; b < BATCHES; b++) {
    start = bench_now();
    for (int i = 0; i < calls; i++) call(self);
    figure[b] = 1e6 * (bench_now() - start) / calls;
  }
  qsort(figure, BATCHES, sizeof *figure, ascending);
  return figure[BATCHES / 2];
}

// a filter that is longer than a group's name still asks for the group
bool bench_wanted(const char *name) {
  return strstr(name, filter) || !strncmp(name, filter, strlen(name)) || !*filter;
}

void bench_print(const char *name, double value, const char *unit) {
  if (!strstr(name, filter)) return;
  printf("%s %.4g %s\n", name, value, unit);
  fflush(stdout);
}

void bench_need(dm_status s, const char *what) {
  if (s == DM_OK) return;
  fprintf(stderr, "bench: %s: %s\n", what, dm_status_text(s));
  exit(3);
}

// a plain-C LU of a 40 x 40 matrix: the yardstick that carries figures to another machine
static void yardstick(void *self) {
  enum { n = 40 };
  double *A = self, F[n * n];
  memcpy(F, A, sizeof F);
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double l = F[i * n + k] /= F[k * n + k];
      for (int j = k + 1; j < n; j++) F[i * n + j] -= l * F[k * n + j];
    }
  A[0] += 1e-300 * F[n * n - 1];
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--filter") && i + 1 < argc) {
      filter = argv[++i];
    } else {
      fprintf(stderr, "usage: bench [--filter TEXT]\n");
      return 2;
    }
  openblas_set_num_threads(1);
  fprintf(stderr, "OpenBLAS core: %s, one thread\n", openblas_get_corename());
  static double A[40 * 40];
  for (int i = 0; i < 40 * 40; i++) A[i] = sin(i) + (i % 41 ? 0 : 40);
  bench_print("yardstick_us", bench_time_us(yardstick, A), "us");
  bench_mechanics();
  bench_marionette();
  bench_riccati();
  bench_programs();
  if (*filter) bench_linear(); // some minutes: by name alone
  bench_descent();
  bench_second();
  bench_contact();
  return 0;
}
