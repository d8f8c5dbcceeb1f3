// optim/contact_search.h: solve a program with contacts (optim/rows/contact_rows.h) without a given schedule.
//
//   1  search with pairs that have room: e = 0.3, 0.3^2, .. about 1e-4, each from the last point
//   2  read off the schedule: a contact is closed if its impulse is larger than its gap, it sticks if the
//      friction bound is farther than the sliding distance, else it slides, each in its unit
//   3  polish: one member of each pair is zero; the products are gone
//   4  members with a wrong sign change their place in the schedule, and 3 is repeated, at most FLIPS times
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
