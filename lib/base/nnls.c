#include "lib/base/nnls.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

static void lay_out(void *self, dm_block *b) {
  dm_nnls *w = self;
  size_t n = (size_t)w->n;
  w->set = dm_take(b, n, sizeof *w->set);
  w->out = dm_take(b, (size_t)w->most, sizeof *w->out);
  w->L = dm_take(b, n * n, sizeof *w->L);
  w->z = dm_take(b, n, sizeof *w->z);
  w->now = dm_take(b, n, sizeof *w->now);
  w->r = dm_take(b, n, sizeof *w->r);
}

dm_status dm_nnls_new(dm_nnls **out, int n, int most) {
  dm_nnls sizes = {.n = n, .most = most};
  dm_nnls *w = dm_block_make(&sizes, sizeof sizes, lay_out);
  if (!w) return DM_NO_MEMORY;
  *out = w;
  return DM_OK;
}

void dm_nnls_free(dm_nnls *w) {
  dm_block_free(w);
}

typedef struct given {
  int m;
  const int *which;
  const double *G, *WG, *b;
} given;

// row i of those given
static const double *row(const dm_nnls *w, const given *at, const double *of, int i) {
  return of + (at->which ? at->which[i] : i) * w->n;
}

// Take row i as the last of the set, if it does not depend on the others.
static bool append(dm_nnls *w, const given *at, int i) {
  if (w->k == w->n) return false;
  const double *G = row(w, at, at->G, i);
  double *L = w->L + w->k * w->n, size = dm_inner(w->n, G, row(w, at, at->WG, i)), rest = size;
  for (int j = 0; j < w->k; j++) {
    const double *Lj = w->L + j * w->n;
    L[j] = (dm_inner(w->n, G, row(w, at, at->WG, w->set[j])) - dm_inner(j, L, Lj)) / Lj[j];
    rest -= L[j] * L[j];
  }
  if (!(rest > 1e-12 * size)) return false;
  L[w->k] = sqrt(rest);
  w->set[w->k++] = i;
  return true;
}

// z: L L'z = -b over the set
static void minimum(dm_nnls *w, const given *at) {
  for (int i = 0; i < w->k; i++) {
    const double *L = w->L + i * w->n;
    w->z[i] = (-at->b[w->set[i]] - dm_inner(i, L, w->z)) / L[i];
  }
  for (int i = w->k - 1; i >= 0; i--) {
    w->z[i] /= w->L[i * w->n + i];
    for (int j = 0; j < i; j++) w->z[j] -= w->L[i * w->n + j] * w->z[i];
  }
}

// Go from lambda towards z until an entry vanishes; it leaves the set, which is factored again.
static void leave(dm_nnls *w, const given *at) {
  double t = 1;
  int first = -1, k = w->k;
  for (int i = 0; i < k; i++) {
    double until = w->z[i] > 0 ? 1 : w->now[i] / (w->now[i] - w->z[i]);
    if (w->z[i] <= 0 && (first < 0 || until < t)) t = until, first = i;
  }
  w->k = 0;
  for (int i = 0; i < k; i++) {
    double to = w->now[i] + t * (w->z[i] - w->now[i]);
    int which = w->set[i], at_k = w->k;
    w->out[which] = i != first && to > 0 && append(w, at, which);
    if (w->out[which]) w->now[at_k] = to;
  }
}

// the row outside that approaches most, per length; -1: none does
static int most_approaching(const dm_nnls *w, const given *at, double tol) {
  double worst = -tol;
  int j = -1;
  for (int i = 0; i < at->m; i++) {
    if (w->out[i]) continue;
    const double *G = row(w, at, at->G, i);
    double y = at->b[i] + dm_inner(w->n, G, w->r),
           size = sqrt(dm_inner(w->n, G, row(w, at, at->WG, i)));
    if (y < worst * size) worst = y / size, j = i;
  }
  return j;
}

dm_status dm_nnls_solve(dm_nnls *w, int m, const int *which, const double *G, const double *WG,
                        const double *b, double tol, double *lambda) {
  const given at = {m, which, G, WG, b};
  const int limit = 4 * m + 10;
  double sum = 0;
  memset(lambda, 0, (size_t)m * sizeof *lambda);
  memset(w->out, 0, (size_t)m * sizeof *w->out);
  memset(w->r, 0, (size_t)w->n * sizeof *w->r);
  w->k = w->iterations = 0;
  for (int i = 0; i < m; i++) sum += b[i] + dm_inner(w->n, row(w, &at, WG, i), row(w, &at, G, i));
  if (!isfinite(sum)) return DM_NOT_FINITE;
  for (;;) {
    int j = most_approaching(w, &at, tol);
    if (j < 0 || w->iterations == limit) break;
    w->out[j] = true;
    if (!append(w, &at, j)) continue; // it depends on the set: its y is zero but for rounding
    w->now[w->k - 1] = 0;
    w->iterations++;
    minimum(w, &at);
    if (!(w->z[w->k - 1] > 0)) { // approaches by rounding alone
      w->k--;
      continue;
    }
    for (int i = 0; i < w->k; i++)
      if (!(w->z[i] > 0)) leave(w, &at), minimum(w, &at), i = -1;
    memcpy(w->now, w->z, (size_t)w->k * sizeof *w->z);
    // rows refused before may be needed now
    memset(w->out, 0, (size_t)m * sizeof *w->out);
    memset(w->r, 0, (size_t)w->n * sizeof *w->r);
    for (int i = 0; i < w->k; i++) {
      const double *WGi = row(w, &at, WG, w->set[i]);
      w->out[w->set[i]] = true;
      for (int c = 0; c < w->n; c++) w->r[c] += w->now[i] * WGi[c];
    }
  }
  for (int i = 0; i < w->k; i++) lambda[w->set[i]] = w->now[i];
  return w->iterations == limit && most_approaching(w, &at, tol) >= 0 ? DM_MAX_ITER : DM_OK;
}
