#include "lib/multibody/impulse_shares.h"

#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>

static const double ROUNDING = 1e-9; // singular values below this fraction of the largest count as
                                     // zero

struct dm_impulse_shares {
  const dm_model *m;
  const dm_constraints *c;
  int n, all;     // coordinates, rows
  double arm;     // m, lever arm of moments
  double *h, *Dh; // [all], [all x n]
  double *force;  // [all] dm_constraints_force
  double *value;  // singular values                       [min(n, all)]
  double *b;      // generalized impulse, then f lambda       [max(n, all)]
  int *which;     // [all] 0, 1, ..
  size_t room;    // bytes of scratch
  void *scratch;  // of the constraints
};

static void lay_out_shares(void *self, dm_block *b) {
  dm_impulse_shares *w = self;
  const size_t n = (size_t)w->n, all = (size_t)w->all;
  w->h = dm_block_alloc(b, all, sizeof *w->h);
  w->Dh = dm_block_alloc(b, all * n, sizeof *w->Dh);
  w->force = dm_block_alloc(b, all, sizeof *w->force);
  w->value = dm_block_alloc(b, n < all ? n : all, sizeof *w->value);
  w->b = dm_block_alloc(b, n > all ? n : all, sizeof *w->b);
  w->which = dm_block_alloc(b, all, sizeof *w->which);
  w->scratch = dm_block_alloc(b, w->room, 1);
}

dm_impulse_shares *dm_impulse_shares_new(const dm_model *m, const dm_constraints *c) {
  // the longest arm of a constraint's point
  const dm_constraint *list;
  const int n = dm_constraints_described(c, &list);
  double most = 0;
  for (int j = 0; j < m->nj; j++) most = fmax(most, dm_dot(m->offset[j].p, m->offset[j].p));
  for (int i = 0; i < n; i++)
    for (int end = 0; end < 2; end++)
      most = fmax(most, dm_inner(3, list[i].point[end], list[i].point[end]));
  dm_impulse_shares sizes = {.m = m,
                             .c = c,
                             .n = m->nq,
                             .all = dm_constraints_all(c),
                             .arm = most > 0 ? sqrt(most) : 1,
                             .room = dm_constraints_holonomic(c).scratch};

  dm_impulse_shares *w = dm_block_make(&sizes, sizeof sizes, lay_out_shares);
  for (int i = 0; w && i < w->all; i++) w->which[i] = i;
  return w;
}

void dm_impulse_shares_free(dm_impulse_shares *w) {
  dm_block_free(w);
}

dm_status dm_impulse_shares_find(dm_impulse_shares *w, const double *q, const double *lambda,
                                 double *shares) {
  const int n = w->n, all = w->all, kept = dm_constraints_count(w->c);
  const int size = n > all ? n : all;
  int rank;
  DM_TRY(dm_constraints_rows(w->c, w->scratch, q, all, w->which, w->h, w->Dh));

  // 1. generalized impulse of the kept rows
  for (int j = 0; j < size; j++) w->b[j] = 0;
  for (int i = 0; i < kept; i++) dm_add_to(n, lambda[i], w->Dh + i * n, w->b);

  // 2. gradients per N s, and all equations in N s: rows of angles are divided by the lever arm
  for (int i = 0; i < all; i++) {
    w->force[i] = dm_constraints_force(w->c, i, q, w->arm);
    for (int j = 0; j < n; j++) w->Dh[i * n + j] /= w->force[i];
  }
  for (int j = 0; j < n; j++) {
    if (w->m->kind[j] == DM_SLIDE) continue;
    w->b[j] /= w->arm;
    for (int i = 0; i < all; i++) w->Dh[i * n + j] /= w->arm;
  }

  // 3. f lambda of least norm; the rows of Dh are the columns of Dh'
  const double big = dm_largest(size, w->b), most = dm_largest(all * n, w->Dh);
  if (!isfinite(big) || !isfinite(most)) return DM_NOT_FINITE;
  if (dm_blas()->LAPACKE_dgelsd(LAPACK_COL_MAJOR, n, all, 1, w->Dh, n, w->b, size, w->value,
                                ROUNDING, &rank) != 0)
    return DM_NO_MEMORY;
  for (int i = 0; i < all; i++) shares[dm_constraints_number(w->c, i)] = w->b[i] / w->force[i];
  return DM_OK;
}
