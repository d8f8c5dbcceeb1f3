// problems/readers/task/solver.h: `solver:` as read: the solver and its stopping criteria.
#ifndef PB_TASK_SOLVER_H
#define PB_TASK_SOLVER_H
#include "lib/base/linkage.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct pb_solver {
  double tol;
  int max_iter;
  double max_time;           // s, INFINITY: none
  double pace;               // s, see oc_task.pace
  bool ipopt, newton, stage; // explicit choice; none: automatic
  char *linear;              // one of oc_ipopt_solvers
} pb_solver;

DM_END_C
#endif
