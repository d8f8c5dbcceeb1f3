// problems/readers/task/starts.h: `starts:` as read: the number of initial guesses of a task.
#ifndef PB_TASK_STARTS_H
#define PB_TASK_STARTS_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef struct pb_starts {
  int searches; // at most (optim/multistart.h); 1: only the file's guess; 0: not given
  int returns;  // stop when the best result was found this often
  int steps;    // of the coarse grid; 0: as in the task
  int seed;
  int *turns; // [nturns] revolutions of goals on circles; NULL: as in oc_multistart_default
  int nturns;
} pb_starts;

DM_END_C
#endif
