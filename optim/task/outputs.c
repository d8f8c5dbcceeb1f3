#include "optim/task/outputs.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void oc_span_knots(oc_span at, int N, int *first, int *last) {
  const double near = 1e-9 * N; // tolerance for a time at a knot, up to rounding
  *first = (int)ceil(at.from * N - near);
  *last = (int)floor(at.to * N + near);
  if (*first > *last) *first = *last = (int)lround((at.from + at.to) / 2 * N);
}

void oc_span_steps(oc_span at, int N, int *first, int *last) {
  oc_span_knots(at, N, first, last);
  if (*last > *first || *last == N) --*last;
  if (*first > *last) *first = *last;
}

bool oc_outputs_of_steps(const oc_outputs *o, int i) {
  const bool of_knots =
      dm_output_map_is_contact(&o->y, i) && !dm_output_map_is_contact_rate(&o->y, i);
  return oc_outputs_driven(o, i) && !of_knots;
}

void oc_outputs_span(const oc_outputs *o, int i, oc_span at, int N, int *first, int *last) {
  if (oc_outputs_of_steps(o, i))
    oc_span_steps(at, N, first, last);
  else
    oc_span_knots(at, N, first, last);
}

// is output i of inputs, and does the span contain step k?
static bool is_driven_at(const oc_outputs *o, int i, oc_span at, int N, int k) {
  int first, last;
  if (!oc_outputs_driven(o, i) || dm_output_map_is_contact(&o->y, i)) return false;
  oc_span_steps(at, N, &first, &last);
  return k >= first && k <= last;
}

bool oc_outputs_driven_at(const oc_outputs *o, int N, int k) {
  for (int i = 0; i < o->nlimits; i++)
    if (is_driven_at(o, o->limits[i].output, o->limits[i].at, N, k)) return true;
  for (int i = 0; i < o->ncosts; i++)
    if (is_driven_at(o, o->costs[i].output, o->costs[i].at, N, k)) return true;
  return false;
}

bool oc_span_has(oc_span at, int N, int k) {
  int first, last;
  oc_span_knots(at, N, &first, &last);
  return k >= first && k <= last;
}

double oc_span_share(int k, int first, int last, bool sum) {
  if (first == last) return 1;
  if (sum) return k < last;
  return (k > first ? 0.5 : 0) + (k < last ? 0.5 : 0);
}

double oc_output_limit_reference(const oc_output_limit *l, double k) {
  if (!l->references) return 0;
  const int j = (int)floor(k);
  const double w = k - j;
  return w > 0 ? (1 - w) * l->references[j] + w * l->references[j + 1] : l->references[j];
}

double oc_output_limit_excess(const oc_output_limit *l, double k, double y) {
  const double off = y - oc_output_limit_reference(l, k);
  return fmax(l->low - off, off - l->high);
}

void oc_outputs_widen(const oc_outputs *o, int N) {
  const size_t count = 2 * (size_t)o->nlimits * (size_t)(N + 1);
  if (o->margins) memset(o->margins, 0, count * sizeof *o->margins);
}

const char *oc_outputs_name(const oc_outputs *o, int i) {
  return dm_output_map_name(&o->y, i);
}

bool oc_outputs_rated_at(const oc_outputs *o, int N, int k) {
  for (int i = 0; i < o->nlimits; i++)
    if (dm_output_map_is_rated(&o->y, o->limits[i].output) && oc_span_has(o->limits[i].at, N, k))
      return true;
  for (int i = 0; i < o->ncosts; i++)
    if (dm_output_map_is_rated(&o->y, o->costs[i].output) && oc_span_has(o->costs[i].at, N, k))
      return true;
  for (int i = 0; i < o->nlevels; i++)
    if (dm_output_map_is_rated(&o->y, o->levels[i].output) && oc_span_has(o->levels[i].at, N, k))
      return true;
  return false;
}

static bool is_row_finite(const dm_output_map *m, int row, bool moves, const double *y,
                          const double *y_q) {
  if (!moves && dm_output_map_is_rated(m, row)) return true;
  if (dm_output_map_is_driven(m, row)) return true; // driven outputs have no value at knots
  bool finite = isfinite(y[row]);
  for (int j = 0; y_q && j < m->n; j++) finite = finite && isfinite(y_q[row * m->n + j]);
  return finite;
}

dm_status oc_outputs_eval(const oc_outputs *o, int N, int k, void *scratch, const double *q,
                          const double *v, double *y, double *y_q, double *y_v) {
  const dm_status s = dm_output_map_eval(&o->y, scratch, q, v, y, y_q, y_v);
  if (s != DM_NOT_FINITE) return s;

  // some row has no value: is it used here?
  for (int i = 0; i < o->nlimits; i++)
    if (oc_span_has(o->limits[i].at, N, k) &&
        !is_row_finite(&o->y, o->limits[i].output, v != NULL, y, y_q))
      return s;
  for (int i = 0; i < o->ncosts; i++)
    if (oc_span_has(o->costs[i].at, N, k) &&
        !is_row_finite(&o->y, o->costs[i].output, v != NULL, y, y_q))
      return s;
  const oc_followed *f = &o->follow;
  for (int i = 0; f->curve && i < f->curve->m; i++)
    if (!is_row_finite(&o->y, f->output[i], v != NULL, y, y_q)) return s;
  return DM_OK;
}

