// optim/contact_search.h: solve a program with contacts (optim/rows/contact_rows.h) without a given schedule.
//
//   1  search with pairs that have room e = 0.3. If that takes more than 300 iterations, and the grid has at least 16
//      steps, steps 1 and 2 on a grid with half of them, to e = 0.003; its point is the guess, and e begins at 0.009
//   2  less and less room, each 0.3 times the one before, to about 1e-4, each from the last point; the objective is
//      scaled to 100, far below its ordinary scale, so that iterates stay away from bounds, and 1 is repeated until its
//      value is known
//      The Hessian contains the products only near a solution, as searches converge from more guesses without them.
//   3  read off the schedule: a contact is closed if its impulse is larger than its gap, it sticks if the
//      friction bound is farther than the sliding distance, else it slides, each in its unit
//   4  polish: one member of each pair is zero; the products are gone. If that is not met, of contacts that should
//      stick and move at a knot, as heel and toe of a foot that lands, the one with the least friction bound slides
//   5  members with a wrong sign change their place in the schedule, and 4 is repeated, at most FLIPS times
//
// A point with multipliers, of --from or a search on another grid, begins at 3 with its own schedule.
//
// Source: docs/theory.md section 32.
#ifndef OC_CONTACT_SEARCH_H
#define OC_CONTACT_SEARCH_H
#include "optim/solution_layout.h"

DM_BEGIN_C

// From w->point, within the limits of w->set. Returns as oc_search_from_guesses does.
dm_status oc_search_contacts(oc_solution *w);

DM_END_C
#endif
