#include "optim/task/term.h"

#include "lib/base/block.h"

#include <math.h>
#include <string.h>

double oc_output_cost_reference(const oc_output_cost *c, double k) {
  if (!c->references) return c->reference;
  const int j = (int)floor(k);
  const double share = k - j;
  return share > 0 ? (1 - share) * c->references[j] + share * c->references[j + 1]
                   : c->references[j];
}

int oc_terms_group(int count, const oc_term *terms, int i) {
  int n = 1;
  while (i + n < count && dm_function_is(&terms[i + n].y, &terms[i].y)) n++;
  return n;
}

// -- checks

static dm_status check_function(const dm_function *y, int row, int n, int nf, const char *what,
                                int i, dm_message *msg) {
  static const char *const name[] = {"positions", "velocities",   "next positions",
                                     "forces",    "step lengths", "times"};
  const int expected[] = {n, n, n, nf, 1, 2};
  if (!y->eval) return dm_fail(msg, DM_BAD_INPUT, "%s %d has no function", what, i);
  for (int a = 0; a < DM_ARGUMENTS; a++)
    if (y->size[a] != 0 && y->size[a] != expected[a])
      return dm_fail(msg, DM_BAD_INPUT, "%s '%s': found a function of %d %s, expected 0 or %d",
                     what, dm_function_name(y, row), y->size[a], name[a], expected[a]);
  if (row < 0 || row >= y->ny)
    return dm_fail(msg, DM_BAD_INPUT, "%s %d: found row %d of a function, expected 0..%d", what, i,
                   row, y->ny - 1);
  return DM_OK;
}

static dm_status check_terms(const oc_functions *of, int n, int nf, int N, dm_message *msg) {
  for (int i = 0; i < of->nterms; i++) {
    if (!of->terms) return dm_fail(msg, DM_BAD_INPUT, "the cost's term %d has no function", i);
    const oc_output_cost *c = &of->terms[i].cost;
    DM_TRY(check_function(&of->terms[i].y, c->output, n, nf, "the cost's term", i, msg));
    const char *name = dm_function_name(&of->terms[i].y, c->output);
    if (!(c->at.from >= 0 && c->at.from < c->at.to && c->at.to <= 1))
      return dm_fail(msg, DM_BAD_INPUT,
                     "the cost's term '%s': found the span [%g, %g], expected 0 <= from < to <= 1",
                     name, c->at.from, c->at.to);
    if (c->once)
      return dm_fail(msg, DM_BAD_INPUT,
                     "the cost's term '%s': found a cost of single knots, expected an integral",
                     name);
    if (!(c->weight >= 0 && isfinite(c->weight)))
      return dm_fail(msg, DM_BAD_INPUT,
                     "the cost's term '%s': found the weight %g, expected a number >= 0", name,
                     c->weight);
    if (c->activation.kind == OC_SMOOTH_ABSOLUTE && !(c->activation.width > 0))
      return dm_fail(msg, DM_BAD_INPUT,
                     "the cost's term '%s': found the width %g of its activation, expected > 0",
                     name, c->activation.width);
    for (int k = 0; k <= (c->references ? N : 0); k++)
      if (!isfinite(oc_output_cost_reference(c, k)))
        return dm_fail(msg, DM_BAD_INPUT, "the cost's term '%s' has a reference that is not finite",
                       name);
  }
  return DM_OK;
}

dm_status oc_functions_check(const oc_functions *of, int n, int nf, int N, dm_message *msg) {
  DM_TRY(check_terms(of, n, nf, N, msg));
  for (int i = 0; i < of->npaths; i++) { // [low, high] may be infinite on one side
    if (!of->paths) return dm_fail(msg, DM_BAD_INPUT, "path constraint %d has no function", i);
    const oc_path_constraint *path = &of->paths[i];
    DM_TRY(check_function(&path->y, path->row, n, nf, "path constraint", i, msg));
    if (!(path->low <= path->high))
      return dm_fail(msg, DM_BAD_INPUT,
                     "path constraint '%s': found bounds [%g, %g], expected low <= high",
                     dm_function_name(&path->y, path->row), path->low, path->high);
  }
  return DM_OK;
}

// function i of the terms and the path constraints after them
static const dm_function *find_function(const oc_functions *of, int i) {
  return i < of->nterms ? &of->terms[i].y : &of->paths[i - of->nterms].y;
}

const char *oc_functions_of_step(const oc_functions *of) {
  for (int i = 0; i < of->nterms + of->npaths; i++) {
    const dm_function *y = find_function(of, i);
    const int row = i < of->nterms ? of->terms[i].cost.output : of->paths[i - of->nterms].row;
    if (y->size[DM_NEXT_Q] || y->size[DM_STEP] || y->size[DM_TIME]) return dm_function_name(y, row);
  }
  return NULL;
}

// -- at a point

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

