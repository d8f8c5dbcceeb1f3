#include "lib/contact/friction.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static void lay_out_friction(void *self, dm_block *b) {
  dm_friction *w = self;
  size_t n = (size_t)w->n, m = (size_t)w->max_contacts;
  double **each[] = {&w->mu, &w->N, &w->bound, &w->step, &w->normal};
  double **rows[] = {&w->T, &w->Tp, &w->WT};
  double **pairs[] = {&w->c, &w->t, &w->at0, &w->at1, &w->shift, &w->before, &w->last};
  for (int i = 0; i < 5; i++) *each[i] = dm_block_alloc(b, m, sizeof(double));
  for (int i = 0; i < 3; i++) *rows[i] = dm_block_alloc(b, 2 * m * n, sizeof(double));
  for (int i = 0; i < 7; i++) *pairs[i] = dm_block_alloc(b, 2 * m, sizeof(double));
  w->which = dm_block_alloc(b, m, sizeof *w->which);
  w->inside = dm_block_alloc(b, 2 * m, sizeof *w->inside);
  w->E = dm_block_alloc(b, 4 * m * m, sizeof *w->E);
  w->rest = dm_block_alloc(b, 2 * m, sizeof *w->rest);
  w->K = dm_block_alloc(b, 4 * m * m, sizeof *w->K);
  w->B = dm_block_alloc(b, 2 * m * m, sizeof *w->B);
  w->p = dm_block_alloc(b, n, sizeof *w->p);
}

dm_status dm_friction_new(dm_friction **out, int n, int max_contacts) {
  assert(out && n > 0 && max_contacts > 0);
  dm_friction sizes = {.n = n, .max_contacts = max_contacts};
  dm_friction *w = dm_block_make(&sizes, sizeof sizes, lay_out_friction);
  if (!w) return DM_NO_MEMORY;
  *out = w;
  return DM_OK;
}

void dm_friction_free(dm_friction *w) {
  dm_block_free(w);
}

// -- step 2: minimum over fixed discs

// -y_i / (k_i + s), 0 if y_i = 0
static double shrink_axis(double y, double k, double s) {
  return y == 0 ? 0 : -y / (k + s);
}

// z_i^2 / (k_i + s), the decrease of |x|^2/2 along the axis with s
static double fall_along_axis(double y, double z, double k, double s) {
  return y == 0 ? 0 : z * z / (k + s);
}

// Minimize x.K x/2 + c.x over |x| <= bound, K = (a b; b d): x = -(K + s)^-1 c with the smallest s
// >= 0 that satisfies the bound, in the principal axes of K.
static void minimize_over_disc(double a, double b, double d, const double *c, double bound,
                               double *x) {
  // eigenvalues k of K, and components y of c in its axes
  double angle = 0.5 * atan2(2 * b, a - d), cs = cos(angle), sn = sin(angle);
  double k[2] = {a * cs * cs + 2 * b * cs * sn + d * sn * sn,
                 a * sn * sn - 2 * b * cs * sn + d * cs * cs};
  double y[2] = {cs * c[0] + sn * c[1], cs * c[1] - sn * c[0]};
  double size_c = hypot(c[0], c[1]), least = 1e-14 * fmax(k[0], k[1]);
  x[0] = x[1] = 0;
  if (!(bound > 0) || size_c == 0) return;

  // ignore axes with a negligible eigenvalue
  for (int i = 0; i < 2; i++) {
    if (k[i] > least) continue;
    k[i] = 0;
    y[i] = 0;
  }

  // s is between 0 and the value with |c| / s = bound
  double s = 0, low = 0, high = size_c / bound;
  for (int pass = 0; pass < 200; pass++) {
    double z[2] = {shrink_axis(y[0], k[0], s), shrink_axis(y[1], k[1], s)};
    double size = hypot(z[0], z[1]);
    x[0] = cs * z[0] - sn * z[1];
    x[1] = cs * z[1] + sn * z[0];
    if (size <= bound && s == 0) return;
    if (fabs(size - bound) <= 2e-15 * bound) return;
    if (size > bound) low = s;
    if (size < bound) high = s;

    // Newton step for 1/|x| = 1/bound, or bisection
    double fall = fall_along_axis(y[0], z[0], k[0], s) + fall_along_axis(y[1], z[1], k[1], s);
    double next = s + (size / bound - 1) * size * size / fall;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (next == s) return;
    s = next;
  }
}