bool oc_outputs_fault(const oc_outputs *o, const dm_trajectory *x, const double *start,
                      const double *goal, char *text, size_t size) {
  dm_block b = {0};
  char fault[80];
  bool found = false;
  dm_block_alloc(&b, 1, o->y.scratch);
  dm_block_alloc(&b, (size_t)x->n, sizeof(double));
  if (!o->y.formula || dm_block_new(&b) != DM_OK) return false;
  void *scratch = dm_block_alloc(&b, 1, o->y.scratch);
  double *v = dm_block_alloc(&b, (size_t)x->n, sizeof *v);
  // first a value that is missing anywhere, then a derivative
  for (int j = 0; j < 2 * (x->N + 1) && !found; j++)
    for (int i = 0; i < o->y.ny && !found; i++) {
      const int k = j % (x->N + 1), order = j > x->N ? 2 : 0;
      const int step = k < x->N ? k : x->N - 1;
      const double *given = k == 0 ? start : k == x->N ? goal : NULL;
      for (int c = 0; c < x->n; c++)
        v[c] = given && !isnan(given[c]) ? given[c] : x->v[k * x->n + c];
      const dm_step at = {.q0 = dm_row(x->q, k, x->n),
                          .q1 = v,
                          .u = dm_row(x->u, step, x->nu),
                          .h = dm_trajectory_step(x, step),
                          .time = {dm_trajectory_time(x, k), x->N * x->h},
                          .lambda = dm_row(x->lambda, step, x->nc)};
      found = dm_output_map_fault(&o->y, scratch, i, &at, order, fault, sizeof fault);
      if (found)
        snprintf(text, size, "the output '%.64s' is not defined at knot %d: %s",
                 oc_outputs_name(o, i), k, fault);
    }
  dm_block_free(b.base);
  return found;
}

// does limit j apply to an output at knot k, or in step k?
static bool is_asked(const oc_outputs *o, int N, int output, int j, int k) {
  const oc_output_limit *l = &o->limits[j];
  int first, last;
  if (l->output != output) return false;
  oc_outputs_span(o, l->output, l->at, N, &first, &last);
  return k >= first && k <= last;
}

// intersect a range with limit j at knot k, with or without its margins
static void narrow_range(const oc_outputs *o, int N, int j, int k, bool margins, double *low,
                         double *high) {
  const double from = oc_output_limit_reference(&o->limits[j], k);
  const double below = margins ? oc_outputs_margin(o, N, j, 0, k) : 0;
  const double above = margins ? oc_outputs_margin(o, N, j, 1, k) : 0;
  *low = fmax(*low, from + o->limits[j].low + below);
  *high = fmin(*high, from + o->limits[j].high - above);
}

void oc_outputs_range(const oc_outputs *o, int N, int output, int k, bool margins, double *low,
                      double *high) {
  *low = -INFINITY;
  *high = INFINITY;
  for (int j = 0; j < o->nlimits; j++)
    if (is_asked(o, N, output, j, k)) narrow_range(o, N, j, k, margins, low, high);
}

// the limit whose row carries the range of an output: the first equality, else the first limit
static int find_leading(const oc_outputs *o, int N, int output, int k) {
  int lead = -1;
  for (int j = 0; j < o->nlimits; j++) {
    if (!is_asked(o, N, output, j, k)) continue;
    if (o->limits[j].low == o->limits[j].high) return j;
    if (lead < 0) lead = j;
  }
  return lead;
}

void oc_outputs_bounds(const oc_outputs *o, int N, int i, int k, double *low, double *high) {
  const int output = o->limits[i].output;
  const bool equality = o->limits[i].low == o->limits[i].high;
  *low = -INFINITY;
  *high = INFINITY;
  if (find_leading(o, N, output, k) != i) return;
  if (equality)
    narrow_range(o, N, i, k, true, low, high);
  else
    oc_outputs_range(o, N, output, k, true, low, high);

  // rounding or margins have emptied the range: take its middle
  if (*low > *high) *low = *high = (*low + *high) / 2;
}

// checks shared by limits and costs
static dm_status check_asked(const oc_outputs *o, const char *what, int output, oc_span at,
                             dm_message *msg) {
  if (output < 0 || output >= o->y.ny)
    return dm_fail(msg, DM_BAD_INPUT, "a %s is on output %d, and there are %d", what, output,
                   o->y.ny);
  if (!(at.from >= 0 && at.from <= at.to && at.to <= 1))
    return dm_fail(msg, DM_BAD_INPUT,
                   "the %s on output '%s': found the shares %g to %g of the horizon, expected 0 <= "
                   "from <= to <= 1",
                   what, oc_outputs_name(o, output), at.from, at.to);
  return DM_OK;
}

