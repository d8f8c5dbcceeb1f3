// problems/readers/task/solver.h: which solver is asked for, and when it stops: `solver:`.
#ifndef PB_TASK_SOLVER_H
#define PB_TASK_SOLVER_H
#include "lib/base/linkage.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct pb_solver {
  double tol;
  int max_iter;
  double max_time;           // s, INFINITY: none
  double pace;               // s, as oc_task.pace
  bool ipopt, newton, stage; // which is asked for; none: as it fits
  char *linear;              // one of oc_ipopt_solvers
} pb_solver;

DM_END_C
#endif