double dm_friction_change(dm_friction *w, const double *t) {
  const int n = 2 * w->m;
  double largest = 0, scale = w->speed;
  for (int i = 0; i < n; i++) {
    // row i of K (w->t - t), and the terms of c + K t
    double move = 0, size = fabs(w->c[i]);
    for (int j = 0; j < n; j++) {
      double K = w->K[i * n + j];
      move += K * (w->t[j] - t[j]);
      size += fabs(K * w->t[j]);
    }
    if (!isfinite(move)) return NAN;

    // slowest contact, for messages
    if (fabs(move) > largest) {
      largest = fabs(move);
      w->worst = i / 2;
    }
    scale = fmax(scale, size);
  }
  return largest > 0 ? largest / scale : 0;
}

// Exchange entries a and b of the symmetric problem E x = rest [n].
static void exchange_entries(dm_friction *w, int n, int a, int b) {
  if (a == b) return;
  for (int j = 0; j < n; j++) {
    const double E = w->E[a * n + j];
    w->E[a * n + j] = w->E[b * n + j];
    w->E[b * n + j] = E;
  }
  for (int i = 0; i < n; i++) {
    const double E = w->E[i * n + a];
    w->E[i * n + a] = w->E[i * n + b];
    w->E[i * n + b] = E;
  }
  const double rest = w->rest[a];
  const int inside = w->inside[a];
  w->rest[a] = w->rest[b];
  w->rest[b] = rest;
  w->inside[a] = w->inside[b];
  w->inside[b] = inside;
}

// Solve E x = rest [n] into rest, with the largest pivots; entries that follow from others stay zero.
static void solve_inside(dm_friction *w, int n) {
  const double dependent = 1e-11; // relative to the largest pivot
  double *E = w->E, *x = w->rest, largest = 0;
  int rank = 0;
  for (; rank < n; rank++) {
    int pivot = rank;
    for (int i = rank; i < n; i++)
      if (E[i * n + i] > E[pivot * n + pivot]) pivot = i;
    largest = fmax(largest, E[pivot * n + pivot]);
    if (!(E[pivot * n + pivot] > dependent * largest)) break;
    exchange_entries(w, n, rank, pivot);
    for (int i = rank + 1; i < n; i++) {
      const double share = E[i * n + rank] / E[rank * n + rank];
      dm_add_to(n - rank - 1, -share, E + rank * n + rank + 1, E + i * n + rank + 1);
      x[i] -= share * x[rank];
    }
  }
  for (int i = rank; i < n; i++) x[i] = 0;
  for (int i = rank - 1; i >= 0; i--) {
    x[i] -= dm_inner(rank - i - 1, E + i * n + i + 1, x + i + 1);
    x[i] /= E[i * n + i];
  }
}

// the largest share <= 1 of a step x of a pair t that stays in its disc
static double find_share(const double *t, const double *x, double bound) {
  const double a = x[0] * x[0] + x[1] * x[1], b = t[0] * x[0] + t[1] * x[1];
  const double c = bound * bound - t[0] * t[0] - t[1] * t[1];
  if (a + 2 * b <= c) return 1;
  return fmax(0, (sqrt(b * b + a * c) - b) / a);
}

