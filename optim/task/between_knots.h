// optim/task/between_knots.h: enforce limits on outputs between knots.
//
// A program enforces low <= y <= high at its knots. If a motion exceeds a limit by e between two knots, the
// bounds at these knots are narrowed by e, and the program is solved again from its last solution:
//
//   margin_k += max e   over the steps beside knot k           low + margin <= y_k <= high - margin
//
// Both e and the cost of a margin fall with h^2. Margins do not help if a step passes over an obstacle
// and both of its knots are far from it: that needs a finer grid.
//
// The limit on a power applies to steps: the program bounds its mean over step k, but the plant's power
// varies with the speed within the step. The bound of that step is narrowed by the excess in the step.
//
// Supported limits are those that leave a range, on powers and on outputs that are functions of q. An
// equality leaves nothing to narrow, and velocities between knots reflect the jumps of the inputs.
//
// Source: docs/theory.md section 25.
#ifndef OC_TASK_BETWEEN_KNOTS_H
#define OC_TASK_BETWEEN_KNOTS_H
#include "optim/task/task.h"

DM_BEGIN_C

// Can limit i of a task with N steps be enforced between knots?
bool oc_between_has(const oc_outputs *o, int N, int i);

// The unit of an excess over limit i: 1, or for a power its magnitude, at least 1 W.
double oc_between_unit(const oc_outputs *o, int i);

typedef struct oc_between {
  const oc_task *task;
  // the limit that the last measured motion exceeds most, in units, or satisfies most narrowly
  int limit; // -1: no limit to enforce
  // how far it is exceeded, negative if satisfied; INFINITY: the output has no value there
  double excess;
  double value; // of the output at that time
  double at;    // in steps from the start: 3.25 is a quarter of a step after knot 3

  double *beyond; // [nlimits x 2 x N] excess over low and high in each step
  double *room;   // [nlimits x 2 x (N+1)] room that the program's bounds leave at knots
  double *before; // [nlimits x 2 x (N+1)] margins before they were raised
  double *sample; // [samples of a step x ny] outputs
  double *mean;   // [ny] means of the driven outputs over a step
  double *state;  // [2 x 2n] the ends of a piece, then a state between them
  double *lambda; // [y.impulses] impulses of a step
  void *scratch;
} oc_between;

// Workspace to measure motions of a borrowed task; free it with oc_between_free. Returns DM_OK or
// DM_NO_MEMORY.
dm_status oc_between_new(oc_between **out, const oc_task *task);
void oc_between_free(oc_between *w); // accepts NULL

// Measure how well x satisfies the task's limits between knots. y [(N parts + 1) x 2n] holds the states (q,v)
// at the ends of the `parts` pieces of each step, computed with a plant that starts each step at the knot.
// Within a piece q is a cubic; each step is sampled 16 times, and a parabola refines the worst sample.
// Returns DM_OK or the status of the outputs. No allocation.
dm_status oc_between_measure(oc_between *w, const dm_trajectory *x, int parts, const double *y);

// Narrow the bounds in task->outputs.margins, which must be allocated: at both knots of each step that
// exceeds a limit by more than `allowed` units, or for powers in the step itself, by the excess. Only bounds
// that this motion then violates are narrowed. Bounds at an end are left alone if all coordinates that move
// the output are given there, and always if `ends` is false; this does not apply to steps. Returns the number
// of narrowed bounds; with 0 another search would give the same result.
int oc_between_raise(oc_between *w, double allowed, bool ends);

// Restore the margins from before the last oc_between_raise.
void oc_between_lower(oc_between *w);

DM_END_C
#endif
