// optim/transcription/outputs.h: what a task asks of outputs y(q) of its robot
// (lib/multibody/output.h) at knots, from one time to another: limits, which hold a value where both
// are one, and costs. A via point, a goal in space and a window of time are the same thing.
#ifndef OC_TRANSCRIPTION_OUTPUTS_H
#define OC_TRANSCRIPTION_OUTPUTS_H
#include "lib/mechanics/holonomic.h"

#include <stdbool.h>

DM_BEGIN_C

// From one time to another, as shares of the horizon: 0 <= from <= to <= 1. Where no knot lies
// between them it is the nearest to their middle.
typedef struct oc_span {
  double from, to;
} oc_span;

// low <= y_output(q_k) <= high; -INFINITY, INFINITY: none.
typedef struct oc_output_limit {
  int output; // row of the task's outputs
  oc_span at;
  double low, high;
} oc_output_limit;

// 1/2 weight (y_output(q_k) - reference)^2: integrated over the span (trapezoid rule; plainly summed
// where the task's cost is), or once at each of its knots.
typedef struct oc_output_cost {
  int output;
  oc_span at;
  bool once;
  double weight;
  double reference;
  const double *references; // [N+1] in place of it where not NULL
} oc_output_cost;

typedef struct oc_outputs {
  dm_holonomic y; // rows y_i(q); y.nc 0: there are none. Its directional is not called
  int nlimits, ncosts;
  const oc_output_limit *limits;
  const oc_output_cost *costs;
} oc_outputs;

static inline bool oc_outputs_asked(const oc_outputs *o) {
  return o->nlimits > 0 || o->ncosts > 0;
}

// The knots of a span on a grid of N steps, first to last.
void oc_span_knots(oc_span at, int N, int *first, int *last);

// Is knot k one of them?
bool oc_span_has(oc_span at, int N, int k);

// What knot k of a span's first to last weighs in the trapezoid sum, or plainly summed.
double oc_span_share(int k, int first, int last, bool sum);

// The name of row i, for messages.
const char *oc_outputs_name(const oc_outputs *o, int i);

// Evaluate y(q) [y.nc] and, where y_q is not NULL, its Jacobian [y.nc x n] at knot k of a grid of N
// steps, with scratch [y.scratch]. Returns DM_OK; DM_NOT_FINITE where a row that is asked for there
// has no value or no derivative: of the others nobody minds; or what the outputs return.
dm_status oc_outputs_eval(const oc_outputs *o, int N, int k, void *scratch, int n, const double *q,
                          double *y, double *y_q);

// Hold what is asked against what can be: rows that are there, spans within the horizon, low <=
// high, weights >= 0 and finite references. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status oc_outputs_check(const oc_outputs *o, int N, dm_message *msg);

DM_END_C
#endif
