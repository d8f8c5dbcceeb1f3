#include "optim/task/output_costs.h"

#include "lib/base/block.h"

#include <math.h>

static void lay_out_costs(void *self, dm_block *b) {
  oc_output_costs *w = self;
  const oc_outputs *o = &w->task.outputs;
  const dm_function y = dm_output_map_function(&o->y);
  const oc_term one = {.y = y};
  const oc_functions once = {.nterms = o->ncosts > 0, .terms = &one};
  w->terms = dm_block_alloc(b, (size_t)(w->task.functions.nterms + o->ncosts), sizeof *w->terms);
  w->once = dm_block_alloc(b, (size_t)o->ncosts, sizeof *w->once);
  oc_term_work_lay_out(&w->knot, b, &once);
}

dm_status oc_output_costs_new(oc_output_costs **out, const oc_task *task) {
  oc_output_costs sizes = {.task = *task, .knot = {.n = task->system.L.nq, .N = task->N}};
  oc_output_costs *w = *out = dm_block_make(&sizes, sizeof sizes, lay_out_costs);
  if (!w) return DM_NO_MEMORY;

  // integrated costs become terms after the task's own
  const oc_outputs *o = &w->task.outputs;
  const dm_function y = dm_output_map_function(&o->y);
  int n = task->functions.nterms;
  for (int i = 0; i < n; i++) w->terms[i] = task->functions.terms[i];
  for (int i = 0; i < o->ncosts; i++) {
    const oc_term term = {.y = y, .cost = o->costs[i]};
    if (term.cost.once)
      w->once[w->nonce++] = term;
    else
      w->terms[n++] = term;
  }
  w->task.functions.terms = w->terms;
  w->task.functions.nterms = n;
  return DM_OK;
}

void oc_output_costs_free(oc_output_costs *w) {
  dm_block_free(w);
}

bool oc_output_costs_once(const oc_output_costs *w, int k) {
  for (int i = 0; i < w->nonce; i++)
    if (oc_span_has(w->once[i].cost.at, w->task.N, k)) return true;
  return false;
}

bool oc_output_costs_once_rated(const oc_output_costs *w, int k) {
  for (int i = 0; i < w->nonce; i++) {
    const oc_output_cost *c = &w->once[i].cost;
    if (oc_span_has(c->at, w->task.N, k) && dm_output_map_is_rated(&w->task.outputs.y, c->output))
      return true;
  }
  return false;
}

dm_status oc_output_costs_knot(oc_output_costs *w, int k, int order, const double *q,
                               const double *v, double *c) {
  const int n = w->task.system.L.nq;
  for (int i = 0; i < n; i++) w->knot.x[i] = q[i];
  for (int i = 0; i < n; i++) w->knot.x[n + i] = v ? v[i] : 0;
  *c = oc_terms_eval(&w->knot, w->nonce, w->once, (oc_term_place){.k = k, .knot = true}, order);
  return isnan(*c) ? DM_NOT_FINITE : DM_OK;
}
