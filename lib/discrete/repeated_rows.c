#include "lib/discrete/repeated_rows.h"

#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/base/random.h"
#include "lib/discrete/assembly.h"

#include <math.h>
#include <string.h>

enum { PLACES = 6, TRIES = 24, SEED = 12 };
static const double ROUNDING = 1e-9; // relative to the largest gradient
static const double LAST = 1e-3;     // of nonholonomic rows: pivots take holonomic ones first

typedef struct places {
  int n, nc, count; // coordinates, rows, positions
  double *q;        // [PLACES x n]
  double *h, *Dh;   // [nc], [nc x n] at one position
  double *tau;      // of its QR factors                    [nc]
  int *pivot;       // [nc]
  bool *left;       // rows that the factorization drops [nc]
  void *scratch;
} places;

static void lay_out_places(void *self, dm_block *b) {
  places *w = self;
  const size_t n = (size_t)w->n, nc = (size_t)w->nc;
  w->q = dm_block_alloc(b, PLACES * n, sizeof *w->q);
  w->h = dm_block_alloc(b, nc, sizeof *w->h);
  w->Dh = dm_block_alloc(b, nc * n, sizeof *w->Dh);
  w->tau = dm_block_alloc(b, nc, sizeof *w->tau);
  w->pivot = dm_block_alloc(b, nc, sizeof *w->pivot);
  w->left = dm_block_alloc(b, nc, sizeof *w->left);
  w->scratch = dm_block_alloc(b, (size_t)w->count, 1);
}

// The rank at position i without the rows `left` (NULL: with all rows), and the order of the pivots
// in w->pivot. -1: the gradients cannot be evaluated.
static int find_rank(places *w, const dm_holonomic *hol, int i, const bool *left) {
  const int n = w->n;
  int rank = 0, m = 0;
  if (hol->eval(hol->self, w->scratch, w->q + i * n, w->h, w->Dh) != DM_OK) return -1;
  for (int j = (w->nc - hol->nv) * n; j < w->nc * n; j++) w->Dh[j] *= LAST;
  for (int c = 0; c < w->nc; c++) // the rows of Dh become columns
    if (!left || !left[c]) memmove(w->Dh + m++ * n, w->Dh + c * n, (size_t)n * sizeof *w->Dh);
  memset(w->pivot, 0, (size_t)w->nc * sizeof *w->pivot);
  if (!m || dm_blas()->LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, m, w->Dh, n, w->pivot, w->tau) != 0)
    return -1;
  const double least = ROUNDING * fabs(w->Dh[0]);
  while (rank < n && rank < m && fabs(w->Dh[rank * n + rank]) > least) rank++;
  return rank;
}

// returns true if the rows that the factorization keeps at position `here` have this rank at every
// position
static bool is_choice(places *w, const dm_holonomic *hol, int here, int rank) {
  if (find_rank(w, hol, here, NULL) != rank) return false;
  memset(w->left, 0, (size_t)w->nc * sizeof *w->left);
  for (int c = rank; c < w->nc; c++) w->left[w->pivot[c] - 1] = true;
  for (int i = 0; i < w->count; i++)
    if (find_rank(w, hol, i, w->left) != rank) return false;
  return true;
}

dm_status dm_repeated_rows(const dm_system *system, bool *repeated, int *count) {
  dm_system s = *system;
  const int nc = s.hol.nc;
  *count = 0;
  memset(repeated, 0, (size_t)nc * sizeof *repeated);
  s.nk = 0; // keep constraints on kinematic coordinates
  s.kinematic = NULL;
  places sizes = {.n = s.L.nq, .nc = nc, .count = (int)s.hol.scratch + 1};
  places *w = dm_block_make(&sizes, sizeof sizes, lay_out_places);
  if (!w) return DM_NO_MEMORY;

  // positions with a degree of freedom; others are not part of a motion
  w->count = 0;
  for (int i = 0; i < TRIES && w->count < PLACES; i++) {
    double *q = w->q + w->count * w->n;
    for (int j = 0; j < w->n; j++) q[j] = 2 * dm_random_uniform(SEED, i, (uint64_t)j) - 1;
    if (dm_assembly_project(&s, q, NULL) != DM_OK) continue;
    w->count += find_rank(w, &s.hol, w->count, NULL) < w->n;
  }

  // 2. the rank there
  int most = 0;
  for (int i = 0; i < w->count; i++) most = (int)fmax(most, find_rank(w, &s.hol, i, NULL));

  // 3. rows with this rank at all positions
  for (int i = 0; w->count > 1 && most > 0 && most < nc && i < w->count; i++) {
    if (!is_choice(w, &s.hol, i, most)) continue;
    memcpy(repeated, w->left, (size_t)nc * sizeof *repeated);
    *count = nc - most;
    break;
  }
  dm_block_free(w);
  return DM_OK;
}

// the last pivot of rows of length 1 at the position in w->q, and its row; -1: not evaluated
static double find_last_pivot(places *w, const dm_holonomic *hol, int *row) {
  const int n = w->n, nc = w->nc;
  if (nc > n || hol->eval(hol->self, w->scratch, w->q, w->h, w->Dh) != DM_OK) return -1;
  for (int c = 0; c < nc; c++) {
    double *r = w->Dh + c * n, square = 0;
    for (int j = 0; j < n; j++) square += r[j] * r[j];
    for (int j = 0; j < n && square > 0; j++) r[j] /= sqrt(square);
  }
  memset(w->pivot, 0, (size_t)nc * sizeof *w->pivot);
  if (dm_blas()->LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, nc, w->Dh, n, w->pivot, w->tau) != 0)
    return -1;
  *row = w->pivot[nc - 1] - 1;
  return fabs(w->Dh[(nc - 1) * n + nc - 1]);
}

dm_status dm_weakest_row(const dm_system *s, int N, const double *q, dm_weak_row *out) {
  enum { PARTS = 8 }; // positions per step
  const int n = s->L.nq;
  double least = INFINITY, most = 0;
  *out = (dm_weak_row){.row = -1, .share = 1};
  if (!s->hol.nc) return DM_OK;
  places sizes = {.n = n, .nc = s->hol.nc, .count = (int)s->hol.scratch + 1};
  places *w = dm_block_make(&sizes, sizeof sizes, lay_out_places);
  if (!w) return DM_NO_MEMORY;
  for (int i = 0; i <= N * PARTS; i++) {
    const int k = i / PARTS, next = k < N ? k + 1 : k;
    const double part = (double)(i % PARTS) / PARTS;
    int row = -1;
    for (int j = 0; j < n; j++) w->q[j] = (1 - part) * q[k * n + j] + part * q[next * n + j];
    const double pivot = find_last_pivot(w, &s->hol, &row);
    most = fmax(most, pivot);
    if (pivot < 0 || pivot >= least) continue;
    least = pivot;
    out->row = row;
    out->knot = k + part;
  }
  if (most > 0) out->share = least / most;
  dm_block_free(w);
  return DM_OK;
}
