// optim/multistart.h: a task solved from many guesses, for the best of its optima.
//
// The first optimum is the one that the task's own guess leads to, the caller's or one that is searched
// for: nothing that is found is worse. The search for others is made of runs. A run
//
//   1  searches on a coarse grid, from guesses (optim/starts/seeded_guess.h) to each of the
//      goals that are the same place (optim/starts/circle_goals.h), once by descent on motions
//   2  goes on in turns: bends one of the best optima so far and searches from there (a hop), or
//      searches from a new guess to one of the best goals, until the best few stay as they are
//   3  refines the best one or two on the task's own grid
//
// Once `returns` runs came to the best optimum, and the next optimum is likelier to be a known one than
// a new one, it is likely to be the best that there is. Runs share the best objective, above which a
// search that stays far is given up, and how good each goal was: only the first looks at all of a few
// goals alike.
//
// Searches are shared out among threads in an order that no clock decides (optim/ordered_jobs.h), so
// that the outcome is the same for any number of them. They are made by the stage solver
// (optim/interior/interior.h), IPOPT having none that may run twice at once.
//
// Sources: [good-1953], the chance of what was not yet seen; [wales-doye-1997], searches from bends of
// optima, in docs/sources.md.
#ifndef OC_MULTISTART_H
#define OC_MULTISTART_H
#include "optim/solve.h"

#include <stdint.h>

DM_BEGIN_C

// optima that are kept; threads; searches of `auto`
enum { OC_OPTIMA = 32, OC_THREADS = 256, OC_SEARCHES_AUTO = 1024 };

struct oc_multistart;

typedef struct oc_multistart_settings {
  int searches;     // at most, on the coarse grid; default OC_SEARCHES_AUTO; those of a run are 64
  int returns;      // the best has come back so often, and most others have: enough; default 3
  int steps;        // of the coarse grid; 0, the default: as the task asks for
  int threads;      // default 1; more than 16 have nothing to do
  uint64_t seed;    // default 0
  const int *turns; // [nturns] of goals on circles; NULL: -1, 0, 1
  int nturns;
  double turn;  // a motion that turns a joint further in a step is no optimum; default pi/2   rad
  double tol;   // of solutions on the task's own grid; default 1e-9
  int max_iter; // the same; default 300
  double max_time; // s, wall clock: no search begins after it; default INFINITY
  double work;     // nor after those so far have cost so much (OC_WORK_SECOND); default INFINITY

  bool
      only_lines; // the first searches alone: the given guess, the lines to the goals; default false

  // A solution of the task and its motion, one of the optima from the beginning. NULL: the stage solver
  // looks for it, from `guess`, and with half of the time; of only_lines nobody does.
  const oc_solution *own;
  const dm_trajectory *own_motion;
  // The motion that the first search starts from; NULL: the line between the ends.
  const dm_trajectory *guess;
  // Called once an iteration of a search, by any thread; returning true ends all; NULL: not called.
  bool (*stop)(void *user);
  // Called after runs, by one thread at a time; NULL: not called.
  void (*watch)(void *user, const struct oc_multistart *so_far);
  void *user;
} oc_multistart_settings;

// An optimum on the task's own grid.
typedef struct oc_optimum {
  double objective;
  double turn;        // the largest of a step                                              rad
  bool aliased;       // it turns further than the settings say
  int runs;           // that came to it; 0: the task's own guess alone led there
  int first;          // the number of the search that did first; -1: that one
  const char *kind;   // what that search began from: of oc_optimum_kinds
  const int *turns;   // [n] whole turns of its goal off the task's
  const double *goal; // [n] that goal
  dm_status status;
  dm_trajectory *motion;
  oc_point point;   // of the program, with its multipliers
  bool every_speed; // oc_task.every_speed of that program
} oc_optimum;

typedef struct oc_multistart {
  int searches, solved; // on the coarse grid; those that came to an optimum
  int refined;          // solved on the task's own grid
  int runs;
  int coarse_steps, goals;
  bool enough;    // that is so; false: searches or time were over
  double unseen;  // the chance that the next optimum is one that no run came to so far
  double better;  // that one more run finds a better one
  double work;    // iterations of searches times entries of the Jacobian and the Hessian
  double total_s; // wall clock
  int count;
  oc_optimum *optimum; // [count] those that are not aliased first, then by their objective
  void *own;
} oc_multistart;

// What searches begin from: the kinds of oc_guess_kinds; the given guess, "file", itself and by
// "descent"; a bend of an optimum, "hop"; "own", what the task's own guess leads to. Ends with NULL.
extern const char *const oc_optimum_kinds[];

// The work of about a second: iterations times entries of the Jacobian and the Hessian. An entry takes
// 0.02 us (an arm of six axes) to 0.08 us (a marionette) of an iteration.
#define OC_WORK_SECOND 2e7

// Every field at its default.
oc_multistart_settings oc_multistart_default(void);

// Look for the best optimum of a task of first order (its arrays are borrowed).
//   m  the model whose coordinates turn
// Returns DM_OK, with count 0 where no search came to an optimum; DM_INTERRUPTED, with what was found
// so far; both to be freed. DM_BAD_INPUT with a sentence in msg, DM_NO_MEMORY.
dm_status oc_multistart_run(oc_multistart *out, const oc_task *task, const dm_model *m,
                            const oc_multistart_settings *set, dm_message *msg);
// How many goals of a task are the same place, by turns of -1, 0 and 1; 1: the task's own alone.
// Allocates; without memory 1.
int oc_multistart_goals(const oc_task *task, const dm_model *m);
void oc_multistart_free(oc_multistart *out); // accepts an empty one

DM_END_C
#endif
