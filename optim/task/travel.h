// optim/task/travel.h: the travel q_N - q_0 of each coordinate in a periodic motion (optim/task/task.h).
#ifndef OC_TASK_TRAVEL_H
#define OC_TASK_TRAVEL_H
#include "optim/task/task.h"

DM_BEGIN_C

// The value in coordinate i's range (oc_task_travel) that is nearest to 0, m or rad.
double oc_travel_least(const oc_task *task, int i);

// The first coordinate whose travel changes L, so that the next period is a different motion, into coord; -1:
// no coordinate. A bounded range is tested at its ends, an unbounded one beyond 1 m or 1 rad. Forces and
// constraints are not tested. Returns DM_OK or DM_NO_MEMORY. Cost: a few evaluations of L per coordinate that
// travels.
dm_status oc_travel_changes(const oc_task *task, int *coord);

// The first coordinate of a periodic motion, among those in the mask `among` [n], along which the whole
// motion can be shifted at no cost: its start is free and unbounded, L does not change with it, and neither
// cost nor outputs depend on its position. A search does not determine the position of this motion. -1: no
// coordinate, or forces or constraints act, which are not tested. Returns and costs as above.
dm_status oc_travel_anywhere(const oc_task *task, const bool *among, int *coord);

DM_END_C
#endif
