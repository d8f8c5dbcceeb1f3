// benchmarks/bench.h: measure and print figures.
#ifndef BENCHMARKS_BENCH_H
#define BENCHMARKS_BENCH_H
#include "dmoc.h"

#include <stdbool.h>

// Request only figures whose names contain this text; by default all.
void bench_filter(const char *text);

// Returns the processor time of a call in microseconds: the minimum over several batches, each long
// compared with the clock's resolution.
double bench_time_us(void (*call)(void *), void *self);

// Processor time of this process, s. Reading it requires a system call.
double bench_now(void);

// Wall time, s: for intervals too short for bench_now.
double bench_tick(void);

// Whether figures with names that begin like this are requested (--filter).
bool bench_wanted(const char *name);

// Print "name value unit", if requested.
void bench_print(const char *name, double value, const char *unit);

// Stop with a message if a benchmark cannot be run.
void bench_need(dm_status s, const char *what);
#endif
