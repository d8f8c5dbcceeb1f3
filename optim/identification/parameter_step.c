#include "lib/base/dense.h"
#include "optim/identification/fit_search.h"
#include "optim/identification/link_inertia.h"

#include <math.h>
#include <string.h>

static const double PIVOT = 1e-13; // of an equilibrated matrix: rounding
static const double ENOUGH = 1e-6; // of a decrease of the model

// -- the step of the parameters

// the parameters that coefficient c depends on: *first to *first + the returned number - 1
static int find_dependence(const oc_fit_parameters *x, int c, int *first) {
  const oc_fit_parameter *p = x->list + (*first = x->coefficient[c].parameter);
  int n = 1;
  if (c >= OC_LINK * x->links) return n;
  while (*first + n < x->count && p[n].kind <= OC_FIT_INERTIA && p[n].index == p->index) n++;
  return n;
}

// S = T'C T and g = T'(C ahead + c) at theta, of the coefficients' C and c = their gradient at w->pi0; also
// pi, T, ahead = pi - pi0 and the slope C ahead + c. Returns the model of the data's cost at theta, less that at pi0.
static double reduce(oc_fit *w, const double *theta) {
  const int p = w->p, nc = w->nc, ld = nc + 1;
  const double *C = w->positions->S;
  double value = 0;
  oc_fit_parameters_coefficients(w->x, theta, w->pi, w->T);
  for (int a = 0; a < nc; a++) w->ahead[a] = w->pi[a] - w->pi0[a];
  for (int a = 0; a < nc; a++) {
    const double change = dm_inner(nc, dm_row(C, a, ld), w->ahead), c = C[a * ld + nc];
    w->slope[a] = change + c;
    value += w->ahead[a] * (c + 0.5 * change);
  }
  memset(w->S, 0, (size_t)p * (size_t)p * sizeof *w->S);
  memset(w->g, 0, (size_t)p * sizeof *w->g);
  // T' (C T), a row of C T at a time
  for (int a = 0; a < nc; a++) {
    int first;
    memset(w->b, 0, (size_t)p * sizeof *w->b);
    for (int c = 0; c < nc; c++) {
      const int n = find_dependence(w->x, c, &first);
      dm_add_to(n, C[a * ld + c], dm_row(w->T, c, p) + first, w->b + first);
    }
    const int n = find_dependence(w->x, a, &first);
    for (int k = first; k < first + n; k++) {
      dm_add_to(p, w->T[a * p + k], w->b, dm_row(w->S, k, p));
      w->g[k] += w->T[a * p + k] * w->slope[a];
    }
  }
  return value;
}

void oc_fit_reduce(oc_fit *w) {
  oc_fit_parameters_coefficients(w->x, w->theta, w->pi0, NULL);
  reduce(w, w->theta);
}

// H x = -g over the m entries that are not fixed (x = d there), equilibrated; directions with pivots
// at rounding do not move. A [p x p], y [p] scratch.
static void solve_free(int p, const double *H, const double *g, const bool *fixed, double *A,
                       double *y, double *x) {
  int m = 0;
  for (int i = 0; i < p; i++) {
    if (fixed[i]) continue;
    const double size = H[i * p + i] > 0 ? 1 / sqrt(H[i * p + i]) : 0;
    // right side: -g - H times the fixed entries
    double b = -g[i];
    for (int j = 0, n = m; j < p; j++)
      if (fixed[j])
        b -= H[i * p + j] * x[j];
      else if (j >= i)
        A[m * p + n++] = H[j * p + j] > 0 ? H[i * p + j] * size / sqrt(H[j * p + j]) : 0;
    A[m * p + m] = size > 0;
    y[m++] = b * size;
  }
  // U'U in the upper triangle, forward, backward
  for (int i = 0; i < m; i++) {
    double *row = dm_row(A, i, p);
    const double by = row[i] > PIVOT ? 1 / sqrt(row[i]) : 0;
    for (int j = i; j < m; j++) row[j] *= by;
    for (int k = i + 1; k < m; k++) dm_add_to(m - k, -row[k], row + k, dm_row(A, k, p) + k);
    y[i] *= by;
    dm_add_to(m - i - 1, -y[i], row + i + 1, y + i + 1);
  }
  for (int i = m - 1; i >= 0; i--) {
    const double *row = dm_row(A, i, p);
    y[i] = row[i] > 0 ? (y[i] - dm_inner(m - i - 1, row + i + 1, y + i + 1)) / row[i] : 0;
  }
  for (int i = 0, n = 0; i < p; i++) {
    if (fixed[i]) continue;
    x[i] = H[i * p + i] > 0 ? y[n] / sqrt(H[i * p + i]) : 0;
    n++;
  }
}

// minimize g'd + d'H d/2 within low <= d <= high by an active set: violations are fixed at their
// bounds; then the fixed entry that the gradient pulls inward most is freed
static void solve_bounded(oc_fit *w, const double *H, const double *g) {
  const int p = w->p;
  double *d = w->d;
  for (int k = 0; k < p; k++) w->fixed[k] = false;
  for (int turn = 0; turn < 3 * p + 1; turn++) {
    solve_free(p, H, g, w->fixed, w->A, w->b, d);
    bool outside = false;
    for (int k = 0; k < p; k++) {
      if (w->fixed[k] || (d[k] >= w->low[k] && d[k] <= w->high[k])) continue;
      d[k] = d[k] < w->low[k] ? w->low[k] : w->high[k];
      w->fixed[k] = outside = true;
    }
    if (outside) continue;
    // multipliers
    int inward = -1;
    double pull = 0;
    for (int k = 0; k < p; k++) {
      if (!w->fixed[k]) continue;
      const double slope = g[k] + dm_inner(p, dm_row(H, k, p), d);
      const double toward = (d[k] == w->low[k] ? -slope : slope) * w->x->list[k].size;
      if (toward > pull) pull = toward, inward = k;
    }
    if (inward < 0 || turn > 2 * p) return;
    w->fixed[inward] = false;
  }
}

