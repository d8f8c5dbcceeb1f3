#include "optim/interior/stage_kkt.h"

#include "optim/nlp/ldl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROOM = 1000000000 }; // length of ldl's arrays
// delayed unknowns are moved to later steps if a row of a front is at least this long: for shorter
// ones a search for pivots is cheaper than wider fronts
enum { LONG_ROW = 128 };

static void put_place(oc_stage_kkt *k, int row, int col) {
  k->row[k->nz] = row + 1;
  k->col[k->nz] = col + 1;
  k->nz++;
}

static void lay_out_kkt(void *self, dm_block *b) {
  oc_stage_kkt *k = self;
  size_t dim = (size_t)k->dim, nz = (size_t)(k->hess->nnz + k->jac->nnz) + dim;
  k->row = dm_block_alloc(b, nz, sizeof(int));
  k->col = dm_block_alloc(b, nz, sizeof(int));
  k->keep = dm_block_alloc(b, 3 * dim + 1, sizeof(int));
  k->iw1 = dm_block_alloc(b, 2 * dim + 2, sizeof(int));
  k->step = dm_block_alloc(b, dim, sizeof(int));
  k->values = dm_block_alloc(b, nz, sizeof(double));
  k->w = dm_block_alloc(b, dim, sizeof(double));
  k->rest = dm_block_alloc(b, dim, sizeof(double));
}

static dm_status make_room(oc_stage_kkt *k) {
  free(k->a);
  free(k->iw);
  k->a = malloc((size_t)k->la * sizeof *k->a);
  k->iw = malloc((size_t)k->liw * sizeof *k->iw);
  k->has_ldl = k->a && k->iw;
  return k->has_ldl ? DM_OK : DM_NO_MEMORY;
}

// order of ldl, and memory for its factors
static dm_status prepare_ldl(oc_stage_kkt *k) {
  int icntl[30], info[20] = {0}, flag = 0;
  double cntl[5], products;
  oc_ldl_default(icntl, cntl);
  k->liw = 2 * k->nz + 2 * k->dim + 3;
  k->la = 1;
  DM_TRY(make_room(k));
  k->has_ldl = false; // until it is ordered
  oc_ldl_order(&k->dim, &k->nz, k->row, k->col, k->iw, &k->liw, k->keep, k->iw1, &k->steps, &flag,
               icntl, cntl, info, &products);
  if (info[0] != 0) return DM_NO_MEMORY;
  k->la = info[4];
  k->liw = info[5];
  return make_room(k);
}

// the stages of the system, or of its rest
static dm_status make_stages(oc_stage_factor **out, const oc_stage_kkt *k, const int *step,
                             int steps) {
  const oc_condensed *c = k->condensed;
  if (c) return oc_stage_factor_new(out, c->kept, c->entries, c->row, c->col, step, steps);
  return oc_stage_factor_new(out, k->dim, k->nz, k->row, k->col, step, steps);
}

// stages from the knots, or from the order of ldl without knots
static dm_status prepare_stages(oc_stage_kkt *k, const oc_stage_pattern *p) {
  const int *step = k->step;
  int steps;
  if (p->knot) {
    DM_TRY(oc_condensed_new(&k->condensed, p, k->nz, k->row, k->col));
    steps = k->knots = oc_stage_order(k->condensed ? &k->condensed->rest : p, k->step, k->iw1);
  } else {
    DM_TRY(prepare_ldl(k));
    steps = k->steps;
    step = k->keep;
  }
  // ldl handles fronts that are too large
  const dm_status s = make_stages(&k->stages, k, step, steps);
  if (s != DM_UNAVAILABLE) return s;
  return k->has_ldl ? DM_OK : prepare_ldl(k);
}

dm_status oc_stage_kkt_new(oc_stage_kkt **out, const oc_stage_pattern *p) {
  oc_stage_kkt sizes = {.n = p->n, .m = p->m, .dim = p->n + p->m, .hess = p->hess, .jac = p->jac};
  *out = NULL;
  oc_stage_kkt *k = dm_block_make(&sizes, sizeof sizes, lay_out_kkt);
  if (!k) return DM_NO_MEMORY;

  // Hessian, Jacobian below it, diagonal
  k->nz = 0;
  for (int e = 0; e < k->hess->nnz; e++) put_place(k, k->hess->row[e], k->hess->col[e]);
  for (int e = 0; e < k->jac->nnz; e++) put_place(k, k->n + k->jac->row[e], k->jac->col[e]);
  for (int i = 0; i < k->dim; i++) put_place(k, i, i);

  p->hess->val = k->values;
  p->jac->val = k->values + p->hess->nnz;
  dm_status s = prepare_stages(k, p);
  if (s < 0)
    oc_stage_kkt_free(k);
  else
    *out = k;
  return s;
}

