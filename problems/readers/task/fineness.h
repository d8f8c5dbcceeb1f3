// problems/readers/task/fineness.h: requirements on a task's grid besides its number of steps.
#ifndef PB_TASK_FINENESS_H
#define PB_TASK_FINENESS_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef struct pb_fineness {
  double turn; // largest rotation of a joint in a step; INFINITY: no limit  [rad]
  double gap;  // largest distance between a plant's state after a step and the next knot, in units
               // of fb_gap_unit (control/loop/follow.h); INFINITY: no limit
  double between; // largest violation of an output's limit between knots; INFINITY: no limit
                  // [m, rad or 1]
  double error;   // largest relative error of the objective and the final time; INFINITY: no limit
  int doublings;  // largest number of step doublings to satisfy these
  int asked;      // step count in the file: of the grid before refinement
} pb_fineness;

DM_END_C
#endif
