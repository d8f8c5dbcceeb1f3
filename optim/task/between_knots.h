// optim/task/between_knots.h: limits on outputs kept between knots, too.
//
// A program asks for low <= y <= high at its knots. Where a motion passes a limit by e between two of
// them, the bounds there are made narrower by as much, and the program is solved again from where it
// was:
//
//   margin_k += max e   over the steps beside knot k           low + margin <= y_k <= high - margin
//
// e falls with h^2, and so does what a margin costs. Where it is no margin that is missing, but steps
// that pass over an obstacle with both knots far from it, a finer grid helps alone.
//
// A power is of steps: the program bounds its mean over step k, and the plant's changes with the speed.
// Its bound in that step is made narrower by what the plant passes it in the step.
//
// Kept are limits that leave a range, on powers and on outputs that are functions of q: of a value that
// is held there is nothing to narrow, and velocities between knots are those of the inputs' jumps.
//
// Source: docs/theory.md section 25.
#ifndef OC_TASK_BETWEEN_KNOTS_H
#define OC_TASK_BETWEEN_KNOTS_H
#include "optim/task/task.h"

DM_BEGIN_C

// Is limit i of a task of N steps one that can be kept between knots?
bool oc_between_has(const oc_outputs *o, int N, int i);

// What limit i may be passed by is in these units: one; of a power its size, from 1 W on.
double oc_between_unit(const oc_outputs *o, int i);

typedef struct oc_between {
  const oc_task *task;
  // of the motion measured last: the limit that it passes furthest in units, or keeps most narrowly
  int limit;     // -1: there is none to keep
  double excess; // by how much, below 0 where it is kept; INFINITY: it has no value there
  double value;  // of the output there
  double at;     // in steps from the start: 3.25 is a quarter of a step behind knot 3

  double *beyond; // [nlimits x 2 x N] by how much low, high are passed in each step
  double *room;   // [nlimits x 2 x (N+1)] what the program's bounds leave at knots
  double *before; // [nlimits x 2 x (N+1)] margins before they were raised
  double *sample; // [samples of a step x ny] outputs
  double *mean;   // [ny] of a step, those that are driven
  double *state;  // [2 x 2n] the ends of a piece, then a state between them
  void *scratch;
} oc_between;

// A place to measure motions of a task in, which is borrowed, for oc_between_free. Returns DM_OK or
// DM_NO_MEMORY.
dm_status oc_between_new(oc_between **out, const oc_task *task);
void oc_between_free(oc_between *w); // accepts NULL

// How the task's limits are kept between the knots of x, whose steps go through the states
// y [(N parts + 1) x 2n] of the ends of their `parts` pieces, (q,v), as of a plant that begins each
// step at the knot. Between these q is a cubic, looked at 16 times a step, with a parabola about the
// worst. Returns DM_OK or what the outputs return. No allocation.
dm_status oc_between_measure(oc_between *w, const dm_trajectory *x, int parts, const double *y);

// Narrow the bounds at both knots of steps that pass a limit by more than `allowed` units, and those
// of a power in the steps themselves, by what they pass it: in task->outputs.margins, which must be there. Only bounds that this motion then does not keep
// are narrowed, and not at an end where all that moves the output is given; with `ends` false at no
// end; steps have none. Returns how many: 0, another search would come to the same.
int oc_between_raise(oc_between *w, double allowed, bool ends);

// Margins as they were before the last oc_between_raise.
void oc_between_lower(oc_between *w);

DM_END_C
#endif
