// problems/readers/task/fineness.h: what is asked of a task's grid beside its number of steps.
#ifndef PB_TASK_FINENESS_H
#define PB_TASK_FINENESS_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef struct pb_fineness {
  double turn;    // of a joint in a step, at most; INFINITY: any                          rad
  double gap;     // where a plant ends a step beside the next knot, at most, over fb_gap_unit
                  // (control/loop/follow.h); INFINITY: anywhere
  double between; // by which a limit on an output is passed between knots, at most; INFINITY: any
                  //                                                                 m, rad or 1
  double error;   // of the objective and the final time over these, at most; INFINITY: any
  int doublings;  // of the steps, at most, to keep to that
  int asked;      // steps that the file counts in: those of its grid before it is refined
} pb_fineness;

DM_END_C
#endif
