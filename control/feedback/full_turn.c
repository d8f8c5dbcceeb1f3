#include "control/feedback/full_turn.h"

#include "lib/base/block.h"
#include "lib/base/random.h"

#include <math.h>

static const double SAME = 1e-9; // relative to the change by coordinates of their sizes

// compared at a configuration and after a revolution: -L(q,0), the velocity part of L, h
typedef struct comparison {
  const dm_system *s;
  double *q, *v, *none, *L_q, *L_v, *size; // [n], none is all 0; [2n]
  double *h[2], *Dh;                       // [nc], [nc x n]
  void *lagrangian, *hol;                  // scratch
} comparison;

static void lay_out_comparison(void *self, dm_block *b) {
  comparison *w = self;
  const size_t n = (size_t)w->s->L.nq, nc = (size_t)w->s->hol.nc;
  double **of[] = {&w->q, &w->v, &w->none, &w->L_q, &w->L_v};
  for (size_t i = 0; i < 5; i++) *of[i] = dm_block_alloc(b, n, sizeof(double));
  w->size = dm_block_alloc(b, 2 * n, sizeof(double));
  for (int i = 0; i < 2; i++) w->h[i] = dm_block_alloc(b, nc, sizeof(double));
  w->Dh = dm_block_alloc(b, nc * n, sizeof(double));
  w->lagrangian = dm_block_alloc(b, w->s->L.scratch, 1);
  w->hol = dm_block_alloc(b, w->s->hol.scratch, 1);
}

// L at rest, and its velocity part; with the changes of both by coordinates of their sizes
typedef struct place {
  double rest, moving, rest_size, moving_size;
} place;

static dm_status eval_place(comparison *w, place *at, double *h) {
  const dm_system *s = w->s;
  dm_jet jet = {.L_q = w->L_q, .L_v = w->L_v};
  DM_TRY(s->L.eval(s->L.self, w->lagrangian, 1, w->q, w->none, &jet));
  at->rest = jet.L;
  at->rest_size = fabs(jet.L);
  for (int j = 0; j < s->L.nq; j++) at->rest_size += fabs(w->L_q[j]) * w->size[j];

  DM_TRY(s->L.eval(s->L.self, w->lagrangian, 1, w->q, w->v, &jet));
  at->moving = jet.L - at->rest;
  at->moving_size = fabs(at->moving);
  for (int j = 0; j < s->L.nq; j++) at->moving_size += fabs(w->L_v[j] * w->v[j]);
  return s->hol.nc ? s->hol.eval(s->hol.self, w->hol, w->q, h, w->Dh) : DM_OK;
}

// the size of constraint row c at the last configuration
static double size_row(const comparison *w, int c) {
  const int n = w->s->L.nq;
  double size = fabs(w->h[0][c]);
  for (int j = 0; j < n; j++) size += fabs(w->Dh[c * n + j]) * w->size[j];
  return size;
}

// whether L and h are the same after a revolution of coordinate i
static bool is_same_later(comparison *w, int i, int number) {
  const int n = w->s->L.nq, nc = w->s->hol.nc;
  place a, b;
  for (int j = 0; j < n; j++) {
    w->q[j] = 0.7 * w->size[j] * dm_random_normal(1, number, (uint64_t)j);
    w->v[j] = w->size[j] * dm_random_normal(2, number, (uint64_t)j);
  }
  if (eval_place(w, &a, w->h[0]) != DM_OK) return false;

  // Velocities whose part of L is about as large as L at rest, if that is not 0: then neither hides
  // the other.
  const double factor = sqrt(a.rest_size / a.moving_size);
  for (int j = 0; j < w->s->L.nq && isnormal(factor); j++) w->v[j] *= factor;

  if (eval_place(w, &a, w->h[0]) != DM_OK) return false;
  w->q[i] += FB_FULL_TURN;
  if (eval_place(w, &b, w->h[1]) != DM_OK) return false;
  bool same = fabs(a.rest - b.rest) <= SAME * a.rest_size &&
              fabs(a.moving - b.moving) <= SAME * (a.moving_size + a.rest_size);
  for (int c = 0; c < nc; c++)
    same = same && fabs(w->h[0][c] - w->h[1][c]) <= SAME * size_row(w, c);
  return same;
}

dm_status fb_full_turn_find(const dm_system *s, bool *turns) {
  enum { PLACES = 3 };
  comparison sizes = {.s = s};
  comparison *w = dm_block_make(&sizes, sizeof sizes, lay_out_comparison);
  if (!w) return DM_NO_MEMORY;
  dm_system_motion_sizes(s, 1, w->size);
  for (int i = 0; i < s->L.nq; i++)
    for (int number = 0; number < PLACES && turns[i]; number++) {
      bool prescribed = s->kinematic && s->kinematic[i];
      turns[i] = !prescribed && is_same_later(w, i, number);
    }
  dm_block_free(w);
  return DM_OK;
}
