// optim/starts/circle_goals.h: goals on circles. A joint that turns for ever is at one place at
// every angle q + 2 pi m; which of them a motion ends at is for the search to decide.
//
// A coordinate's goal is on a circle where it is given, the coordinate turns, nothing limits, weighs
// or constrains its angle, its input does not prescribe it, and a turn changes nothing in L.
#ifndef OC_STARTS_CIRCLE_GOALS_H
#define OC_STARTS_CIRCLE_GOALS_H
#include "optim/task/task.h"

DM_BEGIN_C

enum { OC_CIRCLE_GOALS = 81, OC_TURNS = 16 }; // goals in all, and turns of a joint, at most

typedef struct oc_circle_goals {
  int n, count; // coordinates; goals
  int *turns;   // [count x n] whole turns off the task's own goal, which is the first: 0
  double *q;    // [count x n] the goals; the others by their distance from the start
} oc_circle_goals;

// Which goals are on circles, into circle [n]; returns how many. Allocates.
int oc_find_circles(const oc_task *task, const dm_model *m, bool *circle);

// The goals that turns by turns[nturns] of each coordinate of circle [n] lead to; where these are more
// than OC_CIRCLE_GOALS, the nearest. Where mirror images of motions are motions that cost as much,
// one of a pair. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_circle_goals_new(oc_circle_goals *out, const oc_task *task, const bool *circle,
                              const int *turns, int nturns);
void oc_circle_goals_free(oc_circle_goals *g); // accepts an empty one

DM_END_C
#endif
