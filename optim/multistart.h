// optim/multistart.h: solve a task from many guesses and return the best optimum.
//
// The first optimum comes from the task's own guess: it is given by the caller or searched first, so the
// result is never worse. The search for others consists of runs. A run
//
//   1  searches on a coarse grid, from guesses (optim/starts/seeded_guess.h) to each of the goals with the
//      same pose (optim/starts/circle_goals.h), once by descent on motions
//   2  alternates: it bends one of the best optima so far and searches from there (a hop), or searches from a
//      new guess to one of the best goals, until the best few do not change
//   3  refines the best one or two on the task's own grid
//
// The best optimum is likely to be the global one after `returns` runs found it and the next optimum is more
// likely to be a known one than a new one. Runs share the best objective, above which a search that stays far
// is stopped, and the quality of each goal. If there are only a few goals, only the first run tries all of
// them equally.
//
// Searches are distributed to threads in an order that does not depend on timing (optim/ordered_jobs.h), so
// that the result is the same for any number of threads. They use the stage solver
// (optim/interior/interior.h), because two IPOPT solves cannot run at once.
//
// Sources: [good-1953], the probability of unseen optima; [wales-doye-1997], searches from perturbed optima;
// in docs/sources.md.
#ifndef OC_MULTISTART_H
#define OC_MULTISTART_H
#include "optim/solve.h"

#include <stdint.h>

DM_BEGIN_C

// maximum numbers of optima and threads
enum { OC_OPTIMA = 32, OC_THREADS = 256 };

// A solution of the task and its motion.
typedef struct oc_known {
  const oc_solution *solution;
  const dm_trajectory *motion;
} oc_known;

// An optimum on the task's own grid.
typedef struct oc_optimum {
  double objective;
  double turn;        // the largest in a step                                              rad
  bool aliased;       // it turns further than the settings allow
  int runs;           // number of runs that found it; 0: only the task's own guess led to it
  int first;          // the number of the first search that found it; -1: the task's own guess
  const char *kind;   // the start of that search: one of oc_optimum_kinds
  const int *turns;   // [n] revolutions of its goal relative to the task's
  const double *goal; // [n] that goal
  dm_status status;
  dm_trajectory *motion;
  oc_point point;   // of the program, with its multipliers
  bool every_speed; // oc_task.every_speed of this program
} oc_optimum;

typedef struct oc_multistart {
  int searches, solved; // on the coarse grid; those that found an optimum
  int refined;          // solved on the task's own grid
  int runs;
  int coarse_steps, goals;
  bool enough;    // the stopping criterion is met; false: searches or time ran out
  double unseen;  // the probability that the next optimum is new
  double better;  // the probability that one more run finds a better one
  double work;    // iterations of searches times entries of the Jacobian and the Hessian
  double total_s; // wall clock
  int count;
  oc_optimum *optimum; // [count] those that are not aliased first, then by their objective
  void *own;
} oc_multistart;

// The starts of searches: the kinds of oc_guess_kinds; "file", the given guess, directly; "descent", from a
// guess by descent; "hop", a bend of an optimum; "own", the result of the task's own guess. Ends with NULL.
extern const char *const oc_optimum_kinds[];

// The work of about one second: iterations times entries of the Jacobian and the Hessian. An entry takes 0.02
// us (an arm with six axes) to 0.08 us (a marionette) per iteration.
#define OC_WORK_SECOND 2e7

// Search for the best optimum of a first-order task (its arrays are borrowed).
//   m    the model whose coordinates turn
//   set  NULL: the defaults. Options: `starts`; tol and max_iter (at most 300, unless starts.only_lines) of
//        solutions on the task's own grid; max_time, after which no search starts. guess: the initial motion
//        of the first search, NULL: the line between the ends. hooks: stop and found. The others are not read.
//   own  included as one of the optima. NULL: the stage solver searches for it from the guess, within half of
//        the time; with starts.only_lines this is skipped
// Returns DM_OK, with count 0 if no search found an optimum, or DM_INTERRUPTED with the results so far; free
// `out` after both. Otherwise DM_BAD_INPUT with a sentence in msg, or DM_NO_MEMORY.
dm_status oc_multistart_run(oc_multistart *out, const oc_task *task, const dm_model *m,
                            const oc_setup *set, const oc_known *own, dm_message *msg);
// The number of goals of a task with the same pose, by revolutions of -1, 0 and 1; 1: only the task's own.
// Allocates; 1 if out of memory.
int oc_multistart_goals(const oc_task *task, const dm_model *m);
void oc_multistart_free(oc_multistart *out); // accepts an empty one

DM_END_C
#endif
