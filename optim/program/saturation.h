// optim/program/saturation.h: the limits that are active for a large part of a motion. If a program has no
// solution, these show the likely cause: a motor always at its limit, or a joint at its stop.
#ifndef OC_PROGRAM_SATURATION_H
#define OC_PROGRAM_SATURATION_H
#include "optim/task/task.h"

#include <stdbool.h>

DM_BEGIN_C

typedef enum oc_limit_kind {
  OC_LIMIT_INPUT,    // u of an input, by steps
  OC_LIMIT_STRAIN,   // the same, in the outer half of its range, if it is not at its limits
  OC_LIMIT_SPEED,    // |q_{k+1} - q_k| / h of a coordinate, by steps
  OC_LIMIT_POSITION, // q of a coordinate, by knots whose position is not prescribed
  OC_LIMIT_IMPULSE,  // lambda of a constraint, by steps
  OC_LIMIT_TIME,     // the final time, if it is free
  OC_LIMIT_KINDS
} oc_limit_kind;

typedef struct oc_limit {
  oc_limit_kind kind;
  int index;               // of the input, coordinate or constraint's row
  double low, high;        // the limits; INFINITY: absent
  int at_low, at_high, of; // number of steps or knots at each limit, and in total; for the time, 1
} oc_limit;

// List the limits that are active during a large part of a motion on the task's grid: inputs and speeds,
// within a tenth of half their range, in at least half of the steps (otherwise inputs within a half of it,
// because an interior-point method that stops early has not come closer); positions and impulses, within a
// thousandth, at a tenth of the knots or more; the final time within a thousandth. For one-sided bounds, the
// magnitude of the bound replaces half the range. Limits that are active longest come first.
//   out  out: the first of them                     [room]
// Returns the number of limits in out. No allocation.
int oc_saturation_find(const oc_task *task, const dm_trajectory *x, oc_limit *out, int room);

DM_END_C
#endif