static dm_status check_references(const oc_outputs *o, int output, int N, const double *ref,
                                  dm_message *msg) {
  for (int k = 0; ref && k <= N; k++)
    if (!isfinite(ref[k]))
      return dm_fail(msg, DM_BAD_INPUT, "the reference of output '%s' at knot %d is not finite",
                     oc_outputs_name(o, output), k);
  return DM_OK;
}

// the rows that follow a curve: position outputs, each at most once
static dm_status check_followed(const oc_outputs *o, dm_message *msg) {
  const oc_followed *f = &o->follow;
  for (int i = 0; f->curve && i < f->curve->m; i++) {
    DM_TRY(check_asked(o, "curve", f->output[i], (oc_span){0, 1}, msg));
    const char *name = oc_outputs_name(o, f->output[i]);

    // a function of q only, with a tolerance >= 0, not used by another row of the curve
    if (dm_output_map_is_rated(&o->y, f->output[i]) || oc_outputs_driven(o, f->output[i]))
      return dm_fail(msg, DM_BAD_INPUT,
                     "the output '%s' is to follow a curve, and is no function of places alone",
                     name);
    if (!(f->within[i] >= 0 && isfinite(f->within[i])))
      return dm_fail(msg, DM_BAD_INPUT, "the output '%s' may be %g off its curve, expected >= 0",
                     name, f->within[i]);
    for (int j = 0; j < i; j++)
      if (f->output[j] == f->output[i])
        return dm_fail(msg, DM_BAD_INPUT, "the output '%s' follows two rows of a curve", name);
  }
  return DM_OK;
}

// do all limits on the output of limit i leave a range at each of its knots, or steps?
static dm_status check_range(const oc_outputs *o, int N, int i, dm_message *msg) {
  const oc_output_limit *l = &o->limits[i];
  int first, last;
  oc_outputs_span(o, l->output, l->at, N, &first, &last);
  for (int k = first; k <= last; k++) {
    double low, high;
    oc_outputs_range(o, N, l->output, k, false, &low, &high);
    if (low <= high + OC_OUTPUT_ROOM) continue;
    return dm_fail(msg, DM_BAD_INPUT,
                   "the limits on output '%s' at knot %d: found at least %g and at most %g, "
                   "expected low <= high",
                   oc_outputs_name(o, l->output), k, low, high);
  }
  return DM_OK;
}

dm_status oc_outputs_check(const oc_outputs *o, int N, dm_message *msg) {
  DM_TRY(check_followed(o, msg));

  // limits are valid ranges, costs are not negative, references are finite at all knots where they apply
  for (int i = 0; i < o->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i];
    DM_TRY(check_asked(o, "limit", l->output, l->at, msg));
    if (!(l->low <= l->high && l->low < INFINITY && l->high > -INFINITY))
      return dm_fail(msg, DM_BAD_INPUT,
                     "the limit on output '%s': found [%g, %g], expected low <= high",
                     oc_outputs_name(o, l->output), l->low, l->high);
    DM_TRY(check_references(o, l->output, N, l->references, msg));
    DM_TRY(check_range(o, N, i, msg));
  }

  for (int i = 0; i < o->ncosts; i++) {
    const oc_output_cost *c = &o->costs[i];
    DM_TRY(check_asked(o, "cost", c->output, c->at, msg));
    const char *name = oc_outputs_name(o, c->output);
    if (!isfinite(c->weight) || (c->weight < 0 && c->activation.kind != OC_LINEAR))
      return dm_fail(msg, DM_BAD_INPUT, "the cost on output '%s' must be >= 0, got %g", name,
                     c->weight);
    if (c->activation.kind == OC_SMOOTH_ABSOLUTE && !(c->activation.width > 0))
      return dm_fail(msg, DM_BAD_INPUT,
                     "the cost on output '%s': found the width %g of its activation, expected > 0",
                     name, c->activation.width);
    DM_TRY(check_references(o, c->output, N, c->references, msg));
    DM_TRY(check_references(o, c->output, 0, &c->reference, msg));
  }
  for (int i = 0; i < o->nlevels; i++) {
    const oc_level *l = &o->levels[i];
    DM_TRY(check_asked(o, l->largest ? "cost" : "integral", l->output, l->at, msg));
    if (l->largest ? !(l->weight > 0 && isfinite(l->weight)) : !(l->low <= l->high))
      return dm_fail(msg, DM_BAD_INPUT, "the %s of output '%s': found %s, expected %s",
                     l->largest ? "largest value" : "integral", oc_outputs_name(o, l->output),
                     l->largest ? "no weight" : "low above high",
                     l->largest ? "one above 0" : "low <= high");
    if (dm_output_map_is_contact(&o->y, l->output))
      return dm_fail(msg, DM_BAD_INPUT, "the output '%s' is of contacts, expected one of a motion",
                     oc_outputs_name(o, l->output));
  }
  return DM_OK;
}
