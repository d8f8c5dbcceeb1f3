// optim/task/outputs.h: limits and costs on outputs y(q,v) of a task's robot (lib/multibody/output.h) at the
// knots of a time span; a limit with low = high prescribes a value. Via points, goals in space and time
// windows are all special cases. For driven outputs, i.e. inputs and their power
// (lib/mechanics/driven_output.h), limits and costs apply to steps, for those of contacts
// (lib/mechanics/contact_output.h) to the impulses of knots. Outputs can also follow a curve in space
// whose timing is free (optim/rows/curve_rows.h).
#ifndef OC_TASK_OUTPUTS_H
#define OC_TASK_OUTPUTS_H
#include "lib/base/curve.h"
#include "lib/discrete/trajectory.h"
#include "lib/mechanics/contact_output.h"
#include "lib/mechanics/driven_output.h"
#include "optim/task/activation.h"

#include <stdbool.h>

DM_BEGIN_C

// From one time to another, as fractions of the horizon's steps: 0 <= from <= to <= 1. If no knot lies between them,
// the span is the knot nearest to their midpoint.
typedef struct oc_span {
  double from, to;
} oc_span;

// low <= y_output(q_k,v_k) - reference_k <= high; -INFINITY, INFINITY: absent. For a driven output, in step
// k.
typedef struct oc_output_limit {
  int output; // row of the task's outputs
  oc_span at;
  double low, high;
  const double *references; // [N+1] by knot; NULL: zero
} oc_output_limit;

// weight a(y_output(q_k,v_k) - reference), a the activation: integrated over the span (trapezoidal rule;
// summed if the task's cost is summed), or once at each of its knots. For a driven output over its steps, each of which has
// one value.
typedef struct oc_output_cost {
  int output;
  oc_span at;
  bool once;
  oc_activation activation; // default: quadratic
  double weight;            // >= 0, of any sign if the activation is linear
  double reference;
  const double *references; // [N+1] replaces `reference` if not NULL
} oc_output_cost;

// The integral of y_output over a span, low <= integral <= high, or its largest value there, times `weight` in the
// cost (optim/rows/level_rows.h). First order only.
typedef struct oc_level {
  int output;
  oc_span at;
  bool largest;
  double low, high; // of an integral; -INFINITY, INFINITY: absent
  double weight;    // of a largest value, > 0
} oc_level;

// |y_i(q_k) - r_i(s_k)| <= within_i for the rows i of a curve r, at every knot, with s_k unknown:
// 0 = s_0 <= s_1 <= .. <= s_N = 1.
typedef struct oc_followed {
  const dm_curve *curve; // NULL: no curve
  const int *output;     // [curve->m] rows of the task's outputs, functions of q alone
  const double *within;  // [curve->m] 0: exactly
  // [curve->m] where a guess searches for its first posture; NAN: anywhere; or NULL
  const double *near;
} oc_followed;

typedef struct oc_outputs {
  dm_output_map y; // rows y_i(q,v); y.ny = 0: no outputs
  int nlimits, ncosts;
  const oc_output_limit *limits;
  const oc_output_cost *costs;
  int nlevels;
  const oc_level *levels;
  // [nlimits x 2 x (N+1)] how much low, then high, is narrowed at each knot of the program, so that limits
  // hold between knots (optim/task/between_knots.h); NULL: no margins
  double *margins;
  oc_followed follow;
} oc_outputs;

static inline bool oc_outputs_asked(const oc_outputs *o) {
  return o->nlimits > 0 || o->ncosts > 0 || o->nlevels > 0 || o->follow.curve;
}

// The knots of a span on a grid of N steps, first to last.
void oc_span_knots(oc_span at, int N, int *first, int *last);

// Does a span contain knot k?
bool oc_span_has(oc_span at, int N, int k);

// The steps of a span, first to last: those between its knots; if it has one knot, the step that starts
// there, or the last step.
void oc_span_steps(oc_span at, int N, int *first, int *last);

