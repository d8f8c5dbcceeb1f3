// optim/multistart_search.h: one of many searches for an optimum (optim/multistart.h), run by any thread:
// from its guess to an optimum.
//
// A search by descent first improves its guess with Newton's method on motions (optim/descent/descent.h), and
// the program's solver continues from there. They find different optima from one guess: descent stays on
// motions of the system, or without feedback on curves whose steps need not meet; the solver does not.
//
// The cost of a search is counted, not timed: iterations times the entries of the Jacobian and the Hessian,
// because the time of an iteration is proportional to these entries.
#ifndef OC_MULTISTART_SEARCH_H
#define OC_MULTISTART_SEARCH_H
#include "optim/solution.h"
#include "optim/starts/circle_goals.h"
#include "optim/starts/seeded_guess.h"

#include <stdatomic.h>

// starts of a search in addition to oc_guess_kinds: the given guess, the same or another one after a descent on
// motions or on curves with gaps, a bend of an optimum, and the caller's own solution
enum { OC_FROM_FILE = OC_GUESS_COUNT, OC_FROM_DESCENT, OC_FROM_GAPS, OC_FROM_HOP, OC_FROM_OWN };

// a search, or a refinement, from its plan to its outcome
typedef struct oc_start_search {
  int number;           // from 0; for a refinement, the number of the refined search
  int goal, kind;       // goal in oc_circle_goals; kind in oc_guess_kinds, or above
  int drawn;            // for a descent: its start, in the same numbering
  bool fine;            // a refinement
  bool last;            // the last one of its run
  int iterations;       // at most
  double best;          // the best objective known when it was planned, INFINITY: none
  dm_trajectory *guess; // the initial motion; NULL: according to `kind`
  dm_status status;
  double objective;
  double work; // iterations times entries
  dm_trajectory *motion;
  oc_point point;   // of a refinement, to be freed through its x
  bool every_speed; // of the point's program
} oc_start_search;

// data shared by all searches
typedef struct oc_searchers {
  const oc_task *task, *grid; // on the task's own grid, and on the coarse one
  oc_circle_goals goals;
  const oc_setup *set;
  double begun;               // wall clock, s
  bool descends, gaps;        // does descent support the task, and without feedback?
  atomic_bool stopped, ended; // by the caller; because the stopping criterion is met
} oc_searchers;

// Run the planned search j. Its outcome is in j; a failure is its status.
void oc_start_search_run(oc_searchers *all, oc_start_search *j);

// The same for the task itself, as oc_solve does with the stage solver, from the given guess; j is a
// refinement. Returns true if that leads to an optimum.
bool oc_start_search_own(oc_searchers *all, oc_start_search *j);

// Free the contents of a search.
void oc_start_search_drop(oc_start_search *j);

static inline bool oc_start_search_is_solved(const oc_start_search *j) {
  return j->status == DM_OK || j->status == DM_ACCEPTABLE;
}
#endif
