// optim/multistart_search.h: one of many searches for an optimum (optim/multistart.h), by any thread: from its guess to an
// optimum.
//
// A search by descent brings its guess nearer to a motion's optimum by Newton's method on motions
// (optim/descent/descent.h), and the program's solver goes on from there. The two meet different optima
// from one guess: descent keeps to motions of the system, the solver does not.
//
// What a search costs is counted, not timed: iterations times the entries of the Jacobian and the
// Hessian, which the time of an iteration is proportional to.
#ifndef OC_MULTISTART_SEARCH_H
#define OC_MULTISTART_SEARCH_H
#include "optim/solution.h"
#include "optim/starts/circle_goals.h"
#include "optim/starts/seeded_guess.h"

#include <stdatomic.h>

// what a search begins from, beside oc_guess_kinds: the given guess, the same or another one by descent, a
// bend of an optimum, and the caller's own solution
enum { OC_FROM_FILE = OC_GUESS_COUNT, OC_FROM_DESCENT, OC_FROM_HOP, OC_FROM_OWN };

// a search, or a refinement, from its plan to its outcome
typedef struct oc_start_search {
  int number;           // from 0; of a refinement that of the search that it refines
  int goal, kind;       // of oc_circle_goals; of oc_guess_kinds, or above
  int drawn;            // of a descent: what it begins from, likewise
  bool fine;            // a refinement
  bool last;            // the last one of its run
  int iterations;       // at most
  double best;          // the best objective known when it was planned, INFINITY: none
  dm_trajectory *guess; // where it begins; NULL: by its kind
  dm_status status;
  double objective;
  double work; // iterations times entries
  dm_trajectory *motion;
  oc_point point;   // of a refinement, to be freed by its x
  bool every_speed; // of the program that it is of
} oc_start_search;

// what all searches share
typedef struct oc_searchers {
  const oc_task *task, *grid; // on the task's own grid, and on the coarse one
  oc_circle_goals goals;
  const dm_trajectory *guess; // the given one, or NULL: the line
  uint64_t seed;
  double tol;      // of solutions on the task's own grid
  double max_time; // s, wall clock, from `begun`
  bool (*stop)(void *user);
  void *user;
  double begun;               // wall clock, s
  bool descends;              // can a descent take the task?
  atomic_bool stopped, ended; // by the caller; since there is enough
} oc_searchers;

// Solve j, which is planned. Its outcome is in j; a failure is a status of it.
void oc_start_search_run(oc_searchers *all, oc_start_search *j);

// The same for the task itself as oc_solve does it by the stage solver, from the given guess; j is a
// refinement. Returns whether that leads to an optimum.
bool oc_start_search_own(oc_searchers *all, oc_start_search *j);

// Free what it holds.
void oc_start_search_drop(oc_start_search *j);

static inline bool oc_start_search_is_solved(const oc_start_search *j) {
  return j->status == DM_OK || j->status == DM_ACCEPTABLE;
}
#endif
