// optim/guess_search.h: a program's solution from one guess after another.
//
// What a solver ends at without a solution says nothing of other places: a minimum of the violation is
// local, and a limit of iterations only counts. So a task is called infeasible after guesses of several
// kinds:
//
//   1  from the task's own guess, by the first beginning of the stage solver alone
//   2  from the others of a list, none like one before, each with a share of the iterations: rollouts without forces and under
//      random ones, bends, the line, and of goals and via points in space lines by other postures
//   3  from the task's own guess again, by what was left out: the stage solver's other beginnings, IPOPT
//
// A search of 1 or 2 is given up where its violation has not halved for a while: what solves does so
// steadily, and most of what does not stays where it is. Where five guesses have led to minima of the
// violation, no further ones are tried. All is counted in iterations, so that the way is the same at
// each run.
#ifndef OC_GUESS_SEARCH_H
#define OC_GUESS_SEARCH_H
#include "optim/solution_layout.h"

// One search of the program's solver from w->point, by all its beginnings; its outcome in w->point,
// w->record and w->info. Returns w->info.status.
dm_status oc_search_program(oc_solution *w, int max_iter, double max_time);

// The searches above, from w->point and then others, within w->set.max_iter and max_time; where none
// solves, w has the outcome of the own guess. Returns
//   DM_INFEASIBLE  none solves, and no limit cut the list short
//   DM_MAX_ITER    one did; w->info.late says which
// or what oc_solution_find says.
dm_status oc_search_from_guesses(oc_solution *w);

// Is it a motion that a search is for, or the caller's wish to end?
bool oc_search_is_found(dm_status s);
#endif
