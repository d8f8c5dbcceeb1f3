// optim/starts/circle_goals.h: goals on circles. A continuous joint has the same pose at every angle q + 2 pi
// m; the search decides at which of them a motion ends.
//
// A coordinate's goal is on a circle if it is given, the coordinate is an angle, its angle has no limit, cost
// or constraint and is not prescribed by an input, and a revolution leaves L unchanged.
#ifndef OC_STARTS_CIRCLE_GOALS_H
#define OC_STARTS_CIRCLE_GOALS_H
#include "optim/task/task.h"

DM_BEGIN_C

// maximum numbers of goals, and of revolutions per joint
enum { OC_CIRCLE_GOALS = 81, OC_TURNS = 16 };

typedef struct oc_circle_goals {
  int n, count; // coordinates; goals
  int *turns;   // [count x n] revolutions relative to the task's own goal, which comes first: 0
  double *q;    // [count x n] the goals; after the first, by distance from the start
} oc_circle_goals;

// The coordinates whose goals are on circles, into circle [n]; returns their number. Allocates.
int oc_find_circles(const oc_task *task, const dm_model *m, bool *circle);

// The goals for each combination of revolutions turns[nturns] over the coordinates of circle [n]; if there
// are more than OC_CIRCLE_GOALS, the nearest ones. If mirror images of motions are motions with the same
// cost, one of each pair is kept. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_circle_goals_new(oc_circle_goals *out, const oc_task *task, const bool *circle,
                              const int *turns, int nturns);
void oc_circle_goals_free(oc_circle_goals *g); // accepts an empty one

DM_END_C
#endif
