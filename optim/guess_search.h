// optim/guess_search.h: solve a program from several guesses in turn.
//
// A search without a solution does not show that no solution exists: a minimum of the violation is local, and
// an iteration limit is arbitrary. A task is therefore called infeasible only after guesses of several kinds:
//
//   1  from the task's own guess, only with the first beginning of the stage solver
//   2  from a list of other guesses, skipping duplicates, each with a share of the iterations: rollouts with
//      zero and with random forces, bends, the line, and for goals and via points in space lines through
//      other postures
//   3  from the task's own guess again, with the remaining methods: the stage solver's other beginnings,
//      IPOPT
//
// A search of 1 or 2 is stopped if its violation has not halved over an interval of iterations: successful
// searches reduce it steadily, and most others get stuck. After five guesses that led to minima of the
// violation, no further ones are tried. All limits count iterations, so that every run takes the same path.
#ifndef OC_GUESS_SEARCH_H
#define OC_GUESS_SEARCH_H
#include "optim/solution_layout.h"

// One search with the program's solver from w->point, with all its beginnings; the outcome is in w->point,
// w->record and w->info. Returns w->info.status.
dm_status oc_search_program(oc_solution *w, int max_iter, double max_time);

// The same for a guess: a saddle is not left, nor recognized, and a restoration of rows whose violation does not halve in
// 200 iterations ends it with DM_INFEASIBLE and the detail "No_Progress".
dm_status oc_search_once(oc_solution *w, int max_iter, double max_time);

// The searches above, from w->point and then from other guesses, within w->set.max_iter and max_time. If none
// succeeds, w has the outcome of the own guess. Returns
//   DM_INFEASIBLE  no search succeeded, and no limit was reached
//   DM_MAX_ITER    a limit was reached; w->info.late says which
// or the status of oc_solution_find.
dm_status oc_search_from_guesses(oc_solution *w);

// Does this status end the search: a motion was found, or the caller interrupted?
bool oc_search_is_found(dm_status s);
#endif
