#include "lib/saddle.h"

#include "lib/block.h"
#include "lib/dense.h"

#include <string.h>

static void lay_out(dm_saddle *w, dm_block *b) {
  size_t n = (size_t)w->n, nc = (size_t)w->nc, size = (size_t)w->size;
  w->dyn = dm_take(b, (size_t)w->nd, sizeof *w->dyn);
  w->kin = dm_take(b, (size_t)w->nk, sizeof *w->kin);
  w->h = dm_take(b, nc, sizeof *w->h);
  w->Dh0 = dm_take(b, nc * n, sizeof *w->Dh0);
  w->Dh1 = dm_take(b, nc * n, sizeof *w->Dh1);
  w->LU = dm_take(b, size * size, sizeof *w->LU);
  w->piv = dm_take(b, size, sizeof *w->piv);
  w->scratch = dm_take(b, w->hol.scratch, 1);
}

dm_status dm_saddle_new(dm_saddle **out, const dm_system *s) {
  int n = s->L.nq;
  dm_saddle sizes = {.hol = s->hol, .n = n, .nd = n - s->nk, .nk = s->nk, .nc = s->hol.nc};
  sizes.size = sizes.nd + sizes.nc;
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block);
  DM_TRY(dm_block_new(&block));
  dm_saddle *w = dm_take(&block, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &block);
  for (int i = 0, d = 0, k = 0; i < n; i++) {
    if (s->kinematic && s->kinematic[i])
      w->kin[k++] = i;
    else
      w->dyn[d++] = i;
  }
  *out = w;
  return DM_OK;
}

void dm_saddle_free(dm_saddle *w) {
  dm_block_free(w);
}

dm_status dm_saddle_start(dm_saddle *w, const double *q0) {
  return w->nc ? w->hol.eval(w->hol.self, w->scratch, q0, w->h, w->Dh0) : DM_OK;
}

dm_status dm_saddle_end(dm_saddle *w, const double *q1) {
  return w->nc ? w->hol.eval(w->hol.self, w->scratch, q1, w->h, w->Dh1) : DM_OK;
}

dm_status dm_saddle_factor(dm_saddle *w, const double *D12) {
  int n = w->n, nd = w->nd, nc = w->nc, size = w->size;
  if (nd == n && nc == 0) {
    memcpy(w->LU, D12, (size_t)(n * n) * sizeof *D12);
    return dm_lu_factor(n, w->LU, w->piv);
  }
  for (int i = 0; i < nd; i++) {
    for (int j = 0; j < nd; j++) w->LU[i * size + j] = D12[w->dyn[i] * n + w->dyn[j]];
    for (int c = 0; c < nc; c++) {
      w->LU[i * size + nd + c] = -w->Dh0[c * n + w->dyn[i]];
      w->LU[(nd + c) * size + i] = w->Dh1[c * n + w->dyn[i]];
    }
  }
  for (int c = nd; c < size; c++) memset(w->LU + c * size + nd, 0, (size_t)nc * sizeof *w->LU);
  return dm_lu_factor(size, w->LU, w->piv);
}

void dm_saddle_solve(const dm_saddle *w, int nrhs, double *B) {
  dm_lu_solve(w->size, w->LU, w->piv, nrhs, B);
}

void dm_saddle_solve_transposed(const dm_saddle *w, int nrhs, double *B) {
  dm_lu_solve_transposed(w->size, w->LU, w->piv, nrhs, B);
}
