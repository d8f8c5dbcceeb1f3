// benchmarks/bench.h: how figures are taken and printed.
#ifndef BENCHMARKS_BENCH_H
#define BENCHMARKS_BENCH_H
#include "dmoc.h"

#include <stdbool.h>

// Only figures whose names contain this text are asked for; until then all are.
void bench_filter(const char *text);

// Returns the processor time of a call in microseconds: the least of several batches, each long enough
// for the clock.
double bench_time_us(void (*call)(void *), void *self);

// Processor time of this process, s. Reading it takes a system call.
double bench_now(void);

// Wall time, s: for intervals too short for bench_now.
double bench_tick(void);

// True when figures whose names begin like this are asked for (--filter).
bool bench_wanted(const char *name);

// Print "name value unit", if it is asked for.
void bench_print(const char *name, double value, const char *unit);

// Stop with a sentence when a benchmark cannot be run.
void bench_need(dm_status s, const char *what);
#endif
