#include "control/feedback/full_turn.h"

#include "lib/base/block.h"
#include "lib/base/random.h"

#include <math.h>

// L and h at a place, then at it with a coordinate turned
typedef struct comparison {
  const dm_system *s;
  double *q, *v, *L_q, *L_v; // [n]
  double *h[2], *Dh;         // [nc], [nc x n]
  void *lagrangian, *hol;    // scratch
} comparison;

static void lay_out_comparison(void *self, dm_block *b) {
  comparison *w = self;
  const size_t n = (size_t)w->s->L.nq, nc = (size_t)w->s->hol.nc;
  double **of[] = {&w->q, &w->v, &w->L_q, &w->L_v};
  for (size_t i = 0; i < 4; i++) *of[i] = dm_block_alloc(b, n, sizeof(double));
  for (int i = 0; i < 2; i++) w->h[i] = dm_block_alloc(b, nc, sizeof(double));
  w->Dh = dm_block_alloc(b, nc * n, sizeof(double));
  w->lagrangian = dm_block_alloc(b, w->s->L.scratch, 1);
  w->hol = dm_block_alloc(b, w->s->hol.scratch, 1);
}

static dm_status eval_place(comparison *w, double *L, double *h) {
  dm_jet jet = {.L_q = w->L_q, .L_v = w->L_v};
  const dm_system *s = w->s;
  dm_status status = s->L.eval(s->L.self, w->lagrangian, 1, w->q, w->v, &jet);
  *L = jet.L;
  if (status == DM_OK && s->hol.nc) status = s->hol.eval(s->hol.self, w->hol, w->q, h, w->Dh);
  return status;
}

static bool are_close(double a, double b) {
  return fabs(a - b) <= 1e-9 * (1 + fabs(a));
}

// whether L and h are the same a turn of coordinate i later
static bool is_same_later(comparison *w, int i, int place) {
  const int n = w->s->L.nq;
  double L[2];
  for (int j = 0; j < n; j++) {
    w->q[j] = 0.7 * dm_random_normal(1, place, (uint64_t)j);
    w->v[j] = dm_random_normal(2, place, (uint64_t)j);
  }
  if (eval_place(w, &L[0], w->h[0]) != DM_OK) return false;
  w->q[i] += FB_FULL_TURN;
  if (eval_place(w, &L[1], w->h[1]) != DM_OK) return false;
  bool same = are_close(L[0], L[1]);
  for (int c = 0; c < w->s->hol.nc; c++) same = same && are_close(w->h[0][c], w->h[1][c]);
  return same;
}

dm_status fb_full_turn_find(const dm_system *s, bool *turns) {
  enum { PLACES = 3 };
  comparison sizes = {.s = s};
  comparison *w = dm_block_make(&sizes, sizeof sizes, lay_out_comparison);
  if (!w) return DM_NO_MEMORY;
  for (int i = 0; i < s->L.nq; i++)
    for (int place = 0; place < PLACES && turns[i]; place++) {
      bool prescribed = s->kinematic && s->kinematic[i];
      turns[i] = !prescribed && is_same_later(w, i, place);
    }
  dm_block_free(w);
  return DM_OK;
}
