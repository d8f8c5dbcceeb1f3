// benchmarks/against.h: figures of two builds, taken in turn.
#ifndef BENCHMARKS_AGAINST_H
#define BENCHMARKS_AGAINST_H

// Runs `program` and BUILD/benchmarks/bench in turn, with the same filter (NULL: all figures), and
// prints one line per figure that both have: name, value here, value there, their ratio, unit. Values
// of times are the least of all turns. Returns the exit status: 0, or 2 with a message if a program
// cannot be run.
int bench_against(const char *program, const char *build, const char *filter);
#endif
