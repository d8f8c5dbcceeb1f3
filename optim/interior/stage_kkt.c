#include "optim/interior/stage_kkt.h"

#include "optim/nlp/ldl.h"

#include <stdlib.h>
#include <string.h>

// factorizations that a record must serve; entries of ldl's arrays
enum { WORTH = 3, MOST_ROOM = 1000000000 };

static void put_place(oc_stage_kkt *k, int row, int col) {
  k->row[k->nz] = row + 1;
  k->col[k->nz] = col + 1;
  k->nz++;
}

// Hessian, Jacobian below it, the diagonal
static void fill_places(oc_stage_kkt *k) {
  k->nz = 0;
  for (int e = 0; e < k->hess->nnz; e++) put_place(k, k->hess->row[e], k->hess->col[e]);
  for (int e = 0; e < k->jac->nnz; e++) put_place(k, k->n + k->jac->row[e], k->jac->col[e]);
  for (int i = 0; i < k->dim; i++) put_place(k, i, i);
}

static void lay_out_kkt(void *self, dm_block *b) {
  oc_stage_kkt *k = self;
  size_t dim = (size_t)k->dim, nz = (size_t)(k->hess->nnz + k->jac->nnz) + dim;
  k->row = dm_block_alloc(b, nz, sizeof(int));
  k->col = dm_block_alloc(b, nz, sizeof(int));
  k->keep = dm_block_alloc(b, 3 * dim + 1, sizeof(int));
  k->iw1 = dm_block_alloc(b, 2 * dim + 2, sizeof(int));
  k->order = dm_block_alloc(b, dim, sizeof(int));
  k->pivot = dm_block_alloc(b, dim, sizeof(int));
  k->values = dm_block_alloc(b, nz, sizeof(double));
  k->w = dm_block_alloc(b, dim, sizeof(double));
}

static dm_status make_room(oc_stage_kkt *k) {
  free(k->a);
  free(k->iw);
  k->a = malloc((size_t)k->la * sizeof *k->a);
  k->iw = malloc((size_t)k->liw * sizeof *k->iw);
  return k->a && k->iw ? DM_OK : DM_NO_MEMORY;
}

static dm_status order_system(oc_stage_kkt *k) {
  int icntl[30], info[20] = {0}, flag = 0;
  double cntl[5], products;
  oc_ldl_default(icntl, cntl);
  fill_places(k);
  k->liw = 2 * k->nz + 2 * k->dim + 3;
  k->la = 1;
  DM_TRY(make_room(k));
  oc_ldl_order(&k->dim, &k->nz, k->row, k->col, k->iw, &k->liw, k->keep, k->iw1, &k->steps, &flag,
               icntl, cntl, info, &products);
  if (info[0] != 0) return DM_NO_MEMORY;
  k->la = info[4];
  k->liw = info[5];
  // a window's rows are more than its pivots' lists; half of the products by symmetry
  DM_TRY(oc_static_factor_reserve(k->fixed, info[4], products / 2));
  return make_room(k);
}

dm_status oc_stage_kkt_new(oc_stage_kkt **out, int n, int m, const oc_sparse_sum *hess,
                           const oc_sparse_sum *jac) {
  oc_stage_kkt sizes = {
      .n = n, .m = m, .dim = n + m, .hess = hess, .jac = jac, .wait = 1, .served = WORTH};
  *out = NULL;
  oc_stage_kkt *k = dm_block_make(&sizes, sizeof sizes, lay_out_kkt);
  if (!k) return DM_NO_MEMORY;
  const int nz = hess->nnz + jac->nnz + k->dim; // as fill_places puts them
  dm_status s = oc_static_factor_new(&k->fixed, k->dim, nz);
  if (s == DM_OK) s = order_system(k);
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
  oc_static_factor_free(k->fixed);
  dm_block_free(k);
}

// values in the pattern's order
static void fill_values(oc_stage_kkt *k, const double *d, const double *e) {
  double *a = k->values;
  memcpy(a, k->hess->val, (size_t)k->hess->nnz * sizeof *a);
  a += k->hess->nnz;
  memcpy(a, k->jac->val, (size_t)k->jac->nnz * sizeof *a);
  a += k->jac->nnz;
  memcpy(a, d, (size_t)k->n * sizeof *a);
  for (int i = 0; i < k->m; i++) a[k->n + i] = -e[i];
}

// by ldl, whose pivots are chosen anew
static dm_status factor_anew(oc_stage_kkt *k, int *negative) {
  int icntl[30], info[20];
  double cntl[5];
  oc_ldl_default(icntl, cntl);
  for (;;) {
    memcpy(k->a, k->values, (size_t)k->nz * sizeof *k->a);
    oc_ldl_factor(&k->dim, &k->nz, k->row, k->col, k->a, &k->la, k->iw, &k->liw, k->keep, &k->steps,
                  &k->front, k->iw1, icntl, cntl, info);
    if (info[0] != -3 && info[0] != -4) break;
    // more pivots wait than there is room for
    int *room = info[0] == -3 ? &k->liw : &k->la;
    if (info[1] > MOST_ROOM) return DM_NO_MEMORY;
    *room = info[1] + info[1] / 2;
    DM_TRY(make_room(k));
  }
  *negative = info[14];
  return info[0] == 0 ? DM_OK : DM_SINGULAR;
}

// The pivots of ldl are those that are tried next. Recording costs about two factorizations: where
// the last record served less often, twice as many go by until the next one.
static dm_status record_pivots(oc_stage_kkt *k) {
  if (k->wait-- > 0) return DM_OK;
  k->pause = k->served >= WORTH ? 0 : 2 * k->pause + 1;
  k->wait = k->pause;
  k->served = 0;
  int count = oc_ldl_pivots(k->iw, k->order, k->pivot);
  return oc_static_factor_record(k->fixed, k->row, k->col, count, k->order, k->pivot);
}

dm_status oc_stage_kkt_factor(oc_stage_kkt *k, const double *d, const double *e, int *negative) {
  fill_values(k, d, e);
  k->is_fixed =
      k->fixed->blocks > 0 && oc_static_factor_run(k->fixed, k->values, negative) == DM_OK;
  k->served += k->is_fixed;
  if (k->is_fixed) return DM_OK;
  dm_status s = factor_anew(k, negative);
  return s == DM_OK ? record_pivots(k) : s;
}

bool oc_stage_kkt_renew(oc_stage_kkt *k) {
  int negative;
  if (!k->is_fixed || factor_anew(k, &negative) != DM_OK) return false;
  k->is_fixed = false;
  return record_pivots(k) == DM_OK;
}

void oc_stage_kkt_solve(oc_stage_kkt *k, double *rhs) {
  if (k->is_fixed)
    oc_static_factor_solve(k->fixed, rhs);
  else
    oc_ldl_solve(&k->dim, k->a, &k->la, k->iw, &k->liw, k->w, &k->front, rhs, k->iw1, &k->steps,
                 NULL, NULL);
}
