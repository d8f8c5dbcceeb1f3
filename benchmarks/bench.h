// benchmarks/bench.h: how figures are taken and printed.
#ifndef BENCHMARKS_BENCH_H
#define BENCHMARKS_BENCH_H
#include "dmoc.h"

#include <stdbool.h>

// Only figures whose names contain this text are asked for; until then all are.
void bench_filter(const char *text);

// Microseconds a call takes: the median of several batches, each long enough for the clock.
double bench_time_us(void (*call)(void *), void *self);

// The median of n figures, which are sorted.
double bench_median(double *figure, int n);

// Seconds on the monotonic clock.
double bench_now(void);

// True when figures whose names begin like this are asked for (--filter).
bool bench_wanted(const char *name);

// Print "name value unit", if it is asked for.
void bench_print(const char *name, double value, const char *unit);

// Stop with a sentence when a benchmark cannot be run.
void bench_need(dm_status s, const char *what);
#endif
