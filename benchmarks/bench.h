// benchmarks/bench.h: what a benchmark file gives, and how figures are taken.
#ifndef BENCHMARKS_BENCH_H
#define BENCHMARKS_BENCH_H
#include "dmoc.h"

#include <stdbool.h>

// Microseconds a call takes: the median of several batches, each long enough for the clock.
double bench_time_us(void (*call)(void *), void *self);

// Seconds on the monotonic clock.
double bench_now(void);

// True when figures whose names begin like this are asked for (--filter).
bool bench_wanted(const char *name);

// Print "name value unit", if it is asked for.
void bench_print(const char *name, double value, const char *unit);

// Stop with a sentence when a benchmark cannot be run.
void bench_need(dm_status s, const char *what);

// The rooms' figures, a function each.
void bench_mechanics(void);
void bench_marionette(void);
void bench_riccati(void);
void bench_programs(void);
void bench_descent(void);
void bench_second(void);
void bench_contact(void);
void bench_linear(void);
#endif