// Minimize over all pairs inside their discs together: a step to their common minimum, or towards it up to the first
// disc's edge.
static void minimize_inside(dm_friction *w) {
  const int n = 2 * w->m;
  int count = 0;
  for (int i = 0; i < w->m; i++) {
    if (!(hypot(w->t[2 * i], w->t[2 * i + 1]) < (1 - 1e-9) * w->bound[i])) continue;
    w->inside[count++] = 2 * i;
    w->inside[count++] = 2 * i + 1;
  }
  for (int i = 0; i < count; i++) {
    const double *K = w->K + w->inside[i] * n;
    w->rest[i] = -w->c[w->inside[i]] - dm_inner(n, K, w->t);
    for (int j = 0; j < count; j++) w->E[i * count + j] = K[w->inside[j]];
  }
  solve_inside(w, count);

  // the step in the order of t, in `last`, which the next pass sets
  memset(w->last, 0, (size_t)n * sizeof *w->last);
  for (int i = 0; i < count; i++) w->last[w->inside[i]] = w->rest[i];
  double share = 1;
  for (int i = 0; i < w->m; i++)
    if (w->last[2 * i] != 0 || w->last[2 * i + 1] != 0)
      share = fmin(share, find_share(w->t + 2 * i, w->last + 2 * i, w->bound[i]));
  dm_add_to(n, share, w->last, w->t);
}

// minimum over the current discs, one pair at a time; returns false if not finite
static bool minimize_over_discs(dm_friction *w) {
  enum { PASSES = 2000 };
  const int m = w->m, n = 2 * m;
  for (int pass = 0; pass < PASSES; pass++) {
    // after 8, 16, 32 .. passes
    if (pass >= 8 && !(pass & (pass - 1))) minimize_inside(w);
    memcpy(w->last, w->t, (size_t)n * sizeof *w->t);
    for (int i = 0; i < m; i++) {
      const double *K = w->K + 2 * i * n;
      double c[2], x[2], *t = w->t + 2 * i;

      // velocity of contact i without its own impulse
      for (int k = 0; k < 2; k++)
        c[k] = w->c[2 * i + k] + dm_inner(n, K + k * n, w->t) - K[k * n + 2 * i] * t[0] -
               K[k * n + 2 * i + 1] * t[1];
      minimize_over_disc(K[2 * i], K[2 * i + 1], K[n + 2 * i + 1], c, w->bound[i], x);
      t[0] = x[0];
      t[1] = x[1];
    }

    // a single pair is exact after one pass
    double change = dm_friction_change(w, w->last);
    if (!isfinite(change)) return false;
    if (m == 1 || change <= 1e-14) break;
  }
  return true;
}

// w->normal, the normal impulses at w->t
static dm_status find_normals(dm_friction *w) {
  if (w->share) return w->share(w->self, w->t, w->normal);
  for (int i = 0; i < w->m; i++)
    w->normal[i] = w->N[i] + dm_inner(2 * w->m, w->B + 2 * i * w->m, w->t);
  return DM_OK;
}

dm_status dm_friction_solve(dm_friction *w) {
  enum { DISCS = 2000 };
  const int m = w->m, n = 2 * m;
  double part = 1;  // fraction of a change of radii that is applied
  double scale = 0; // largest radius
  bool settled = false;
  memset(w->bound, 0, (size_t)m * sizeof *w->bound);
  memset(w->step, 0, (size_t)m * sizeof *w->step);
  for (int k = 0; k < DISCS; k++) {
    double turn = 0;
    memcpy(w->before, w->t, (size_t)n * sizeof *w->t);

    // 1, 3  radii mu N(t); converged only if t is in its own discs
    DM_TRY(find_normals(w));
    for (int i = 0; i < m; i++) {
      const double N = w->normal[i];
      double bound = w->mu[i] * fmax(N, 0);
      if (!isfinite(N)) return DM_NOT_FINITE;
      scale = fmax(scale, bound);
      settled &= hypot(w->t[2 * i], w->t[2 * i + 1]) <= bound + 1e-9 * scale;
      turn += (bound - w->bound[i]) * w->step[i];
      w->step[i] = bound - w->bound[i];
    }
    if (settled) return DM_OK;

    // damp oscillations
    if (turn < 0) part /= 2;
    dm_add_to(m, part, w->step, w->bound);

    // 2  the minimum over these discs
    if (!minimize_over_discs(w)) return DM_NOT_FINITE;
    settled = dm_friction_change(w, w->before) <= 1e-13 * part;
  }
  return DM_MAX_ITER;
}
