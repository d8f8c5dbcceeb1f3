// benchmarks/against.h: compare figures of two builds, run alternately.
#ifndef BENCHMARKS_AGAINST_H
#define BENCHMARKS_AGAINST_H

// Run `program` and BUILD/benchmarks/bench alternately, with the same filter (NULL: all figures),
// and print one line per figure that both have: name, value here, value there, their ratio, unit.
// Times are the minimum over all runs. Returns the exit status: 0, or 2 with a message if a program
// cannot be run.
int bench_against(const char *program, const char *build, const char *filter);
#endif
