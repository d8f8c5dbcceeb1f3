#include "lib/discrete/composition.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <string.h>

const dm_composition_method dm_composition_methods[] = {
    {2, 1, {0}},
    {4, 5, {0.41449077179437573714, 0.41449077179437573714}}, // 1/(4 - 4^(1/3))
    {6,
     9,
     {0.39216144400731413927, 0.33259913678935943860, -0.70624617255763935981,
      0.08221359629355080023}},
    {0}};

static void lay_out_composition(void *self, dm_block *b) {
  dm_composition *w = self;
  size_t n = (size_t)w->n, s = (size_t)w->of.stages;
  w->g = dm_block_alloc(b, s, sizeof *w->g);
  w->q = dm_block_alloc(b, (s + 1) * n, sizeof *w->q);
  w->lambda = dm_block_alloc(b, s * (size_t)w->nc, sizeof *w->lambda);
  w->p = dm_block_alloc(b, n, sizeof *w->p);
}

bool dm_system_is_symmetric(const dm_system *s) {
  const dm_rule *r = &s->rule;
  bool forced = s->nu || s->damping || s->force.count;

  // point i at `at` mirrors point j at 1 - at, with the same weight
  for (int i = 0, j = r->points - 1; i <= j; i++, j--)
    if (r->weight[i] != r->weight[j] || r->at[i] + r->at[j] != 1) return false;
  for (int i = 0, j = r->inner - 1; i <= j; i++, j--)
    if (r->node[i] + r->node[j] != 1) return false;
  return !forced || r->left == 0.5;
}

dm_status dm_composition_new(dm_composition **out, const dm_system *s, int order,
                             const dm_del_settings *set, dm_message *msg) {
  const dm_composition_method *of = dm_composition_methods;
  while (of->order && of->order != order) of++;

  // known orders
  if (!of->order)
    return dm_fail(msg, DM_BAD_INPUT, "found order %d, expected one of 2, 4, 6", order);

  // above order 2, F_-h F_h = 1 is required
  if (order > 2 && !dm_system_is_symmetric(s))
    return dm_fail(msg, DM_BAD_INPUT,
                   "found order %d with a rule that is not symmetric, expected midpoint (alpha "
                   "1/2) or trapezoid, forces by midpoint",
                   order);

  // kinematic coordinates are given only at the end of the whole step
  if (order > 2 && s->nk)
    return dm_fail(msg, DM_BAD_INPUT,
                   "found order %d with kinematic coordinates, expected none: they have no values "
                   "within a step",
                   order);

  // the method uses gradients at the midpoint, so that a backward step is not its inverse
  if (order > 2 && set && set->energy_momentum)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "found order %d with the energy-momentum method, expected 2: its steps are not reversible",
        order);

  // it conserves the energy only without inner nodes
  if (s->rule.inner && set && set->energy_momentum)
    return dm_fail(msg, DM_BAD_INPUT,
                   "found the energy-momentum method with a rule with nodes within the step, "
                   "expected midpoint");

  dm_composition sizes = {.of = *of, .n = s->L.nq, .nc = s->hol.nc};
  dm_composition *w = dm_block_make(&sizes, sizeof sizes, lay_out_composition);
  if (!w) return DM_NO_MEMORY;
  dm_status status = dm_del_new(&w->del, s, set);
  if (status != DM_OK) {
    dm_composition_free(w);
    return status;
  }

  // mirrored fractions; the middle one completes the sum to 1
  int half = of->stages / 2;
  w->g[half] = 1;
  for (int i = 0; i < half; i++) {
    w->g[i] = w->g[of->stages - 1 - i] = of->fraction[i];
    w->g[half] -= 2 * of->fraction[i];
  }
  *out = w;
  return DM_OK;
}

void dm_composition_free(dm_composition *w) {
  if (w) dm_del_free(w->del);
  dm_block_free(w);
}

dm_status dm_composition_step(dm_composition *w, const double *q0, const double *p0,
                              const double *u, double h, double *q1, double *p1,
                              dm_del_info *info) {
  const int n = w->n;
  const double *reached = w->q;
  const size_t bytes = (size_t)n * sizeof(double), rows = (size_t)w->nc * sizeof(double);
  dm_status status = DM_OK;

  memcpy(w->q, q0, bytes);
  memcpy(w->p, p0, bytes);
  for (int i = 0; i < w->of.stages && status == DM_OK; i++) {
    double *a = dm_row(w->q, i, n), *b = a + n;

    // guess: extrapolate the previous part; for the first part, the guess of the whole step
    double rate = i ? w->g[i] / w->g[i - 1] : w->g[0];
    for (int j = 0; j < n; j++) b[j] = a[j] + rate * (i ? a[j] - a[j - n] : q1[j] - q0[j]);

    status = dm_del_step(w->del, a, w->p, u, w->g[i] * h, b, w->p, info);
    memcpy(dm_row(w->lambda, i, w->nc), w->del->lambda, rows); // for the linearization of the part
    reached = b;
  }

  // as far as the parts succeeded
  if (status < 0) return status;
  memcpy(q1, reached, bytes);
  if (status == DM_OK) memcpy(p1, w->p, bytes);
  return status;
}

void dm_composition_impulse(const dm_composition *w, double *lambda) {
  for (int c = 0; c < w->nc; c++) {
    lambda[c] = 0;
    for (int i = 0; i < w->of.stages; i++) lambda[c] += w->lambda[i * w->nc + c];
  }
}

static dm_status take_composed_step(void *self, int k, const double *q0, const double *p0,
                                    const double *u, double h, double *q1, double *p1,
                                    double *lambda) {
  dm_composition *w = self;
  (void)k;
  dm_status s = dm_composition_step(w, q0, p0, u, h, q1, p1, &w->info);
  dm_composition_impulse(w, lambda);
  return s;
}

static void explain_composed_step(const void *self, dm_message *msg, dm_status s, int k,
                                  const char *const *name) {
  const dm_composition *w = self;
  dm_del_explain(msg, s, w->del, &w->info, k, name);
}

dm_stepper dm_composition_stepper(dm_composition *w) {
  assert(w);

  // only a single part has the energy -dLd/dh
  return (dm_stepper){.self = w,
                      .single = w->of.stages == 1,
                      .conserves_energy = w->del->set.energy_momentum,
                      .residual = w->del->k->h,
                      .step = take_composed_step,
                      .explain = explain_composed_step};
}
