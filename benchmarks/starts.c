#include "benchmarks/starts.h"

#include "benchmarks/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bench_starts_read(bench_starts *s, int argc, char **argv) {
  *s = (bench_starts){.starts = 32, .seed = 1, .noise = 0.3};
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    if (!strcmp(argv[i], "--each")) {
      s->each = true;
      continue;
    }
    if (i + 1 == argc) return -1;
    if (!strcmp(argv[i], "--starts"))
      s->starts = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--noise"))
      s->noise = atof(argv[++i]);
    else if (!strcmp(argv[i], "--seed"))
      s->seed = atoi(argv[++i]);
    else
      return -1;
  }
  return s->starts < 1 ? -1 : i;
}

void bench_starts_begin(bench_starts *s) {
  s->done = s->solved = 0;
  s->iterations = s->factorizations = 0;
  s->seconds = calloc((size_t)s->starts, sizeof *s->seconds);
  s->found = calloc((size_t)s->starts, sizeof *s->found);
  bench_need(s->seconds && s->found ? DM_OK : DM_NO_MEMORY, "memory");
}

void bench_starts_free(bench_starts *s) {
  free(s->seconds);
  free(s->found);
}

void bench_starts_add(bench_starts *s, const bench_search *one, const char *detail) {
  if (s->each)
    printf("  %3d %-12s %-32s %5d iterations %5d factorizations %14.9g %7.3f s\n", s->done,
           one->solved ? "solved" : "not solved", detail, one->iterations, one->factorizations,
           one->objective, one->seconds);
  fflush(stdout);
  s->seconds[s->done++] = one->seconds;
  s->iterations += one->iterations;
  s->factorizations += one->factorizations;
  if (one->solved) s->found[s->solved++] = one->objective;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void bench_starts_print(bench_starts *s, const char *name) {
  const double *found = s->found;
  qsort(s->seconds, (size_t)s->done, sizeof *s->seconds, compare);
  qsort(s->found, (size_t)s->solved, sizeof *s->found, compare);
  printf("%-44s %3d of %d solved, %.3f s median, %.3f s longest, %.0f iterations, %.2f "
         "factorizations each",
         name, s->solved, s->done, s->seconds[s->done / 2], s->seconds[s->done - 1],
         s->iterations / s->done, s->factorizations / fmax(1, s->iterations));
  if (s->solved)
    printf(", objectives %.9g %.9g %.9g", found[0], found[s->solved / 2], found[s->solved - 1]);
  printf("\n");
  fflush(stdout);
}
