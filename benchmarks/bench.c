#include "benchmarks/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *filter = "";

void bench_filter(const char *text) {
  filter = text;
}

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_figures(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *figure, int n) {
  qsort(figure, (size_t)n, sizeof *figure, compare_figures);
  return figure[n / 2];
}

double bench_time_us(void (*call)(void *), void *self) {
  enum { BATCHES = 15 };
  double figure[BATCHES];

  // calls in a batch of about 2 ms, long beside the clock's resolution
  int calls = 0;
  double start = bench_now();
  do {
    call(self);
    calls++;
  } while (bench_now() - start < 2e-3);

  // the median of batches leaves out what else the machine did
  for (int b = 0; b < BATCHES; b++) {
    start = bench_now();
    for (int i = 0; i < calls; i++) call(self);
    figure[b] = 1e6 * (bench_now() - start) / calls;
  }
  return bench_median(figure, BATCHES);
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