// Does output i belong to steps, as inputs, powers and rates of contact forces do?
bool oc_outputs_of_steps(const oc_outputs *o, int i);

// The knots of a span at which output i applies, or its steps.
void oc_outputs_span(const oc_outputs *o, int i, oc_span at, int N, int *first, int *last);

// Does a task have limits or costs on inputs or powers in step k of a grid of N?
bool oc_outputs_driven_at(const oc_outputs *o, int N, int k);

// The weight of knot k in the trapezoidal sum over knots first to last, or in the plain sum.
double oc_span_share(int k, int first, int last, bool sum);

// The reference of a limit at knot k, interpolated linearly between two knots (k = 3.25).
double oc_output_limit_reference(const oc_output_limit *l, double k);

// How far y exceeds a limit at this k; negative if it is satisfied.
double oc_output_limit_excess(const oc_output_limit *l, double k, double y);

// How much a side of limit i, low 0 or high 1, is narrowed at knot k of a program of N steps.
static inline double oc_outputs_margin(const oc_outputs *o, int N, int i, int side, int k) {
  return o->margins ? o->margins[(2 * i + side) * (N + 1) + k] : 0;
}

// Reset all margins to zero, if they exist.
void oc_outputs_widen(const oc_outputs *o, int N);

// The name of row i, for messages.
const char *oc_outputs_name(const oc_outputs *o, int i);

// Is row i not a function of the state, but an input, its power, or of contacts?
static inline bool oc_outputs_driven(const oc_outputs *o, int i) {
  return dm_output_map_is_driven(&o->y, i);
}

// Does knot k of a grid of N steps have limits or costs on outputs that are functions of v?
bool oc_outputs_rated_at(const oc_outputs *o, int N, int k);

// Evaluate y [y.ny] and, if not NULL, y_q and y_v [y.ny x n] at knot k of a grid of N steps, with scratch
// [y.scratch]; if v is NULL, outputs of velocities are ignored. Returns DM_OK, DM_NOT_FINITE if a row with a
// limit or cost at this knot has no value or no derivative (other rows are ignored), or the status of the
// outputs.
dm_status oc_outputs_eval(const oc_outputs *o, int N, int k, void *scratch, const double *q,
                          const double *v, double *y, double *y_q, double *y_v);

// Describe the first formula without a value along a motion, or else without derivatives: "the output 'f' is not defined
// at knot 3: log(-1) at character 5". start, goal: velocities [n] at the ends that replace those of x, unless NULL or NAN.
// Returns false if each is defined, or memory is short. Allocates its scratch.
bool oc_outputs_fault(const oc_outputs *o, const dm_trajectory *x, const double *start,
                      const double *goal, char *text, size_t size);

// Rounding tolerance by which a given value may exceed a limit [unit of the output].
#define OC_OUTPUT_ROOM 1e-9

// The intersection of all limits on an output at knot k, or step k, with or without their margins.
// -INFINITY, INFINITY: no limit applies there. Cost O(nlimits).
void oc_outputs_range(const oc_outputs *o, int N, int output, int k, bool margins, double *low,
                      double *high);

// The bounds of the row of limit i in a program of N steps at knot k, or step k. If several limits apply to
// one output there, one row has their intersection: the row of the first equality, else that of the first
// limit. The other rows are free: -INFINITY, INFINITY. Cost O(nlimits).
void oc_outputs_bounds(const oc_outputs *o, int N, int i, int k, double *low, double *high);

// Check limits, costs and the curve: existing rows, spans within the horizon, low <= high, weights >= 0 and
// finite references; rows of a curve must be positions, each used once. Returns DM_OK, or DM_BAD_INPUT with a
// sentence in msg.
dm_status oc_outputs_check(const oc_outputs *o, int N, dm_message *msg);

DM_END_C
#endif
