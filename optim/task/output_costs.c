#include "optim/task/output_costs.h"

#include "lib/base/block.h"

#include <math.h>
#include <string.h>

static void lay_out_costs(void *self, dm_block *b) {
  oc_output_costs *w = self;
  const size_t n = (size_t)w->task.system.L.nq, ny = (size_t)w->task.outputs.y.ny;
  w->terms = dm_block_alloc(b, (size_t)w->task.nterms + 1, sizeof *w->terms);
  w->y = dm_block_alloc(b, ny, sizeof(double));
  w->y_q = dm_block_alloc(b, ny * n, sizeof(double));
  w->y_v = dm_block_alloc(b, ny * n, sizeof(double));
  w->lambda = dm_block_alloc(b, ny, sizeof(double));
  for (int i = 0; i < 3; i++) w->H[i] = dm_block_alloc(b, n * n, sizeof(double));
  w->c_x = dm_block_alloc(b, 2 * n, sizeof(double));
  w->c_xx = dm_block_alloc(b, 4 * n * n, sizeof(double));
  w->scratch = dm_block_alloc(b, w->task.outputs.y.scratch, 1);
}

// does a cost apply at knot k alone (`once`), or in step k?
static bool is_cost_asked(const oc_output_costs *w, const oc_output_cost *c, bool once, int k) {
  int first, last;
  if (c->once != once) return false;
  if (once) return oc_span_has(c->at, w->task.N, k);
  oc_span_steps(c->at, w->task.N, &first, &last);
  return k >= first && k <= last;
}

// the reference at knot k, or interpolated linearly to the next knot
static double find_cost_reference(const oc_output_cost *c, int k, double share) {
  if (!c->references) return c->reference;
  return share > 0 ? (1 - share) * c->references[k] + share * c->references[k + 1]
                   : c->references[k];
}

// w y_x' y_x of a cost, added to c_xx, rows ld apart
static void add_cost_square(const oc_output_costs *w, int row, double weight, double *c_xx,
                            int ld) {
  const int n = w->task.system.L.nq;
  const double *y_x[] = {w->y_q + row * n, w->y_v + row * n};
  for (int a = 0; a < 2 * n; a++)
    for (int b = 0; b < 2 * n; b++)
      c_xx[a * ld + b] += weight * y_x[a / n][a % n] * y_x[b / n][b % n];
}

// are output `row` and, if `slopes` is set, its slopes finite?
static bool is_output_finite(const oc_output_costs *w, int row, bool slopes) {
  const int n = w->task.system.L.nq;
  double sum = w->y[row];
  for (int j = 0; slopes && j < n; j++) sum += w->y_q[row * n + j] + w->y_v[row * n + j];
  return isfinite(sum);
}

// The costs of knot k alone, or of step k at this fraction, added to c, c_x [2n] and c_xx up to the order.
static dm_status add_output_costs(oc_output_costs *w, bool once, int k, double share, int order,
                                  const double *q, const double *v, double *c, double *c_x,
                                  double *c_xx, int ld) {
  const oc_outputs *o = &w->task.outputs;
  const int n = w->task.system.L.nq;
  const dm_status s = dm_output_map_eval(&o->y, w->scratch, q, v, w->y, order > 0 ? w->y_q : NULL,
                                         order > 0 ? w->y_v : NULL);
  // DM_NOT_FINITE matters only for the rows checked below
  if (s < 0 && s != DM_NOT_FINITE) return s;
  memset(w->lambda, 0, (size_t)o->y.ny * sizeof *w->lambda);

  for (int i = 0; i < o->ncosts; i++) {
    const oc_output_cost *cost = &o->costs[i];
    const int row = cost->output;
    if (!is_cost_asked(w, cost, once, k)) continue;
    if (!is_output_finite(w, row, order > 0)) return DM_NOT_FINITE;

    // w e^2/2, w e y_x, w y_x' y_x; w e is the multiplier of y_xx
    const double e = w->y[row] - find_cost_reference(cost, k, share);
    *c += 0.5 * cost->weight * e * e;
    w->lambda[row] += cost->weight * e;
    for (int j = 0; order > 0 && j < n; j++) {
      c_x[j] += cost->weight * e * w->y_q[row * n + j];
      c_x[n + j] += cost->weight * e * w->y_v[row * n + j];
    }
    if (order > 1) add_cost_square(w, row, cost->weight, c_xx, ld);
  }
  if (order < 2) return DM_OK;

  // sum w e y_xx, at the point where the values were evaluated
  return oc_outputs_contract(o, w->scratch, o->y.kept ? NULL : q, v, w->lambda, w->H, c_xx, ld);
}

static dm_status eval_output_term(const void *self, const oc_term_place *at, int order,
                                  const double *y, double *c, double *c_y, double *c_yy) {
  oc_output_costs *w = *(oc_output_costs *const *)self;
  bool any = false;
  for (int i = 0; i < w->task.outputs.ncosts; i++)
    any = any || is_cost_asked(w, &w->task.outputs.costs[i], false, at->k);
  if (!any) return DM_OK;
  return add_output_costs(w, false, at->k, at->share, order, y, y + at->n, c, c_y, c_yy,
                          2 * at->n + at->nf);
}

dm_status oc_output_costs_new(oc_output_costs **out, const oc_task *task) {
  oc_output_costs sizes = {.task = *task};
  oc_output_costs *w = *out = dm_block_make(&sizes, sizeof sizes, lay_out_costs);
  if (!w) return DM_NO_MEMORY;

  // integrated costs become one term after the task's own
  bool runs = false;
  for (int i = 0; i < task->outputs.ncosts; i++) runs = runs || !task->outputs.costs[i].once;
  for (int i = 0; i < task->nterms; i++) w->terms[i] = task->terms[i];
  w->self = w;
  w->terms[task->nterms] = (oc_term){"outputs", &w->self, eval_output_term};
  w->task.terms = w->terms;
  w->task.nterms = task->nterms + runs;
  return DM_OK;
}

void oc_output_costs_free(oc_output_costs *w) {
  dm_block_free(w);
}

bool oc_output_costs_once(const oc_output_costs *w, int k) {
  for (int i = 0; i < w->task.outputs.ncosts; i++)
    if (is_cost_asked(w, &w->task.outputs.costs[i], true, k)) return true;
  return false;
}

bool oc_output_costs_once_rated(const oc_output_costs *w, int k) {
  const oc_outputs *o = &w->task.outputs;
  for (int i = 0; i < o->ncosts; i++)
    if (is_cost_asked(w, &o->costs[i], true, k) &&
        dm_output_map_is_rated(&o->y, o->costs[i].output))
      return true;
  return false;
}

dm_status oc_output_costs_knot(oc_output_costs *w, int k, int order, const double *q,
                               const double *v, double *c) {
  const size_t m = 2 * (size_t)w->task.system.L.nq;
  *c = 0;
  memset(w->c_x, 0, m * sizeof *w->c_x);
  memset(w->c_xx, 0, m * m * sizeof *w->c_xx);
  return add_output_costs(w, true, k, 0, order, q, v, c, w->c_x, w->c_xx, (int)m);
}

int oc_output_costs_driven(const oc_task *task) {
  for (int i = 0; i < task->outputs.ncosts; i++)
    if (oc_outputs_driven(&task->outputs, task->outputs.costs[i].output)) return i;
  return -1;
}