void oc_term_work_lay_out(oc_term_work *w, dm_block *b, const oc_functions *of) {
  const int count = of->nterms + of->npaths;
  const size_t m = count ? 2 * (size_t)w->n + (size_t)w->nf : 0, d = sizeof(double);
  size_t rows = 0, scratch = 0;
  for (int i = 0; i < count; i++) {
    const dm_function *y = find_function(of, i);
    rows = larger(rows, (size_t)y->ny);
    scratch = larger(scratch, y->scratch);
  }
  w->x = dm_block_alloc(b, m, d);
  w->c_x = dm_block_alloc(b, m, d);
  w->c_xx = dm_block_alloc(b, m * m, d);
  w->at = dm_block_alloc(b, m, d);
  w->y = dm_block_alloc(b, rows, d);
  w->y_x = dm_block_alloc(b, rows * m, d);
  w->yxx = dm_block_alloc(b, m * m, d);
  w->lambda = dm_block_alloc(b, rows, d);
  w->scratch = dm_block_alloc(b, scratch, 1);
}

void oc_term_work_place(oc_term_work *w, const dm_step *step, int side) {
  const int n = w->n;
  for (int i = 0; i < n; i++) w->x[i] = side ? step->q1[i] : step->q0[i];
  for (int i = 0; i < n; i++) w->x[n + i] = (step->q1[i] - step->q0[i]) / step->h;
  for (int j = 0; j < w->nf; j++) w->x[2 * n + j] = step->u[j];
}

// does a cost apply at a place?
static bool is_cost_at(const oc_term_work *w, const oc_output_cost *c, oc_term_place place) {
  int first, last;
  if (c->once != place.knot) return false;
  if (place.knot) return oc_span_has(c->at, w->N, place.k);
  oc_span_steps(c->at, w->N, &first, &last);
  return place.k >= first && place.k <= last;
}

// the index in x = (q, v, u) of entry a of a function's arguments
static int find_entry(const oc_term_work *w, const dm_function *y, int a) {
  if (a < y->size[DM_Q]) return a;
  a -= y->size[DM_Q];
  return a < y->size[DM_V] ? w->n + a : 2 * w->n + a - y->size[DM_V];
}

// add the terms of one function
static dm_status add_group(oc_term_work *w, int count, const oc_term *terms, oc_term_place place,
                           int order, double *sum) {
  const dm_function *f = &terms->y;
  const int nx = dm_function_entries(f), m = 2 * w->n + w->nf;
  bool any = false;
  for (int i = 0; i < count; i++) any = any || is_cost_at(w, &terms[i].cost, place);
  if (!any) return DM_OK;

  // values and slopes; only rows with a cost here need them
  for (int a = 0; a < nx; a++) w->at[a] = w->x[find_entry(w, f, a)];
  const dm_status s = f->eval(f->self, w->scratch, w->at, w->y, order > 0 ? w->y_x : NULL);
  if (s < 0 && s != DM_NOT_FINITE) return s;
  memset(w->lambda, 0, (size_t)f->ny * sizeof *w->lambda);
  memset(w->yxx, 0, (size_t)(nx * nx) * sizeof *w->yxx);

  // w a, w a' y_x, w a'' y_x' y_x; w a' is the multiplier of y_xx
  for (int i = 0; i < count; i++) {
    const oc_output_cost *c = &terms[i].cost;
    const double *slope = w->y_x + c->output * nx;
    if (!is_cost_at(w, c, place)) continue;
    if (!dm_function_is_finite(c->output, w->y, nx, order > 0 ? w->y_x : NULL))
      return DM_NOT_FINITE;
    const double e = w->y[c->output] - oc_output_cost_reference(c, place.k + place.share);
    const oc_activated a = oc_activate(c->activation, e);
    *sum += c->weight * a.value;
    w->lambda[c->output] += c->weight * a.slope;
    for (int j = 0; order > 0 && j < nx; j++)
      w->c_x[find_entry(w, f, j)] += c->weight * a.slope * slope[j];
    for (int j = 0; order > 1 && j < nx; j++)
      for (int l = 0; l < nx; l++) w->yxx[j * nx + l] += c->weight * a.curve * slope[j] * slope[l];
  }
  if (order < 2) return DM_OK;
  if (f->contract) DM_TRY(f->contract(f->self, w->scratch, w->at, w->lambda, w->yxx));
  for (int j = 0; j < nx; j++)
    for (int l = 0; l < nx; l++)
      w->c_xx[find_entry(w, f, j) * m + find_entry(w, f, l)] += w->yxx[j * nx + l];
  return DM_OK;
}

// set the derivatives up to an order
static void set_derivatives(oc_term_work *w, int order, double value) {
  const int m = 2 * w->n + w->nf;
  for (int i = 0; order > 0 && i < m; i++) w->c_x[i] = value;
  for (int i = 0; order > 1 && i < m * m; i++) w->c_xx[i] = value;
}

double oc_terms_eval(oc_term_work *w, int count, const oc_term *terms, oc_term_place place,
                     int order) {
  double sum = 0;
  dm_status s = DM_OK;
  if (count == 0) return 0;
  set_derivatives(w, order, 0);
  for (int i = 0, n; i < count && s == DM_OK; i += n) {
    n = oc_terms_group(count, terms, i);
    s = add_group(w, n, terms + i, place, order, &sum);
  }
  if (s == DM_OK) return sum;
  set_derivatives(w, order, NAN);
  return NAN;
}

double oc_path_constraint_eval(oc_term_work *w, const oc_path_constraint *path, int order) {
  const oc_term row = {
      .y = path->y,
      .cost = {.output = path->row, .at = {0, 1}, .weight = 1, .activation = {.kind = OC_LINEAR}}};
  return oc_terms_eval(w, 1, &row, (oc_term_place){.k = 0}, order);
}