// -- the model of a damped step
//
//   m(theta) = the data's quadratic in pi(theta) - pi0 + prior + damping/2 sum D (theta - theta0)^2
//            + ease/2 (theta - theta0)'B (theta - theta0)                   D, B at theta0 = w->theta

// the terms that damp, at theta; their gradient is added to g
static double add_damping(const oc_fit *w, const double *theta, double damping, double *g) {
  double sum = 0;
  for (int k = 0; k < w->p; k++) w->b[k] = theta[k] - w->theta[k];
  for (int k = 0; k < w->p; k++) {
    const double slope =
        damping * w->D[k] * w->b[k] + w->ease * dm_inner(w->p, dm_row(w->B0, k, w->p), w->b);
    sum += 0.5 * slope * w->b[k];
    g[k] += slope;
  }
  return sum;
}

// m at theta less the prior at theta0, S, g, P and gp; plain: out: without the terms that damp
static double evaluate_model(oc_fit *w, const double *theta, double damping, double *plain) {
  *plain = reduce(w, theta) + oc_fit_add_prior(w, theta);
  return *plain + add_damping(w, theta, damping, w->gp);
}

// the step d from w->trial
static void choose_step(oc_fit *w, double damping) {
  const int p = w->p;
  double *H = w->result.covariance; // scratch until the end
  double *g = w->b + p;
  for (int i = 0; i < p * p; i++) H[i] = w->S[i] + w->P[i] + w->ease * w->B0[i];
  for (int k = 0; k < p; k++) {
    g[k] = w->g[k] + w->gp[k];
    H[k * p + k] += damping * w->D[k];
    const oc_fit_parameter *o = &w->x->list[k];
    const bool bounded = o->kind > OC_FIT_INERTIA;
    w->low[k] = bounded ? o->low - w->trial[k] : -INFINITY;
    w->high[k] = bounded ? o->high - w->trial[k] : INFINITY;
  }
  solve_bounded(w, H, g);
  for (int c = 0; c < w->nc; c++) w->dpi[c] = dm_inner(p, dm_row(w->T, c, p), w->d);
}

// whether link l has all its parameters, which then are consecutive from *first on
static bool is_whole(const oc_fit_parameters *x, int l, int *first) {
  int count = 0;
  for (int k = x->count - 1; k >= 0; k--)
    if (x->list[k].kind <= OC_FIT_INERTIA && x->list[k].index == x->link[l]) *first = k, count++;
  return count == OC_LINK;
}

// next = trial + share d. A link with ten parameters moves along a straight line of its coefficients,
// in which the equations are linear: combinations that no log shows make curved valleys of z.
// Returns false if a link does not stay positive definite, with a margin.
static bool move_parameters(oc_fit *w, double share) {
  for (int k = 0; k < w->p; k++) w->next[k] = w->trial[k] + share * w->d[k];
  for (int l = 0; l < w->x->links; l++) {
    double pi[OC_LINK], z[OC_LINK];
    int first;
    if (!is_whole(w->x, l, &first)) continue;
    for (int e = 0; e < OC_LINK; e++)
      pi[e] = w->pi[OC_LINK * l + e] + share * w->dpi[OC_LINK * l + e];
    if (!oc_link_inertia_find(pi, z)) return false;
    // no width and no mass below a third at once, lest the search sticks to the boundary
    for (int e = 0; e < 7; e = e == 0 ? 4 : e + 1)
      if (z[e] < w->trial[first + e] - 1) return false;
    memcpy(w->next + first, z, sizeof z);
  }
  return true;
}

double oc_fit_step(oc_fit *w, double damping) {
  enum { MOST = 50 };
  const int p = w->p;
  double plain, first, value;
  memcpy(w->trial, w->theta, (size_t)p * sizeof *w->trial);
  oc_fit_parameters_coefficients(w->x, w->theta, w->pi0, NULL);

  // 1. the metrics that damp
  reduce(w, w->theta);
  first = oc_fit_add_prior(w, w->theta);
  memcpy(w->B0, w->B, (size_t)p * (size_t)p * sizeof *w->B0);
  for (int k = 0; k < p; k++) w->D[k] = w->S[k * p + k] + w->P[k * p + k];

  // 2. Newton's steps of the model, halved until all links are positive definite and it falls
  value = first;
  double at = first;
  for (int turn = 0; turn < MOST; turn++) {
    double length = 1, next = INFINITY;
    choose_step(w, damping);
    for (; length > 1e-6; length *= 0.5) {
      // move_parameters starts from pi of the point where the step was chosen
      if (!move_parameters(w, length)) continue;
      next = evaluate_model(w, w->next, damping, &plain);
      if (next <= value) break;
      evaluate_model(w, w->trial, damping, &plain);
    }
    if (!(length > 1e-6)) {
      evaluate_model(w, w->trial, damping, &plain);
      at = plain;
      break;
    }
    memcpy(w->trial, w->next, (size_t)p * sizeof *w->trial);
    const double fall = value - next;
    value = next, at = plain;
    if (fall <= ENOUGH + ENOUGH * (first - value)) break;
  }

  // 3. the change of the coefficients at its end
  for (int c = 0; c < w->nc; c++) w->dpi[c] = w->ahead[c];
  return first - at;
}
