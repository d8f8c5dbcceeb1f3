#include "benchmarks/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *filter = "";

void bench_filter(const char *text) {
  filter = text;
}

static double read_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_now(void) {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_tick(void) {
  return read_clock(CLOCK_MONOTONIC);
}

double bench_time_us(void (*call)(void *), void *self) {
  enum { BATCHES = 15 };
  double least = INFINITY;

  // number of calls in a batch of about 2 ms, long compared with the clock's resolution
  int calls = 0;
  double start = bench_now();
  do {
    call(self);
    calls++;
  } while (bench_now() - start < 2e-3);

  // other programs on the machine can only add time
  for (int b = 0; b < BATCHES; b++) {
    start = bench_now();
    for (int i = 0; i < calls; i++) call(self);
    least = fmin(least, 1e6 * (bench_now() - start) / calls);
  }
  return least;
}

// a filter longer than a group's name still requests the group
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
