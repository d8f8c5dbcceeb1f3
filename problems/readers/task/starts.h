// problems/readers/task/starts.h: from how many guesses a task is solved: `starts:`.
#ifndef PB_TASK_STARTS_H
#define PB_TASK_STARTS_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef struct pb_starts {
  int searches; // at most (optim/multistart.h); 1: the file's own guess alone; 0: nothing was said
  int returns;  // of the best, which are enough
  int steps;    // of the coarse grid; 0: as the task asks for
  int seed;
  int *turns; // [nturns] of goals on circles; NULL: those of oc_multistart_default
  int nturns;
} pb_starts;

DM_END_C
#endif
