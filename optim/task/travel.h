// optim/task/travel.h: how far a motion that ends as it began goes, coordinate by coordinate
// (optim/task/task.h).
#ifndef OC_TASK_TRAVEL_H
#define OC_TASK_TRAVEL_H
#include "optim/task/task.h"

DM_BEGIN_C

// The number of coordinate i's range (oc_task_travel) that is nearest to 0, m or rad.
double oc_travel_least(const oc_task *task, int i);

// The first coordinate whose travel changes L, so that the next period is another motion, into coord;
// -1: there is none. A range is tried at its ends, what may be anything at a metre or radian and more.
// Forces and constraints are not tried. Returns DM_OK or DM_NO_MEMORY. Cost: a few evaluations of L
// for each coordinate that travels.
dm_status oc_travel_changes(const oc_task *task, int *coord);

// The first coordinate, of those `among` [n], of a periodic motion along which all of it may be moved, at no cost: its start is
// free and unbounded, L does not change with it, and neither cost nor outputs ask for its place; of such
// a motion a search does not settle where. -1: there is none, or forces or constraints act, which are not
// tried. Returns and costs as above.
dm_status oc_travel_anywhere(const oc_task *task, const bool *among, int *coord);

DM_END_C
#endif
