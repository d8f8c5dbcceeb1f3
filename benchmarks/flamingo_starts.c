// The published Spring Flamingo task from random starts: benchmarks/flamingo.h.
//
//   flamingo_starts [--starts K] [--noise SIZE] [--seed SEED] [--each]
#include "benchmarks/bench.h"
#include "benchmarks/flamingo.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int starts = 32, seed = 1;
  bool each = false;
  double noise = 0.3;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--each"))
      each = true;
    else if (i + 1 == argc)
      return 2;
    else if (!strcmp(argv[i], "--starts"))
      starts = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--noise"))
      noise = atof(argv[++i]);
    else if (!strcmp(argv[i], "--seed"))
      seed = atoi(argv[++i]);
    else
      return 2;
  }
  openblas_set_num_threads(1);
  flamingo *w;
  dm_message msg;
  if (flamingo_new(&w, SOURCE_DIR "/benchmarks/flamingo.yaml", &msg) != DM_OK) bench_need(DM_BAD_INPUT, msg.text);
  double *x = calloc((size_t)flamingo_nlp(w)->n, sizeof *x);
  for (int i = 0; i < starts; i++) {
    bench_need(flamingo_start(w, (uint64_t)seed, i, noise, x), "a start");
    const flamingo_result r = flamingo_solve(w, x);
    if (each)
      printf("%3d %-10.10s %5d iterations %5d factorizations %12.6f %12.6f rows %.1e products %.1e %7.3f s\n", i,
             dm_status_text(r.status), r.iterations, r.factorizations, r.searched, r.objective,
             r.violation, r.products, r.seconds);
    fflush(stdout);
  }
  free(x);
  flamingo_free(w);
  return 0;
}
