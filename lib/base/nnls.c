#include "lib/base/nnls.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

static void lay_out_nnls(void *self, dm_block *b) {
  dm_nnls *w = self;
  size_t n = (size_t)w->n;
  w->set = dm_block_alloc(b, n, sizeof *w->set);
  w->in_set = dm_block_alloc(b, (size_t)w->max_rows, sizeof *w->in_set);
  w->L = dm_block_alloc(b, n * n, sizeof *w->L);
  w->z = dm_block_alloc(b, n, sizeof *w->z);
  w->lambda = dm_block_alloc(b, n, sizeof *w->lambda);
  w->r = dm_block_alloc(b, n, sizeof *w->r);
}

dm_status dm_nnls_new(dm_nnls **out, int n, int max_rows) {
  dm_nnls sizes = {.n = n, .max_rows = max_rows};
  dm_nnls *w = dm_block_make(&sizes, sizeof sizes, lay_out_nnls);
  if (!w) return DM_NO_MEMORY;
  *out = w;
  return DM_OK;
}

void dm_nnls_free(dm_nnls *w) {
  dm_block_free(w);
}

// arguments of dm_nnls_solve
typedef struct nnls_rows {
  int m;
  const int *which;
  const double *G, *WG, *b;
} nnls_rows;

// row i of the selected rows, in G or WG
static const double *find_row(const dm_nnls *w, const nnls_rows *at, const double *of, int i) {
  return of + (at->which ? at->which[i] : i) * w->n;
}

// Append row i to the set and to its factors L D L' = G W G' (unit diagonal of L, D stored on the
// diagonal), unless it depends on the set. Square roots would change the rounding if W is
// multiplied by a power of two.
static bool append_row(dm_nnls *w, const nnls_rows *at, int i) {
  if (w->k == w->n) return false;
  const double *G = find_row(w, at, at->G, i);
  double *L = w->L + w->k * w->n;
  double size = dm_inner(w->n, G, find_row(w, at, at->WG, i)); // |G_i|^2 in the metric W

  // L_kj D_j = G_i W G_j' - sum_l L_kl D_l L_jl; rest is the remaining diagonal entry
  double rest = size;
  for (int j = 0; j < w->k; j++)
    L[j] = dm_inner(w->n, G, find_row(w, at, at->WG, w->set[j])) - dm_inner(j, L, w->L + j * w->n);
  for (int j = 0; j < w->k; j++) {
    const double both = L[j];
    L[j] /= w->L[j * (w->n + 1)];
    rest -= both * L[j];
  }

  // dependent if the remaining square has lost 12 digits
  if (!(rest > 1e-12 * size)) return false;
  L[w->k] = rest;
  w->set[w->k++] = i;
  return true;
}

// z: L D L'z = -b over the set
static void solve_set(dm_nnls *w, const nnls_rows *at) {
  // forward substitution L y = -b, then D, then backward with L'
  for (int i = 0; i < w->k; i++) w->z[i] = -at->b[w->set[i]] - dm_inner(i, w->L + i * w->n, w->z);
  for (int i = 0; i < w->k; i++) w->z[i] /= w->L[i * (w->n + 1)];
  for (int i = w->k - 1; i >= 0; i--)
    for (int j = 0; j < i; j++) w->z[j] -= w->L[i * w->n + j] * w->z[i];
}

// Move lambda towards z until an entry vanishes; remove it from the set and factor again.
static void drop_first_zero(dm_nnls *w, const nnls_rows *at) {
  double t = 1;
  int first = -1, k = w->k;

  // t: step at which the first entry vanishes
  for (int i = 0; i < k; i++) {
    // lambda + t (z - lambda) = 0 for this t in [0,1]
    double until = w->z[i] > 0 ? 1 : w->lambda[i] / (w->lambda[i] - w->z[i]);
    if (w->z[i] <= 0 && (first < 0 || until < t)) {
      t = until;
      first = i;
    }
  }

  // lambda at t; rows whose entry rounding made zero are removed as well
  w->k = 0;
  for (int i = 0; i < k; i++) {
    double to = w->lambda[i] + t * (w->z[i] - w->lambda[i]); // at t
    int which = w->set[i];
    int at_k = w->k;
    // removed rows do not enter the factor
    w->in_set[which] = i != first && to > 0 && append_row(w, at, which);
    if (w->in_set[which]) w->lambda[at_k] = to;
  }
}

