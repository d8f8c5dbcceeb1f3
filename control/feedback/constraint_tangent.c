#include "control/feedback/constraint_tangent.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-14; // a difference below this share of the subtrahend is rounding

static void lay_out_tangent(void *self, dm_block *b) {
  fb_constraint_tangent *w = self;
  size_t n = (size_t)w->n, nd = (size_t)w->nd, nc = (size_t)w->nc, size = sizeof(double);
  w->dyn = dm_block_alloc(b, nd, sizeof *w->dyn);
  w->piv = dm_block_alloc(b, nc, sizeof *w->piv);
  w->Dh = dm_block_alloc(b, nc * n, size);
  w->square = dm_block_alloc(b, nd, size);
  w->Dd = dm_block_alloc(b, nd * nc, size);
  w->Ds = dm_block_alloc(b, nd * nc, size);
  w->LU = dm_block_alloc(b, nc * nc, size);
  const size_t nh = w->nv ? nc - (size_t)w->nv : 0;
  w->LU_h = dm_block_alloc(b, nh * nh, size);
  w->piv_h = dm_block_alloc(b, nh, sizeof *w->piv_h);
  w->G = dm_block_alloc(b, 2 * n * nc, size);
  w->column = dm_block_alloc(b, 2 * n, size);
}

dm_status fb_constraint_tangent_new(fb_constraint_tangent **out, int n, int nc, int nv,
                                    const bool *kinematic) {
  assert(out && n >= 0 && nc >= 0);

  // nd: the number of coordinates that are not kinematic
  fb_constraint_tangent sizes = {.n = n, .nd = n, .nc = nc, .nv = nv};
  for (int i = 0; kinematic && i < n; i++) sizes.nd -= kinematic[i];
  fb_constraint_tangent *w = dm_block_make(&sizes, sizeof sizes, lay_out_tangent);
  if (!w) return DM_NO_MEMORY;

  for (int i = 0, d = 0; i < n; i++)
    if (!kinematic || !kinematic[i]) w->dyn[d++] = i;
  for (int d = 0; d < w->nd; d++) w->square[d] = 1;
  *out = w;
  return DM_OK;
}

void fb_constraint_tangent_free(fb_constraint_tangent *w) {
  dm_block_free(w);
}

void fb_constraint_tangent_size(fb_constraint_tangent *w, const double *size) {
  for (int d = 0; d < w->nd; d++) w->square[d] = size[w->dyn[d]] * size[w->dyn[d]];
}

dm_status fb_constraint_tangent_set(fb_constraint_tangent *w, const double *Dh) {
  int n = w->n, nc = w->nc;

  // Dd', one row per dynamic coordinate
  memcpy(w->Dh, Dh, (size_t)(nc * n) * sizeof *Dh);
  for (int i = 0; i < w->nd; i++)
    for (int c = 0; c < nc; c++) {
      w->Dd[i * nc + c] = Dh[c * n + w->dyn[i]];
      w->Ds[i * nc + c] = w->square[i] * w->Dd[i * nc + c];
    }

  // factor Dd S2 Dd', which is singular if the constraints are dependent
  if (nc) dm_gemm_transposed(nc, nc, w->nd, 1, w->Ds, nc, w->Dd, nc, 0, w->LU, nc);
  const int nh = w->nv ? nc - w->nv : 0;
  for (int a = 0; a < nh; a++)
    memcpy(w->LU_h + a * nh, w->LU + a * nc, (size_t)nh * sizeof *w->LU_h);
  if (nh) DM_TRY(dm_lu_factor(nh, w->LU_h, w->piv_h));
  return nc ? dm_lu_factor(nc, w->LU, w->piv) : DM_OK;
}

void fb_constraint_tangent_impulse(const fb_constraint_tangent *w, const double *r,
                                   double *lambda) {
  // least squares: Dd S2 Dd' lambda = Dd S2 r
  for (int c = 0; c < w->nc; c++) {
    lambda[c] = 0;
    for (int i = 0; i < w->nd; i++) lambda[c] += w->Ds[i * w->nc + c] * r[w->dyn[i]];
  }
  if (w->nc) dm_lu_solve(w->nc, w->LU, w->piv, 1, lambda);
}

// y += a x
static inline void add_multiple(int n, double a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}

// y -= a x. Rounding becomes 0, because a rank test normalizes columns and would count it as a direction.
static inline void take_multiple(int n, double a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    const double part = a * x[i], rest = y[i] - part;
    y[i] = fabs(rest) <= ROUNDING * fabs(part) ? 0 : rest;
  }
}

void fb_constraint_tangent_restrict(fb_constraint_tangent *w, int rows, double *X) {
  int n = w->n, nc = w->nc, nh = nc - w->nv;
  assert(rows <= 2 * n);
  if (!nh) return;

  // G = (Dd S2 Dd')^-1 Dd S2 X', for the dynamic columns of X
  memset(w->G, 0, (size_t)(nh * rows) * sizeof *w->G);
  for (int i = 0; i < w->nd; i++) {
    for (int r = 0; r < rows; r++) w->column[r] = X[2 * r * n + w->dyn[i]];
    for (int c = 0; c < nh; c++)
      if (w->Ds[i * nc + c] != 0) add_multiple(rows, w->Ds[i * nc + c], w->column, w->G + c * rows);
  }
  dm_lu_solve(nh, w->nv ? w->LU_h : w->LU, w->nv ? w->piv_h : w->piv, rows, w->G);

  // X_q Pi = X_q - G'Dh
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < nh; c++) take_multiple(n, w->G[c * rows + r], w->Dh + c * n, X + 2 * r * n);
}

void fb_constraint_tangent_quotient(fb_constraint_tangent *w, int cols, double *X) {
  double *p = dm_row(X, w->n, cols);
  int nc = w->nc, width = 2 * w->n;

  // as many columns at once as fit into G
  for (int from = 0; nc && from < cols; from += width) {
    int m = cols - from < width ? cols - from : width;

    // G = (Dd S2 Dd')^-1 Dd S2 p: the constraint impulses, for each column
    memset(w->G, 0, (size_t)(nc * m) * sizeof *w->G);
    for (int i = 0; i < w->nd; i++)
      for (int c = 0; c < nc; c++)
        add_multiple(m, w->Ds[i * nc + c], p + w->dyn[i] * cols + from, w->G + c * m);
    dm_lu_solve(nc, w->LU, w->piv, m, w->G);

    // p <- p - Dd'G
    for (int i = 0; i < w->nd; i++)
      for (int c = 0; c < nc; c++)
        take_multiple(m, w->Dd[i * nc + c], w->G + c * m, p + w->dyn[i] * cols + from);
  }
}
