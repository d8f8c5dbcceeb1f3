// optim/task/outputs.h: what a task asks of outputs y(q,v) of its robot
// (lib/multibody/output.h) at knots, from one time to another: limits, which hold a value where both
// are one, and costs. A via point, a goal in space and a window of time are the same thing. Of driven
// outputs, inputs and their power (lib/mechanics/driven_output.h), it is asked in steps. And a curve in
// space that outputs follow, whose timing is free (optim/rows/curve_rows.h).
#ifndef OC_TASK_OUTPUTS_H
#define OC_TASK_OUTPUTS_H
#include "lib/base/curve.h"
#include "lib/mechanics/driven_output.h"

#include <stdbool.h>

DM_BEGIN_C

// From one time to another, as shares of the horizon: 0 <= from <= to <= 1. Where no knot lies
// between them it is the nearest to their middle.
typedef struct oc_span {
  double from, to;
} oc_span;

// low <= y_output(q_k,v_k) - reference_k <= high; -INFINITY, INFINITY: none. Of a driven output in step k.
typedef struct oc_output_limit {
  int output; // row of the task's outputs
  oc_span at;
  double low, high;
  const double *references; // [N+1] by knot; NULL: zero
} oc_output_limit;

// 1/2 weight (y_output(q_k,v_k) - reference)^2: integrated over the span (trapezoid rule; plainly summed
// where the task's cost is), or once at each of its knots. Of a driven output over its steps, each of
// which has one value.
typedef struct oc_output_cost {
  int output;
  oc_span at;
  bool once;
  double weight;
  double reference;
  const double *references; // [N+1] in place of it where not NULL
} oc_output_cost;

// |y_i(q_k) - r_i(s_k)| <= within_i for the rows i of a curve r, at every knot, with s_k unknown:
// 0 = s_0 <= s_1 <= .. <= s_N = 1.
typedef struct oc_followed {
  const dm_curve *curve; // NULL: none
  const int *output;     // [curve->m] rows of the task's outputs, functions of q alone
  const double *within;  // [curve->m] 0: exactly
  const double *near;    // [y.n] where a guess looks for its first posture; NAN: anywhere; or NULL
} oc_followed;

typedef struct oc_outputs {
  dm_output_map y; // rows y_i(q,v); y.ny 0: there are none
  int nlimits, ncosts;
  const oc_output_limit *limits;
  const oc_output_cost *costs;
  // [nlimits x 2 x (N+1)] by how much low, then high, is narrower at each knot of the program, so that
  // limits are kept between knots (optim/task/between_knots.h); NULL: nowhere
  double *margins;
  oc_followed follow;
} oc_outputs;

static inline bool oc_outputs_asked(const oc_outputs *o) {
  return o->nlimits > 0 || o->ncosts > 0 || o->follow.curve;
}

// The knots of a span on a grid of N steps, first to last.
void oc_span_knots(oc_span at, int N, int *first, int *last);

// Is knot k one of them?
bool oc_span_has(oc_span at, int N, int k);

// The steps of a span, first to last: those between its knots, or where it is one knot the step from
// there, or to the last one.
void oc_span_steps(oc_span at, int N, int *first, int *last);

// The knots of a span at which output i is asked, or the steps where it is driven.
void oc_outputs_span(const oc_outputs *o, int i, oc_span at, int N, int *first, int *last);

// Does a task ask for a driven output in step k of a grid of N?
bool oc_outputs_driven_at(const oc_outputs *o, int N, int k);

// What knot k of a span's first to last weighs in the trapezoid sum, or plainly summed.
double oc_span_share(int k, int first, int last, bool sum);

// What a limit is measured from at knot k, or between two knots at 3.25 as on a line.
double oc_output_limit_reference(const oc_output_limit *l, double k);

// By how much y is beyond a limit at such a place, below 0 where it keeps it.
double oc_output_limit_excess(const oc_output_limit *l, double k, double y);

// By how much a side of limit i, low 0 or high 1, is narrower at knot k of a program of N steps.
static inline double oc_outputs_margin(const oc_outputs *o, int N, int i, int side, int k) {
  return o->margins ? o->margins[(2 * i + side) * (N + 1) + k] : 0;
}

// All margins zero again, where there are some.
void oc_outputs_widen(const oc_outputs *o, int N);

// The name of row i, for messages.
const char *oc_outputs_name(const oc_outputs *o, int i);

// Is row i an input, or its power?
static inline bool oc_outputs_driven(const oc_outputs *o, int i) {
  return dm_output_map_is_driven(&o->y, i);
}

// Does knot k of a grid of N steps have limits or costs on outputs that are functions of v?
bool oc_outputs_rated_at(const oc_outputs *o, int N, int k);

// Evaluate y [y.ny] and, where they are not NULL, y_q and y_v [y.ny x n] at knot k of a grid of N
// steps, with scratch [y.scratch]; v NULL: what is a function of it does not matter. Returns DM_OK;
// DM_NOT_FINITE where a row that is asked for there has no value or no derivative: of the others nobody
// minds; or what the outputs return.
dm_status oc_outputs_eval(const oc_outputs *o, int N, int k, void *scratch, const double *q,
                          const double *v, double *y, double *y_q, double *y_v);

// Add sum_i lambda_i of the second derivatives of y_i by x = (q,v), lambda [y.ny], to a block [2n x 2n] whose
// rows are ld apart; H [3][n x n] and scratch are lent. q as dm_output_map_contract takes it. Returns what
// that returns.
dm_status oc_outputs_contract(const oc_outputs *o, void *scratch, const double *q, const double *v,
                              const double *lambda, double *const H[3], double *block, int ld);

// A given value may pass a limit by this, which is rounding [unit of the output].
#define OC_OUTPUT_ROOM 1e-9

// The intersection of all limits on an output at knot k, or step k, with or without their margins.
// -INFINITY, INFINITY: no limit applies there. Cost O(nlimits).
void oc_outputs_range(const oc_outputs *o, int N, int output, int k, bool margins, double *low,
                      double *high);

// The bounds of the row of limit i in a program of N steps at knot k, or step k. If several limits apply to
// one output there, one row has their intersection: the row of the first equality, else that of the first
// limit. The other rows are free: -INFINITY, INFINITY. Cost O(nlimits).
void oc_outputs_bounds(const oc_outputs *o, int N, int i, int k, double *low, double *high);

// Hold y, which is given at an end k, against limit i. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status oc_outputs_hold(const oc_outputs *o, int i, int k, double y, dm_message *msg);

// Hold what is asked against what can be: rows that are there, spans within the horizon, low <=
// high, weights >= 0 and finite references; of a curve rows of places, each once. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status oc_outputs_check(const oc_outputs *o, int N, dm_message *msg);

DM_END_C
#endif
