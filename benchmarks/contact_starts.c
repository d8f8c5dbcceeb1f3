// Plans through contact from many starts: for each problem file the share that is solved, the objectives, and processor
// time.
//
//   contact_starts [--starts K] [--noise SIZE] [--seed SEED] [--each] [FILE..]
//
// A start is the line between the ends with smooth noise of SIZE rad or m. Without FILE the plans of problems/contact.
#include "benchmarks/bench.h"
#include "optim/solve.h"
#include "optim/starts/guess.h"
#include "problems/readers/task/problem.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *plans[] = {"problems/contact/push.yaml", "problems/contact/jump.yaml",
                        "problems/contact/step.yaml", "problems/cart-pole/dry-friction.yaml"};

typedef struct settings {
  int starts, seed;
  double noise;
  bool each;
} settings;

typedef struct outcome {
  dm_status status;
  double objective, seconds;
  int iterations, factorizations;
  char detail[64];
} outcome;

// solve from one start
static outcome solve_start(const oc_task *task, const settings *set, int start) {
  oc_setup setup = oc_setup_default();
  oc_solution *w = NULL;
  dm_trajectory *x = NULL;
  dm_message msg = {""};
  setup.options.method = OC_SOLVER_STAGE;
  setup.options.only_guess = true;
  setup.options.max_iter = 6000;
  setup.options.max_time = 60;
  const double begun = bench_now();
  bench_need(dm_trajectory_of(&x, task->N, &task->system), "memory");
  bench_need(oc_guess_line(task, x), "a line");
  if (start > 0) oc_guess_perturb(task, (uint64_t)set->seed, start, set->noise, x);
  bench_need(oc_solution_new(&w, task, &setup, &msg), "a program");
  bench_need(oc_solution_start(w, x), "a start");
  const dm_status s = oc_solution_find(w, &msg);
  outcome o = {.status = s < 0 ? s : w->info.status,
               .objective = w->info.objective,
               .seconds = bench_now() - begun,
               .iterations = w->info.spent,
               .factorizations = w->info.factorizations};
  snprintf(o.detail, sizeof o.detail, "%s", s < 0 ? msg.text : w->info.detail);
  oc_solution_free(w);
  dm_trajectory_free(x);
  return o;
}

static bool is_solved(dm_status s) {
  return s == DM_OK || s == DM_ACCEPTABLE;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void run_file(const char *file, const settings *set) {
  pb_problem *p;
  dm_message msg;
  const int K = set->starts;
  double *seconds = calloc((size_t)K, sizeof *seconds), *found = calloc((size_t)K, sizeof *found);
  bench_need(seconds && found ? DM_OK : DM_NO_MEMORY, "memory");
  const dm_status read = pb_problem_read(&p, file, &msg);
  bench_need(read, read == DM_OK ? "" : msg.text);
  int solved = 0;
  double iterations = 0, factorizations = 0;
  for (int i = 0; i < K; i++) {
    const outcome o = solve_start(&p->task, set, i);
    if (set->each)
      printf("  %3d %-12s %-32s %5d iterations %5d factorizations %14.9g %7.3f s\n", i,
             is_solved(o.status) ? "solved" : "not solved", o.detail, o.iterations,
             o.factorizations, o.objective, o.seconds);
    seconds[i] = o.seconds;
    iterations += o.iterations;
    factorizations += o.factorizations;
    if (is_solved(o.status)) found[solved++] = o.objective;
  }
  qsort(seconds, (size_t)K, sizeof *seconds, compare);
  qsort(found, (size_t)solved, sizeof *found, compare);
  printf("%-44s %3d of %d solved, %.3f s median, %.3f s longest, %.0f iterations, %.2f "
         "factorizations each",
         file, solved, K, seconds[K / 2], seconds[K - 1], iterations / K,
         factorizations / fmax(1, iterations));
  if (solved) printf(", objectives %.9g %.9g %.9g", found[0], found[solved / 2], found[solved - 1]);
  printf("\n");
  fflush(stdout);
  free(seconds);
  free(found);
  pb_problem_free(p);
}

int main(int argc, char **argv) {
  settings set = {.starts = 32, .seed = 1, .noise = 0.3};
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    if (!strcmp(argv[i], "--each")) {
      set.each = true;
      continue;
    }
    if (i + 1 >= argc) return 2;
    if (!strcmp(argv[i], "--starts"))
      set.starts = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--noise"))
      set.noise = atof(argv[++i]);
    else if (!strcmp(argv[i], "--seed"))
      set.seed = atoi(argv[++i]);
    else
      return 2;
  }
  openblas_set_num_threads(1);
  char **files = i < argc ? argv + i : plans;
  const int count = i < argc ? argc - i : (int)(sizeof plans / sizeof *plans);
  for (int f = 0; f < count; f++) run_file(files[f], &set);
  return 0;
}
