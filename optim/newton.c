#include "optim/newton.h"

#include "lib/block.h"
#include "lib/dense.h"
#include "optim/sink.h"
#include "optim/sparse.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const double ARMIJO = 1e-4;
static const double ROUNDING = 64 * DBL_EPSILON; // a share of the diagonal that H is known to
enum { TRIES = 40, GIVEN = -1 };

struct oc_newton {
  dm_second *second;
  oc_sparse *H;
  int N, size, n, nnz; // steps, of a knot, unknowns, entries of H's walk
  int *end[2], first;  // [size] the unknowns of X_0, X_N, or GIVEN; the first of X_1
  double *given[2];    // [size]
  int *at[2];          // [size] the unknowns of an interval's knots
  double h, *scale;    // [size] h^-r, dX/dz
  int share;           // the diagonal was last raised by 4^share over N^2k
  double *x, *trial;   // [(N+1) size]
  double J;            // at the last point evaluated, and there
  double *g, *d, *p;   // [n] gradient, H's diagonal, direction
  double *val;         // [nnz + n] H, then what is added to its diagonal
};

void oc_newton_default(oc_newton_settings *set) {
  *set = (oc_newton_settings){.tol = 1e-12, .length = 1e-9, .max_iter = 200};
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// -- unknowns, and the walk over H

// the unknowns of the knots of interval k, into w->at
static void locate(oc_newton *w, int k) {
  for (int e = 0; e < 2; e++) {
    int knot = k + e, base = w->first + (knot - 1) * w->size;
    const int *end = knot == 0 ? w->end[0] : knot == w->N ? w->end[1] : NULL;
    for (int i = 0; i < w->size; i++) w->at[e][i] = end ? end[i] : base + i;
  }
}

// the lower triangle of the interval's Hessian
static void put(const oc_newton *w, oc_sink *s) {
  const dm_second *L = w->second;
  for (int i = 0; i < w->size; i++)
    for (int j = 0; j < w->size; j++) {
      int i0 = w->at[0][i], i1 = w->at[1][i], j0 = w->at[0][j], j1 = w->at[1][j];
      double c = w->scale[i] * w->scale[j];
      int ij = i * w->size + j;
      if (j <= i && i0 != GIVEN && j0 != GIVEN) oc_put(s, i0, j0, c * L->D00[ij]);
      if (i1 != GIVEN && j0 != GIVEN) oc_put(s, i1, j0, c * L->D01[j * w->size + i]);
      if (j <= i && i1 != GIVEN && j1 != GIVEN) oc_put(s, i1, j1, c * L->D11[ij]);
    }
}

// J at x (order 1), and g, H and its diagonal (order 2)
static dm_status evaluate(oc_newton *w, int order, const double *x) {
  dm_second *L = w->second;
  oc_sink s = {.val = w->val};
  double J = 0;
  memset(w->g, 0, (size_t)w->n * sizeof *w->g);
  memset(w->d, 0, (size_t)w->n * sizeof *w->d);
  for (int k = 0; k < w->N; k++) {
    const double *X0 = x + (size_t)k * (size_t)w->size;
    DM_TRY(dm_second_eval(L, order, X0, X0 + w->size, w->h));
    J += L->Ld;
    if (order < 2) continue;
    locate(w, k);
    put(w, &s);
    for (int i = 0; i < w->size; i++) {
      int i0 = w->at[0][i], i1 = w->at[1][i], ii = i * w->size + i;
      double c = w->scale[i];
      if (i0 != GIVEN) w->g[i0] += c * L->D0[i], w->d[i0] += c * c * L->D00[ii];
      if (i1 != GIVEN) w->g[i1] += c * L->D1[i], w->d[i1] += c * c * L->D11[ii];
    }
  }
  w->J = J;
  return isfinite(J) ? DM_OK : DM_NOT_FINITE;
}

// -- the workspace

static void lay_out(oc_newton *w, dm_block *b) {
  size_t d = sizeof(double), size = (size_t)w->size, all = ((size_t)w->N + 1) * size;
  for (int e = 0; e < 2; e++) {
    w->end[e] = dm_take(b, size, sizeof *w->end[e]);
    w->at[e] = dm_take(b, size, sizeof *w->at[e]);
    w->given[e] = dm_take(b, size, d);
  }
  w->scale = dm_take(b, size, d);
  w->x = dm_take(b, all, d), w->trial = dm_take(b, all, d);
  w->g = dm_take(b, (size_t)w->n, d), w->d = dm_take(b, (size_t)w->n, d);
  w->p = dm_take(b, (size_t)w->n, d);
  w->val = dm_take(b, (size_t)w->nnz + (size_t)w->n, d);
}

// the pattern, with a second entry for each of the diagonal
static dm_status analyze(oc_newton *w) {
  dm_block b = {0};
  size_t most = (size_t)w->nnz + (size_t)w->n;
  dm_take(&b, most, sizeof(int)), dm_take(&b, most, sizeof(int));
  DM_TRY(dm_block_new(&b));
  oc_sink s = {.row = dm_take(&b, most, sizeof(int))};
  s.col = dm_take(&b, most, sizeof(int));
  for (int k = 0; k < w->N; k++) locate(w, k), put(w, &s);
  w->nnz = s.n;
  for (int i = 0; i < w->n; i++) oc_put(&s, i, i, 0);
  dm_status status = oc_sparse_new(&w->H, w->n, s.n, s.row, s.col);
  dm_block_free(s.row);
  return status;
}

dm_status oc_newton_new(oc_newton **out, dm_second *second, int N, const double *start,
                        const double *goal, dm_message *msg) {
  const double *const end[2] = {start, goal};
  static const char *const name[2] = {"start", "goal"};
  int size = second->size, free[2] = {0};
  if (N < 1) return dm_fail(msg, DM_BAD_INPUT, "a motion has at least 1 step, not %d", N);
  for (int e = 0; e < 2; e++)
    for (int i = 0; i < size; i++) {
      if (end[e] && isinf(end[e][i]))
        return dm_fail(msg, DM_BAD_INPUT, "%s: entry %d is infinite", name[e], i);
      free[e] += !end[e] || isnan(end[e][i]);
    }
  double nnz = (double)N * (size * (size + 1) + (double)size * size);
  double n = (double)(N - 1) * size + free[0] + free[1];
  if (nnz + n > INT_MAX)
    return dm_fail(msg, DM_BAD_INPUT, "%d steps of %d numbers a knot are too many", N, size);
  if (n < 1) return dm_fail(msg, DM_BAD_INPUT, "nothing is free: a step between two given knots");
  oc_newton sizes = {.second = second, .N = N, .size = size, .n = (int)n, .nnz = (int)nnz};
  dm_block b = {0};
  dm_take(&b, 1, sizeof sizes);
  lay_out(&sizes, &b);
  if (dm_block_new(&b) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  oc_newton *w = dm_take(&b, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &b);
  w->first = free[0];
  int next[2] = {0, w->n - free[1]};
  for (int e = 0; e < 2; e++)
    for (int i = 0; i < size; i++) {
      w->given[e][i] = end[e] ? end[e][i] : NAN;
      w->end[e][i] = isnan(w->given[e][i]) ? next[e]++ : GIVEN;
    }
  dm_status s = analyze(w);
  if (s != DM_OK) {
    oc_newton_free(w);
    return dm_fail(msg, s, "%s", dm_status_text(s));
  }
  *out = w;
  return DM_OK;
}

void oc_newton_free(oc_newton *w) {
  if (w) oc_sparse_free(w->H);
  dm_block_free(w);
}

// -- an iteration

// Factor H with the share s of its diagonal added. Returns DM_OK, DM_NOT_DEFINITE, or a failure.
static dm_status factor(oc_newton *w, double s, int *negative) {
  for (int i = 0; i < w->n; i++) w->val[w->nnz + i] = s * fabs(w->d[i]);
  dm_status status = oc_sparse_factor(w->H, w->val, negative);
  if (status == DM_SINGULAR || (status == DM_OK && *negative > 0)) return DM_NOT_DEFINITE;
  return status;
}

// p = -H^-1 g and its decrement, by the H just factored
static dm_status direct(oc_newton *w, oc_newton_row *row) {
  double slope = 0;
  for (int i = 0; i < w->n; i++) w->p[i] = -w->g[i];
  DM_TRY(oc_sparse_solve(w->H, w->p));
  for (int i = 0; i < w->n; i++) slope += w->g[i] * w->p[i];
  row->decrement = -slope / 2;
  return isfinite(slope) ? DM_OK : DM_NOT_FINITE;
}

// The same with its diagonal raised by the least share that makes it definite; the search starts
// from the last one. Where H is singular to rounding, p may rise though no pivot is negative.
static dm_status direct_definite(oc_newton *w, oc_newton_row *row) {
  const double unit = fmax(pow(w->N, -2 * w->second->k), 4 * DBL_EPSILON), enough = 1e3;
  int none;
  dm_status s = factor(w, 0, &row->negative);
  if (s == DM_OK) s = direct(w, row);
  if (s < 0 && s != DM_NOT_DEFINITE) return s;
  if (s == DM_OK && row->decrement >= 0) return DM_OK;
  while (w->share > 0 && (s = factor(w, unit * ldexp(1, 2 * w->share), &none)) == DM_OK) w->share--;
  for (; s == DM_OK || s == DM_NOT_DEFINITE; w->share++) {
    row->shift = unit * ldexp(1, 2 * w->share);
    if (row->shift > enough) return DM_NOT_DEFINITE;
    s = factor(w, row->shift, &none);
    if (s == DM_OK) s = direct(w, row);
    if (s == DM_OK && row->decrement >= 0) return DM_OK;
  }
  return s;
}

// a whole step over the largest z
static double length(const oc_newton *w) {
  double most = DBL_MIN;
  for (int k = 0; k <= w->N; k++)
    for (int i = 0; i < w->size; i++)
      most = fmax(most, fabs(w->x[(size_t)k * (size_t)w->size + (size_t)i] / w->scale[i]));
  return dm_largest(w->n, w->p) / most;
}

// trial = x + t p
static void move(oc_newton *w, double t) {
  memcpy(w->trial, w->x, ((size_t)w->N + 1) * (size_t)w->size * sizeof *w->x);
  for (int k = 0; k < w->N; k++) {
    locate(w, k);
    for (int e = k > 0; e < 2; e++) // a knot once
      for (int i = 0; i < w->size; i++)
        if (w->at[e][i] != GIVEN)
          w->trial[(size_t)(k + e) * (size_t)w->size + (size_t)i] +=
              t * w->scale[i] * w->p[w->at[e][i]];
  }
}

// Step along p as far as Armijo's rule lets, into x, with J, g, H there. J is known to its rounding
// alone. The whole step, which mostly is taken, is evaluated with its derivatives.
static dm_status search(oc_newton *w, oc_newton_row *row) {
  double rounding = w->N * DBL_EPSILON * fabs(row->action), t = 1;
  for (int order = 2; row->tried < TRIES; t /= 2, order = 1) {
    row->tried++;
    move(w, t);
    if (evaluate(w, order, w->trial) != DM_OK) continue;
    if (w->J > row->action - 2 * ARMIJO * t * row->decrement + rounding) continue;
    if (order < 2) DM_TRY(evaluate(w, 2, w->trial));
    double *x = w->x;
    w->x = w->trial, w->trial = x;
    row->step = t;
    return DM_OK;
  }
  return DM_STALLED;
}

static dm_status iterate(oc_newton *w, const oc_newton_settings *set, double start,
                         oc_newton_row *record, int room, oc_newton_info *info, dm_message *msg) {
  for (;;) {
    oc_newton_row row = {.iteration = info->iterations, .action = w->J};
    dm_status s = direct_definite(w, &row);
    if (s < 0) return dm_fail(msg, s, "no direction: %s", dm_status_text(s));
    row.length = length(w);
    bool small = row.decrement <= set->tol * fabs(w->J), still = row.length <= set->length;
    bool done = small || still, more = info->iterations < set->max_iter;
    bool saddle = done && row.shift > ROUNDING;
    if (!saddle && !still && more) DM_TRY(search(w, &row));
    row.time_s = info->time_s = now() - start;
    info->iterations += row.step > 0;
    info->action = row.step > 0 ? w->J : row.action;
    info->decrement = row.decrement, info->negative = row.negative;
    info->shifted += row.shift > 0, info->most = fmax(info->most, row.shift);
    if (record && info->rows < room) record[info->rows++] = row;
    if (set->watch && !set->watch(set->user, &row)) return DM_INTERRUPTED;
    if (saddle)
      return dm_fail(msg, DM_STALLED,
                     "stationary, but no minimum: the Hessian has %d negative eigenvalues",
                     row.negative);
    if (done) return DM_OK;
    if (!more) return DM_MAX_ITER;
    if (row.step == 0)
      return dm_fail(msg, DM_STALLED,
                     "no step along Newton's direction lowers the action (decrement %.2g)",
                     row.decrement);
  }
}

dm_status oc_newton_solve(oc_newton *w, const oc_newton_settings *set, double h, double *X,
                          oc_newton_row *record, int room, oc_newton_info *info, dm_message *msg) {
  size_t size = (size_t)w->size, all = ((size_t)w->N + 1) * size;
  double start = now();
  *info = (oc_newton_info){.status = DM_BAD_INPUT};
  if (!(h > 0 && isfinite(h)))
    return dm_fail(msg, DM_BAD_INPUT, "a step is a number > 0, not %g", h);
  memcpy(w->x, X, all * sizeof *X);
  for (int e = 0; e < 2; e++)
    for (size_t i = 0; i < size; i++)
      if (w->end[e][i] == GIVEN) w->x[(e ? all - size : 0) + i] = w->given[e][i];
  for (size_t i = 0; i < all; i++)
    if (!isfinite(w->x[i]))
      return dm_fail(msg, DM_BAD_INPUT, "the guess: knot %zu, entry %zu is not a finite number",
                     i / size, i % size);
  w->h = h, w->share = 0;
  for (int i = 0; i < w->size; i++) w->scale[i] = pow(h, -(i / w->second->n));
  dm_status s = dm_second_check(w->second, w->x, w->x + size, h, msg);
  if (s == DM_OK) {
    s = evaluate(w, 2, w->x);
    if (s < 0) dm_fail(msg, s, "the guess: %s", dm_status_text(s));
  }
  if (s == DM_OK) s = iterate(w, set, start, record, room, info, msg);
  if (s >= 0) memcpy(X, w->x, all * sizeof *X);
  info->time_s = now() - start;
  return info->status = s;
}
