#include "lib/mechanics/potential.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

struct dm_conservative {
  dm_lagrangian L;
  dm_potential V;
  int n, idle;
  int entries;         // number of entries of V_qq in the mask
  int ncoord, *coord;  // [ncoord] coordinates that V depends on
  int nentry, *entry;  // [nentry] positions of the entries of V_qq
  unsigned char *mask; // [n x n] of the difference
};

static bool has_entry(const dm_potential *V, int i, int j) {
  return !V->mask || V->mask[i * V->nq + j];
}

static void lay_out_conservative(void *self, dm_block *b) {
  dm_conservative *c = self;
  size_t n = (size_t)c->n;
  c->coord = dm_block_alloc(b, n, sizeof *c->coord);
  c->entry = dm_block_alloc(b, (size_t)c->entries, sizeof *c->entry);
  c->mask = dm_block_alloc(b, n * n, 1);
}

dm_status dm_conservative_new(dm_conservative **out, const dm_lagrangian *L,
                              const dm_potential *V) {
  int n = L->nq;
  assert(V->nq == n);
  dm_conservative sizes = {.L = *L, .V = *V, .n = n, .idle = L->idle};
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sizes.entries += has_entry(V, i, j);
  dm_conservative *c = dm_block_make(&sizes, sizeof sizes, lay_out_conservative);
  if (!c) return DM_NO_MEMORY;

  // the mask is the union of both; the entries of V are listed
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      int ij = i * n + j;
      c->mask[ij] = !L->mask || L->mask[ij] || has_entry(V, i, j);
      if (has_entry(V, i, j)) c->entry[c->nentry++] = ij;
    }

    // a coordinate that V depends on; only coordinates after the last one stay idle
    if (!has_entry(V, i, i)) continue;
    c->coord[c->ncoord++] = i;
    if (c->idle > n - 1 - i) c->idle = n - 1 - i;
  }
  *out = c;
  return DM_OK;
}

void dm_conservative_free(dm_conservative *c) {
  dm_block_free(c);
}

// the caller's scratch: that of L, that of V, and V's derivatives at one point
typedef struct potential_room {
  void *L, *V;
  double *q, *a, *V_q, *V_qq;
} potential_room;

static potential_room open_room(const dm_conservative *c, dm_block *b, bool lanes) {
  size_t n = (size_t)c->n;
  potential_room r;
  r.L = dm_block_alloc(b, lanes ? c->L.lanes_scratch : c->L.scratch, 1);
  r.V = dm_block_alloc(b, c->V.scratch, 1);
  r.q = dm_block_alloc(b, n, sizeof(double));
  r.a = dm_block_alloc(b, n, sizeof(double));
  r.V_q = dm_block_alloc(b, n, sizeof(double));
  r.V_qq = dm_block_alloc(b, n * n, sizeof(double));
  return r;
}

static size_t room_size(const dm_conservative *c, bool lanes) {
  dm_block b = {0};
  open_room(c, &b, lanes);
  return (b.used + 63) & ~(size_t)63;
}

// extract lane l of W lanes of x
static void gather_lane(int n, int W, int l, const double *x, double *to) {
  for (int i = 0; i < n; i++) to[i] = x[i * W + l];
}

static void clear_potential_hessian(const dm_conservative *c, const potential_room *r) {
  for (int k = 0; k < c->nentry; k++) r->V_qq[c->entry[k]] = 0;
}

// subtract V_qq from lane l of L_qq
static void subtract_hessian(const dm_conservative *c, const potential_room *r, int W, int l,
                             double *L_qq) {
  for (int k = 0; k < c->nentry; k++) L_qq[c->entry[k] * W + l] -= r->V_qq[c->entry[k]];
}