// the row outside the set with the most negative y = b + G r relative to |G_i|; -1: none
static int find_most_approaching(const dm_nnls *w, const nnls_rows *at, double tol) {
  double worst = -tol;
  int j = -1;
  for (int i = 0; i < at->m; i++) {
    if (w->in_set[i]) continue;
    const double *G = find_row(w, at, at->G, i);
    double y = at->b[i] + dm_inner(w->n, G, w->r);                     // y_i = b_i + G_i r
    double size = sqrt(dm_inner(w->n, G, find_row(w, at, at->WG, i))); // |G_i|
    if (y < worst * size) {
      worst = y / size;
      j = i;
    }
  }
  return j;
}

// empty set and r = 0
static void empty_set(dm_nnls *w, int m) {
  memset(w->in_set, 0, (size_t)m * sizeof *w->in_set);
  memset(w->r, 0, (size_t)w->n * sizeof *w->r);
}

// r = W G'lambda of the set; previously refused rows become candidates again
static void update_response(dm_nnls *w, const nnls_rows *at) {
  empty_set(w, at->m);
  for (int i = 0; i < w->k; i++) {
    const double *WG = find_row(w, at, at->WG, w->set[i]); // its response W G_i'
    w->in_set[w->set[i]] = true;
    for (int c = 0; c < w->n; c++) w->r[c] += w->lambda[i] * WG[c];
  }
}

dm_status dm_nnls_solve(dm_nnls *w, int m, const int *which, const double *G, const double *WG,
                        const double *b, double tol, double *lambda) {
  const nnls_rows at = {m, which, G, WG, b};
  const int limit = 4 * m + 10; // more indicates rounding, not progress
  memset(lambda, 0, (size_t)m * sizeof *lambda);
  empty_set(w, m);
  w->k = w->iterations = 0;

  // all input is finite: a sum keeps NaN, comparisons ignore it
  double sum = 0;
  for (int i = 0; i < at.m; i++)
    sum += at.b[i] + dm_inner(w->n, find_row(w, &at, at.WG, i), find_row(w, &at, at.G, i));
  if (!isfinite(sum)) return DM_NOT_FINITE;

  for (;;) {
    // 1  add the row that approaches most, with lambda 0
    int j = find_most_approaching(w, &at, tol);
    if (j < 0 || w->iterations == limit) break;
    w->in_set[j] = true;
    if (!append_row(w, &at, j)) continue; // dependent on the set: its y is rounding
    w->lambda[w->k - 1] = 0;
    w->iterations++;

    // 2  the unconstrained minimum z over the set
    solve_set(w, &at);
    if (!(w->z[w->k - 1] > 0)) { // approaches by rounding only
      w->k--;
      continue;
    }

    // 3  while z has an entry <= 0: move as far as lambda >= 0 allows, and remove the row
    for (int i = 0; i < w->k; i++) {
      if (w->z[i] > 0) continue;
      drop_first_zero(w, &at);
      solve_set(w, &at);
      i = -1;
    }

    // 4  lambda = z
    memcpy(w->lambda, w->z, (size_t)w->k * sizeof *w->z);
    update_response(w, &at);
  }

  for (int i = 0; i < w->k; i++) lambda[w->set[i]] = w->lambda[i];
  // reaching the limit is a failure only if a row still approaches
  bool stopped = w->iterations == limit && find_most_approaching(w, &at, tol) >= 0;
  return stopped ? DM_MAX_ITER : DM_OK;
}