void oc_stage_kkt_free(oc_stage_kkt *k) {
  if (!k) return;
  free(k->a);
  free(k->iw);
  oc_stage_factor_free(k->stages);
  oc_condensed_free(k->condensed);
  dm_block_free(k);
}

// factor by ldl
static dm_status factor_anew(oc_stage_kkt *k, int *negative) {
  int icntl[30], info[20];
  double cntl[5];
  if (!k->has_ldl) DM_TRY(prepare_ldl(k));
  k->by_ldl++;
  oc_ldl_default(icntl, cntl);
  for (;;) {
    memcpy(k->a, k->values, (size_t)k->nz * sizeof *k->a);
    oc_ldl_factor_until(k->deadline, &k->dim, &k->nz, k->row, k->col, k->a, &k->la, k->iw, &k->liw,
                        k->keep, &k->steps, &k->front, k->iw1, icntl, cntl, info);
    if (info[0] != -3 && info[0] != -4) break;
    // more delayed pivots than memory
    int *room = info[0] == -3 ? &k->liw : &k->la;
    if (info[1] > MOST_ROOM) return DM_NO_MEMORY;
    *room = info[1] + info[1] / 2;
    DM_TRY(make_room(k));
  }
  *negative = info[14];
  if (info[0] == -6) return DM_CUT_SHORT;
  return info[0] == 0 ? DM_OK : DM_SINGULAR;
}

// Unknowns whose pivots are always too small, like those of prescribed coordinates without a shift,
// are moved to the stage to which they were delayed, because pivots are not reused in stages with
// delayed unknowns. Only once, as other systems may delay others.
static void delay_unknowns(oc_stage_kkt *k) {
  oc_stage_factor *stages = NULL;
  if (k->delayed || !k->by_stages || k->knots == 0 || k->stages->width < LONG_ROW) return;
  if (!oc_stage_factor_has_waited(k->stages)) return;
  k->delayed = true;
  oc_stage_factor_delay(k->stages, k->step);
  if (make_stages(&stages, k, k->step, k->knots) != DM_OK) return;
  oc_stage_factor_free(k->stages);
  k->stages = stages;
}

// factor by stages
static dm_status factor_stages(oc_stage_kkt *k, int *negative) {
  const double *values = k->values;
  int eliminated = 0;
  if (!k->stages) return DM_STALLED;
  if (k->condensed) {
    if (oc_condensed_run(k->condensed, values, &eliminated) != DM_OK) return DM_STALLED;
    values = k->condensed->value;
  }
  const dm_status s = oc_stage_factor_run(k->stages, k->deadline, values, negative);
  *negative += eliminated;
  return s;
}

dm_status oc_stage_kkt_factor(oc_stage_kkt *k, const double *d, const double *e, int *negative) {
  delay_unknowns(k);

  // diagonal, after the values of Hessian and Jacobian
  double *a = k->values + k->hess->nnz + k->jac->nnz;
  memcpy(a, d, (size_t)k->n * sizeof *a);
  for (int i = 0; i < k->m; i++) a[k->n + i] = -e[i];

  const dm_status s = factor_stages(k, negative);
  k->by_stages = s == DM_OK;
  k->factorizations++;
  return s == DM_STALLED ? factor_anew(k, negative) : s;
}

dm_status oc_stage_kkt_renew(oc_stage_kkt *k) {
  int negative;
  if (!k->by_stages) return DM_STALLED;

  // search for pivots
  const bool searched = oc_stage_factor_forget(k->stages);
  dm_status s = DM_STALLED;
  if (searched) s = factor_stages(k, &negative);
  if (s == DM_OK || s == DM_CUT_SHORT) return s;

  // then ldl; if it fails, keep the factors of the stages, if they exist
  s = factor_anew(k, &negative);
  if (s == DM_SINGULAR && !searched) return DM_STALLED;
  k->by_stages = false;
  return s;
}

// solve by stages, around those of the rest
static void solve_condensed(oc_stage_kkt *k, double *x) {
  const oc_condensed *c = k->condensed;
  oc_condensed_forward(c, x);
  for (int i = 0; i < c->kept; i++) k->rest[i] = x[c->unknown[i]];
  oc_stage_factor_solve(k->stages, k->rest);
  for (int i = 0; i < c->kept; i++) x[c->unknown[i]] = k->rest[i];
  oc_condensed_backward(c, x);
}

void oc_stage_kkt_solve(oc_stage_kkt *k, double *rhs) {
  if (k->by_stages && k->condensed)
    solve_condensed(k, rhs);
  else if (k->by_stages)
    oc_stage_factor_solve(k->stages, rhs);
  else
    oc_ldl_solve(&k->dim, k->a, &k->la, k->iw, &k->liw, k->w, &k->front, rhs, k->iw1, &k->steps,
                 NULL, NULL);
}