static dm_status subtract_potential(const dm_conservative *c, const potential_room *r, int order,
                                    int W, const double *q, dm_jet *out) {
  const dm_potential *V = &c->V;
  size_t n = (size_t)c->n;
  for (int l = 0; l < W; l++) {
    // V and its derivatives at lane l; the arrays are zeroed first
    double energy = 0;
    gather_lane(c->n, W, l, q, r->q);
    memset(r->V_q, 0, n * sizeof(double));
    if (order > 1) clear_potential_hessian(c, r);
    DM_TRY(V->eval(V->self, r->V, order, r->q, &energy, r->V_q, r->V_qq));
    if (!isfinite(energy)) return DM_NOT_FINITE;

    // L - V, for each entry
    out->L -= energy;
    for (int i = 0; i < c->ncoord; i++) out->L_q[c->coord[i] * W + l] -= r->V_q[c->coord[i]];
    if (order > 1) subtract_hessian(c, r, W, l, out->L_qq);
  }
  return DM_OK;
}

static dm_status subtract_contracted(const dm_conservative *c, const potential_room *r, int W,
                                     const double *q, const double *a, dm_jet *out) {
  const dm_potential *V = &c->V;
  for (int l = 0; l < W; l++) {
    gather_lane(c->n, W, l, q, r->q);
    gather_lane(c->n, W, l, a, r->a);
    clear_potential_hessian(c, r);
    DM_TRY(V->contract(V->self, r->V, r->q, r->a, r->V_qq));
    subtract_hessian(c, r, W, l, out->L_qq);
  }
  return DM_OK;
}

static dm_status eval_difference(const void *self, void *scratch, int order, const double *q,
                                 const double *v, dm_jet *out) {
  const dm_conservative *c = self;
  dm_block b = {.base = scratch};
  potential_room r = open_room(c, &b, false);
  DM_TRY(c->L.eval(c->L.self, r.L, order, q, v, out));
  return subtract_potential(c, &r, order, 1, q, out);
}

static dm_status contract_difference(const void *self, void *scratch, const double *q,
                                     const double *v, const double *a_q, const double *a_v,
                                     dm_jet *out) {
  const dm_conservative *c = self;
  dm_block b = {.base = scratch};
  potential_room r = open_room(c, &b, false);
  DM_TRY(c->L.contract(c->L.self, r.L, q, v, a_q, a_v, out));
  return subtract_contracted(c, &r, 1, q, a_q, out);
}

static dm_status eval_lanes(const void *self, void *scratch, int order, const double *q,
                            const double *v, dm_jet *out) {
  const dm_conservative *c = self;
  dm_block b = {.base = scratch};
  potential_room r = open_room(c, &b, true);
  DM_TRY(c->L.lanes_eval(c->L.self, r.L, order, q, v, out));
  return subtract_potential(c, &r, order, c->L.lanes, q, out);
}

static dm_status contract_lanes(const void *self, void *scratch, const double *q, const double *v,
                                const double *a_q, const double *a_v, dm_jet *out) {
  const dm_conservative *c = self;
  dm_block b = {.base = scratch};
  potential_room r = open_room(c, &b, true);
  DM_TRY(c->L.lanes_contract(c->L.self, r.L, q, v, a_q, a_v, out));
  return subtract_contracted(c, &r, c->L.lanes, q, a_q, out);
}

dm_lagrangian dm_conservative_lagrangian(const dm_conservative *c) {
  const bool third = c->L.contract && c->V.contract;
  dm_lagrangian L = {.nq = c->n,
                     .idle = c->idle,
                     .quadratic = c->L.quadratic,
                     .mask = c->mask,
                     .self = c,
                     .scratch = room_size(c, false),
                     .eval = eval_difference,
                     .lanes = c->L.lanes};

  // third derivatives if both have them; lanes if L has them, with V evaluated lane by lane
  if (third) L.contract = contract_difference;
  if (c->L.lanes <= 1) return L;
  L.lanes_scratch = room_size(c, true);
  L.lanes_eval = eval_lanes;
  if (third) L.lanes_contract = contract_lanes;
  return L;
}
