#include "lib/discrete/stiff_damping.h"

#include "lib/base/block.h"

#include <math.h>

// A of one coordinate: h d (1 - left + left exp(-y)) / (1 - exp(-y)) - M if y = h d / M > 1
static double find_inertia_to_add(const dm_system *s, int i, double h) {
  double y = h * dm_system_decay(s, i), left = s->rule.left;

  // short steps are bitwise unchanged; with inner nodes no inertia gives the factor exp(-y)
  if (!(y > 1) || s->rule.inner) return 0;
  double kept = exp(-y);
  double needed = h * s->damping[i] * (1 - left + left * kept) / (1 - kept);
  return fmax(0, needed - s->inertia[i]);
}

// No lag for coordinates in constraints, found from Dh at a generic position.
static dm_status clear_lag_of_constraints(const dm_system *s, double *lag) {
  const dm_holonomic *hol = &s->hol;
  size_t n = (size_t)s->L.nq, nc = (size_t)hol->nc;
  dm_block block = {0};
  dm_block_alloc(&block, n + nc + nc * n, sizeof(double));
  dm_block_alloc(&block, hol->scratch, 1);
  DM_TRY(dm_block_new(&block));

  double *q = dm_block_alloc(&block, n + nc + nc * n, sizeof *q), *h = q + n, *Dh = h + nc;
  void *scratch = dm_block_alloc(&block, hol->scratch, 1);

  // a position at which no gradient vanishes by symmetry
  for (size_t i = 0; i < n; i++) q[i] = 0.3 + 0.7 * sin(1.7 * (double)i);
  bool seen = hol->eval(hol->self, scratch, q, h, Dh) == DM_OK;

  // if the constraints cannot be evaluated, assume that all coordinates are in one
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < nc; c++)
      if (!seen || Dh[c * n + i] != 0) lag[i] = 0;

  dm_block_free(q);
  return DM_OK;
}

static void lay_out_stiff_damping(void *self, dm_block *b) {
  dm_stiff_damping *w = self;
  w->added = dm_block_alloc(b, (size_t)w->n, sizeof *w->added);
  w->delay = dm_block_alloc(b, (size_t)w->n, sizeof *w->delay);
}

dm_status dm_stiff_damping_new(dm_stiff_damping **out, const dm_system *s, double h) {
  dm_stiff_damping sizes = {.L = s->L, .n = s->L.nq};
  dm_stiff_damping *w = dm_block_make(&sizes, sizeof sizes, lay_out_stiff_damping);
  if (!w) return DM_NO_MEMORY;

  // A, lag = A/d
  for (int i = 0; i < w->n; i++) {
    w->added[i] = find_inertia_to_add(s, i, h);
    w->delay[i] = w->added[i] > 0 ? w->added[i] / s->damping[i] : 0;
    w->count += w->added[i] > 0;
  }

  // no lag for coordinates in constraints
  dm_status status = w->count && s->hol.nc ? clear_lag_of_constraints(s, w->delay) : DM_OK;
  if (status != DM_OK) {
    dm_stiff_damping_free(w);
    return status;
  }

  // NULL if all are zero
  for (int i = 0; i < w->n; i++)
    if (w->delay[i] > 0) w->lag = w->delay;
  *out = w;
  return DM_OK;
}

void dm_stiff_damping_free(dm_stiff_damping *w) {
  dm_block_free(w);
}

// add v.A v/2 at W points and its derivatives
static void add_inertia(const dm_stiff_damping *w, int W, int order, const double *v, dm_jet *out) {
  for (int i = 0; i < w->n; i++) {
    double A = w->added[i];
    if (A == 0) continue;

    // v.A v/2 in L, A v in L_v, in every lane
    for (int k = i * W; k < (i + 1) * W; k++) {
      out->L += A * v[k] * v[k] / 2;
      out->L_v[k] += A * v[k];
    }

    // A in L_vv, which exists only for order 2
    if (order < 2) continue;
    for (int l = 0; l < W; l++) out->L_vv[i * (w->n + 1) * W + l] += A;
  }
}

static dm_status eval_with_inertia(const void *self, void *scratch, int order, const double *q,
                                   const double *v, dm_jet *out) {
  const dm_stiff_damping *w = self;
  DM_TRY(w->L.eval(w->L.self, scratch, order, q, v, out));
  add_inertia(w, 1, order, v, out);
  return DM_OK;
}

// A is constant: T(a) equals that of L
static dm_status contract_with_inertia(const void *self, void *scratch, const double *q,
                                       const double *v, const double *a_q, const double *a_v,
                                       dm_jet *out) {
  const dm_stiff_damping *w = self;
  return w->L.contract(w->L.self, scratch, q, v, a_q, a_v, out);
}

static dm_status eval_lanes_with_inertia(const void *self, void *scratch, int order,
                                         const double *q, const double *v, dm_jet *out) {
  const dm_stiff_damping *w = self;
  DM_TRY(w->L.lanes_eval(w->L.self, scratch, order, q, v, out));
  add_inertia(w, w->L.lanes, order, v, out);
  return DM_OK;
}

static dm_status contract_lanes_with_inertia(const void *self, void *scratch, const double *q,
                                             const double *v, const double *a_q, const double *a_v,
                                             dm_jet *out) {
  const dm_stiff_damping *w = self;
  return w->L.lanes_contract(w->L.self, scratch, q, v, a_q, a_v, out);
}

dm_system dm_stiff_damping_system(const dm_stiff_damping *w, const dm_system *s) {
  dm_system out = *s;
  if (w->count == 0) return out;

  // the Lagrangian of continuous motion, and the lag of the states
  out.physical = &w->L;
  out.lag = w->lag;

  // L + v.A v/2, with the functions that L has
  out.L.self = w;
  out.L.eval = eval_with_inertia;
  if (w->L.contract) out.L.contract = contract_with_inertia;
  if (w->L.lanes_eval) out.L.lanes_eval = eval_lanes_with_inertia;
  if (w->L.lanes_contract) out.L.lanes_contract = contract_lanes_with_inertia;
  return out;
}
