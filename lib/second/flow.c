#include "lib/second/flow.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void lay_out_flow(void *self, dm_block *b) {
  dm_flow *w = self;
  size_t n = (size_t)w->L->n, size = (size_t)w->L->size;
  w->X0 = dm_block_alloc(b, 3 * size, sizeof *w->X0);
  w->P = dm_block_alloc(b, size, sizeof *w->P);
  w->start = dm_block_alloc(b, n, sizeof *w->start);
  w->largest = dm_block_alloc(b, n, sizeof *w->largest);
  w->drift = dm_block_alloc(b, n, sizeof *w->drift);
  w->cyclic = dm_block_alloc(b, n, sizeof *w->cyclic);
}

dm_status dm_flow_new(dm_flow **out, dm_second_order *L, const dm_flow_settings *set) {
  assert(out && L && set && set->steps >= 1 && set->h > 0);
  dm_flow sizes = {.L = L, .set = *set};
  dm_flow *w = dm_block_make(&sizes, sizeof sizes, lay_out_flow);
  if (!w) return DM_NO_MEMORY;

  // X0, X1 and the next knot are consecutive, so that one copy advances the window
  w->X1 = w->X0 + L->size;
  w->next = w->X1 + L->size;
  *out = w;
  return DM_OK;
}

void dm_flow_free(dm_flow *w) {
  dm_block_free(w);
}

void dm_flow_taylor(int n, int k, double h, const double *q, const double *v, const double *a,
                    const double *jerk, double *X0, double *X1) {
  assert(k == 2 || k == 3);
  for (int i = 0; i < n; i++) {
    X0[i] = q[i];
    X0[n + i] = v[i];
    // with the jerk: q1 to h^3, v1 to h^2, a1 to h
    X1[i] = q[i] + h * (v[i] + h * (a[i] / 2 + h * jerk[i] / 6));
    X1[n + i] = v[i] + h * (a[i] + h * jerk[i] / 2);
    if (k < 3) continue;
    X0[2 * n + i] = a[i];
    X1[2 * n + i] = a[i] + h * jerk[i];
  }
}

// A coordinate is cyclic if its L_q is rounding at all nodes of all steps.
static dm_status update_cyclic(dm_flow *w) {
  dm_second_order *L = w->L;
  for (int s = 0; s < L->rule.nodes; s++) {
    // L_x at node s of the step
    double value, size = 0;
    dm_second_order_node_at(L, s, w->X0, w->X1, w->set.h, L->x);
    DM_TRY(L->C.eval(&L->C, 1, L->x, &value, L->C_x, NULL));

    for (int i = 0; i < (L->k + 1) * L->n; i++) size = fmax(size, fabs(L->C_x[i]));

    // rounding relative to the largest entry of the gradient
    for (int i = 0; i < L->n; i++) w->cyclic[i] &= fabs(L->C_x[i]) <= 1e-12 * size;
  }
  return DM_OK;
}

// momenta at the end of the current step, compared with those of the first
static dm_status measure_momenta(dm_flow *w) {
  DM_TRY(update_cyclic(w));

  // the first n momenta are those of q
  for (int i = 0; i < w->L->n; i++) {
    if (w->k == 0) w->start[i] = w->P[i];
    w->largest[i] = fmax(w->largest[i], fabs(w->P[i]));
    w->drift[i] = fmax(w->drift[i], fabs(w->P[i] - w->start[i]));
  }
  return DM_OK;
}

dm_status dm_flow_run(dm_flow *w, dm_message *msg) {
  assert(w);
  dm_second_order *L = w->L;
  const dm_flow_settings *set = &w->set;
  const size_t size = (size_t)L->size;
  dm_status s = DM_OK;

  // 1  check that steps are possible; momenta at the end of the first step
  w->k = 0;
  w->info = (dm_second_order_info){0};
  memset(w->largest, 0, (size_t)L->n * sizeof *w->largest);
  memset(w->drift, 0, (size_t)L->n * sizeof *w->drift);
  memset(w->cyclic, true, (size_t)L->n * sizeof *w->cyclic);
  DM_TRY(dm_second_order_check(L, w->X0, w->X1, set->h, msg));
  DM_TRY(dm_second_order_eval(L, 1, w->X0, w->X1, set->h));
  memcpy(w->P, L->D1, size * sizeof *w->P);

  for (;; w->k++) {
    DM_TRY(measure_momenta(w));
    if (set->knot) DM_TRY(set->knot(set->user, w, false));

    // after the last step
    if (w->k + 1 == set->steps) break;
    if (set->proceed && !set->proceed(set->user)) s = DM_INTERRUPTED;

    // 2  the next knot, guessed by extrapolation
    for (size_t i = 0; i < size; i++) w->next[i] = 2 * w->X1[i] - w->X0[i];
    if (s == DM_OK) s = dm_second_order_step(L, w->X1, w->P, set->h, w->next, w->P, &w->info);
    if (s != DM_OK) break;
    memmove(w->X0, w->X1, 2 * size * sizeof *w->X0);
  }

  // 3  final callback, also if the run stopped early
  if (set->knot) DM_TRY(set->knot(set->user, w, true));
  return s;
}

double dm_flow_drift(const dm_flow *w, int i) {
  assert(w && i >= 0 && i < w->L->n);
  return w->drift[i] / fmax(w->largest[i], 1e-300);
}
