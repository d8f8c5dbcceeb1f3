// benchmarks/starts.h: searches from many starts: the options of their programs, and the line of totals.
#ifndef BENCHMARKS_STARTS_H
#define BENCHMARKS_STARTS_H
#include <stdbool.h>

typedef struct bench_starts {
  // options: the number of starts, the seed and size of their noise [m or rad], a line for each start
  int starts, seed;
  double noise;
  bool each;
  // of the searches so far
  int done, solved;
  double iterations, factorizations;
  double *seconds, *found; // [starts] processor time, s; objectives of those that are solved
} bench_starts;

// one search
typedef struct bench_search {
  bool solved;
  double objective, seconds; // processor time, s
  int iterations, factorizations;
} bench_search;

// Read --starts K, --seed SEED, --noise SIZE and --each; by default 32 starts with noise of 0.3. Returns the index of
// the first other argument; -1 if a value is missing or K < 1.
int bench_starts_read(bench_starts *s, int argc, char **argv);

// Before the first search; stops the program without memory. bench_starts_free after the last one.
void bench_starts_begin(bench_starts *s);
void bench_starts_free(bench_starts *s);

// Add a search. With --each it prints its line, which begins with `detail`.
void bench_starts_add(bench_starts *s, const bench_search *one, const char *detail);

// Print the totals after a name, with the lowest, median and highest objective; sorts `seconds` and `found`.
void bench_starts_print(bench_starts *s, const char *name);
#endif
