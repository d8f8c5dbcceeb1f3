// optim/program/saturation.h: which limits of a task a motion spends its time at. Where a
// program has no solution, this says what was in the way: a motor at its limit throughout, a joint
// at its stop.
#ifndef OC_PROGRAM_SATURATION_H
#define OC_PROGRAM_SATURATION_H
#include "optim/task/task.h"

#include <stdbool.h>

DM_BEGIN_C

typedef enum oc_limit_kind {
  OC_LIMIT_INPUT,    // u of an input, by steps
  OC_LIMIT_STRAIN,   // the same in the outer half of its range, where it is not at its limits
  OC_LIMIT_SPEED,    // |q_{k+1} - q_k| / h of a coordinate, by steps
  OC_LIMIT_POSITION, // q of a coordinate, by knots that no end prescribes
  OC_LIMIT_IMPULSE,  // lambda of a constraint, by steps
  OC_LIMIT_TIME,     // the final time, where it is free
  OC_LIMIT_KINDS
} oc_limit_kind;

typedef struct oc_limit {
  oc_limit_kind kind;
  int index;               // of the input, coordinate or constraint's row
  double low, high;        // the limits; INFINITY where there is none
  int at_low, at_high, of; // how many steps or knots are at either, of how many; of the time, 1
} oc_limit;

// List the limits that a motion on the task's grid is at during a large part of it: inputs and
// speeds, within a tenth of half their range, in half of the steps or more (else inputs within a
// half of it: an interior-point method that gives up early has not come nearer); positions and
// impulses, within a thousandth, at a tenth of the knots or more; the final time within a
// thousandth. What is bounded on one side has the size of its bound for half a range. Those that
// are met the longest stand first.
//   out  out: the first of them                     [room]
// Returns how many there are of them in out. Does not allocate.
int oc_saturation_find(const oc_task *task, const dm_trajectory *x, oc_limit *out, int room);

DM_END_C
#endif
