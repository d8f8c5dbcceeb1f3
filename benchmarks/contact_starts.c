// Plans through contact from many starts: for each problem file the share that is solved, the objectives, and processor
// time.
//
//   contact_starts [--starts K] [--noise SIZE] [--seed SEED] [--each] [FILE..]
//
// A start is the line between the ends with smooth noise of SIZE rad or m. Without FILE the table of docs/contact.md.
#include "benchmarks/bench.h"
#include "benchmarks/starts.h"
#include "optim/solve.h"
#include "optim/starts/guess.h"
#include "problems/readers/task/problem.h"

#include <cblas.h>

static char *plans[] = {"problems/contact/push.yaml",          "problems/contact/jump.yaml",
                        "problems/contact/catch.yaml",         "problems/contact/hop.yaml",
                        "problems/contact/step.yaml",          "problems/contact/five-link.yaml",
                        "problems/contact/bound.yaml",         "problems/contact/turn.yaml",
                        "problems/contact/stand.yaml",         "problems/contact/flamingo.yaml",
                        "problems/cart-pole/dry-friction.yaml"};

static bool is_solved(dm_status s) {
  return s == DM_OK || s == DM_ACCEPTABLE;
}

// solve from one start
static void solve_start(const oc_task *task, bench_starts *all, int start) {
  oc_setup setup = oc_setup_default();
  oc_solution *w = NULL;
  dm_trajectory *x = NULL;
  dm_message msg = {""};
  setup.options.method = OC_SOLVER_STAGE;
  setup.options.only_guess = true;
  setup.options.max_iter = 6000;
  setup.options.max_time = INFINITY; // others share the machine
  const double begun = bench_now();
  bench_need(dm_trajectory_of(&x, task->N, &task->system), "memory");
  bench_need(oc_guess_line(task, x), "a line");
  if (start > 0) oc_guess_perturb(task, (uint64_t)all->seed, start, all->noise, x);
  bench_need(oc_solution_new(&w, task, &setup, &msg), "a program");
  bench_need(oc_solution_start(w, x), "a start");
  const dm_status s = oc_solution_find(w, &msg);
  const bench_search one = {.solved = s >= 0 && is_solved(w->info.status),
                            .objective = w->info.objective,
                            .seconds = bench_now() - begun,
                            .iterations = w->info.spent,
                            .factorizations = w->info.factorizations};
  bench_starts_add(all, &one, s < 0 ? msg.text : w->info.detail);
  oc_solution_free(w);
  dm_trajectory_free(x);
}

static void run_file(const char *file, bench_starts *all) {
  pb_problem *p;
  dm_message msg;
  const dm_status read = pb_problem_read(&p, file, &msg);
  bench_need(read, read == DM_OK ? "" : msg.text);
  bench_starts_begin(all);
  for (int i = 0; i < all->starts; i++) solve_start(&p->task, all, i);
  bench_starts_print(all, file);
  bench_starts_free(all);
  pb_problem_free(p);
}

int main(int argc, char **argv) {
  bench_starts all;
  const int first = bench_starts_read(&all, argc, argv);
  if (first < 0) return 2;
  openblas_set_num_threads(1);
  char **files = first < argc ? argv + first : plans;
  const int count = first < argc ? argc - first : (int)(sizeof plans / sizeof *plans);
  for (int f = 0; f < count; f++) run_file(files[f], &all);
  return 0;
}
