#include "optim/descent/secant.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double CURVED = 1e-12; // s'y counts as positive above this fraction of |s||y|
static const double LONGEST = 100;  // growth of the scale of the gradient in a step
enum { PRODUCTS = 60 };             // conjugate gradients in a trust region
static const double INEXACT = 0.1;  // their residual, relative; at most
static const double POOR = 0.25, GOOD = 0.75; // of the predicted change
static const double SHRINK = 0.25, GROW = 2;  // of the radius

static void lay_out_secant(void *self, dm_block *b) {
  oc_secant *m = self;
  const size_t n = (size_t)m->n;
  double **const one[] = {&m->g, &m->g_old, &m->Mg, &m->Mg_old, &m->c, &m->s, &m->d, &m->r, &m->Hd};
  for (size_t i = 0; i < sizeof one / sizeof *one; i++)
    *one[i] = dm_block_alloc(b, n, sizeof(double));
  m->S = dm_block_alloc(b, OC_PAIRS * n, sizeof *m->S);
  m->Y = dm_block_alloc(b, OC_PAIRS * n, sizeof *m->Y);
  m->fixed = dm_block_alloc(b, n, sizeof *m->fixed);
}

dm_status oc_secant_new(oc_secant **out, oc_search_direction *w) {
  assert(out && w);
  oc_secant sizes = {.w = w, .n = w->N * w->nu + w->nt};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_secant);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void oc_secant_free(oc_secant *m) {
  dm_block_free(m);
}

void oc_secant_restart(oc_secant *m) {
  m->count = m->head = m->merits = 0;
  m->ready = false;
  m->tau = 1;
  m->slope = m->radius = 0;
}

double oc_secant_reference(oc_secant *m, double merit) {
  double largest = merit;
  m->recent[m->merits++ % OC_RECENT] = merit;
  for (int i = 0; i < m->merits && i < OC_RECENT; i++) largest = fmax(largest, m->recent[i]);
  return largest;
}

static double inner(const oc_secant *m, const double *a, const double *b) {
  return dm_inner(m->n, a, b);
}

// s'y, or 0 if it is not positive beyond rounding
static double find_curvature(const oc_secant *m) {
  double sy = 0, ss = 0, yy = 0;
  for (int i = 0; i < m->n; i++) {
    const double y = m->g[i] - m->g_old[i];
    sy += m->s[i] * y, ss += m->s[i] * m->s[i], yy += y * y;
  }
  return sy > CURVED * sqrt(ss * yy) ? sy : 0;
}

// y'M^-1 y
static double find_metric(const oc_secant *m) {
  double sum = 0;
  for (int i = 0; i < m->n; i++) sum += (m->g[i] - m->g_old[i]) * (m->Mg[i] - m->Mg_old[i]);
  return sum;
}

// c = -t M^-1 g; M s = -step tau g_old gives s'Ms
static dm_status scale_gradient(oc_secant *m) {
  const double sy = m->ready ? find_curvature(m) : 0;
  if (m->ready && !(sy > 0)) m->tau *= GROW; // concave: longer
  if (sy > 0) {
    const double yMy = find_metric(m), sMs = -m->step * m->tau * inner(m, m->s, m->g_old);
    const double tau = m->merits % 2 || !(yMy > 0) ? sMs / sy : sy / yMy;
    if (tau > 0) m->tau = fmin(tau, LONGEST * m->tau);
  }
  for (int i = 0; i < m->n; i++) m->c[i] = -m->tau * m->Mg[i];
  return DM_OK;
}

// c = -M^-1 g + b d, as long as the sum descends, scaled to a probable step of 1
static dm_status conjugate_gradient(oc_secant *m) {
  double b = 0;
  if (m->ready) {
    double change = 0;
    for (int i = 0; i < m->n; i++) change += m->g[i] * (m->Mg[i] - m->Mg_old[i]);
    b = fmax(0, change / inner(m, m->g_old, m->Mg_old));
  }
  for (int i = 0; i < m->n; i++) m->d[i] = m->fixed[i] ? 0 : b * m->d[i] - m->Mg[i];
  double slope = inner(m, m->g, m->d);
  if (!(slope < 0)) {
    for (int i = 0; i < m->n; i++) m->d[i] = -m->Mg[i];
    slope = inner(m, m->g, m->d);
  }
  // the last step times the ratio of slopes
  if (m->ready && slope < 0)
    m->tau = fmin(m->step * m->tau * m->slope / slope, LONGEST * m->step * m->tau);
  m->slope = slope;
  for (int i = 0; i < m->n; i++) m->c[i] = m->tau * m->d[i];
  return DM_OK;
}

// keep the last step and the change of the gradient, if its curvature is positive
static void keep_pair(oc_secant *m) {
  const double sy = find_curvature(m), yMy = find_metric(m);
  if (!(sy > 0 && yMy > 0)) return;
  double *S = m->S + (size_t)m->head * (size_t)m->n, *Y = m->Y + (size_t)m->head * (size_t)m->n;
  for (int i = 0; i < m->n; i++) {
    S[i] = m->s[i];
    Y[i] = m->g[i] - m->g_old[i];
  }
  m->rho[m->head] = 1 / sy;
  m->tau = sy / yMy;
  m->head = (m->head + 1) % OC_PAIRS;
  if (m->count < OC_PAIRS) m->count++;
}

// the two-loop recursion
static dm_status recur_pairs(oc_secant *m) {
  const size_t n = (size_t)m->n;
  if (m->ready) keep_pair(m);
  memcpy(m->d, m->g, n * sizeof *m->d);
  for (int i = 1; i <= m->count; i++) { // from the last pair to the first
    const int at = (m->head - i + OC_PAIRS) % OC_PAIRS;
    m->part[at] = m->rho[at] * inner(m, m->S + (size_t)at * n, m->d);
    dm_add_to(m->n, -m->part[at], m->Y + (size_t)at * n, m->d);
  }
  DM_TRY(oc_reduced_precondition(m->w, m->d, m->fixed, m->c));
  for (size_t i = 0; i < n; i++) m->c[i] *= m->tau;
  for (int i = m->count; i >= 1; i--) { // from the first to the last
    const int at = (m->head - i + OC_PAIRS) % OC_PAIRS;
    const double b = m->rho[at] * inner(m, m->Y + (size_t)at * n, m->c);
    dm_add_to(m->n, m->part[at] - b, m->S + (size_t)at * n, m->c);
  }
  for (size_t i = 0; i < n; i++) m->c[i] = m->fixed[i] ? 0 : -m->c[i];

  // rounding, or pairs of another part of the space
  if (inner(m, m->g, m->c) < 0) return DM_OK;
  m->count = 0;
  for (size_t i = 0; i < n; i++) m->c[i] = -m->tau * m->Mg[i];
  return DM_OK;
}

// Conjugate gradients on H c = -g in the metric M, with products c'Mc, c'Md, d'Md by recurrence.
static dm_status search_region(oc_secant *m) {
  double *c = m->c, *d = m->d, *r = m->r, *y = m->s; // y = M^-1 r
  double ry = inner(m, m->g, m->Mg), cMc = 0, cMd = 0, dMd = ry, first = sqrt(fmax(ry, 0));
  if (m->radius == 0) m->radius = first;
  m->edge = false;
  for (int i = 0; i < m->n; i++) c[i] = 0, r[i] = m->g[i], d[i] = -m->Mg[i];

  for (int j = 0; j < PRODUCTS && dMd > 0; j++) {
    oc_reduced_multiply(m->w, d, m->fixed, m->Hd);
    const double dHd = inner(m, d, m->Hd), square = m->radius * m->radius;
    double a = dHd > 0 ? ry / dHd : INFINITY;

    // to the boundary along a direction of negative curvature, or out of the region
    if (!(dHd > 0) || cMc + a * (2 * cMd + a * dMd) >= square) {
      a = (-cMd + sqrt(fmax(cMd * cMd + dMd * (square - cMc), 0))) / dMd;
      m->edge = true;
    }
    dm_add_to(m->n, a, d, c);
    dm_add_to(m->n, a, m->Hd, r);
    if (m->edge) break;

    // the next direction, unless the residual is small
    DM_TRY(oc_reduced_precondition(m->w, r, m->fixed, y));
    const double next = inner(m, r, y), size = sqrt(fmax(next, 0));
    if (size <= fmin(INEXACT, sqrt(size / first)) * first) break;
    const double b = next / ry;
    cMc += a * (2 * cMd + a * dMd);
    cMd = b * (cMd + a * dMd);
    dMd = next + b * b * dMd;
    ry = next;
    for (int i = 0; i < m->n; i++) d[i] = b * d[i] - y[i];
  }
  m->model = 0.5 * (inner(m, m->g, c) + inner(m, r, c)); // g'c + c'Hc/2
  return DM_OK;
}

dm_status oc_secant_direction(oc_secant *m, oc_update update, double *slope) {
  static dm_status (*const updates[])(oc_secant *) = {[OC_UPDATE_STEP] = scale_gradient,
                                                      [OC_UPDATE_CONJUGATE] = conjugate_gradient,
                                                      [OC_UPDATE_PAIRS] = recur_pairs,
                                                      [OC_UPDATE_REGION] = search_region};
  oc_reduced_gradient(m->w, m->g, m->fixed);
  DM_TRY(oc_reduced_precondition(m->w, m->g, m->fixed, m->Mg));
  DM_TRY(updates[update](m));
  oc_reduced_expand(m->w, m->c);
  *slope = inner(m, m->g, m->c);
  return isfinite(*slope) ? DM_OK : DM_NOT_FINITE;
}

void oc_secant_stepped(oc_secant *m, double a, double change, const dm_trajectory *x,
                       const dm_trajectory *y) {
  // the radius, by the ratio of the change to the predicted one
  const double ratio = m->model < 0 ? change / m->model : 0;
  if (a < 1 || ratio < POOR)
    m->radius *= fmax(a < 1 ? a : SHRINK, SHRINK);
  else if (ratio > GOOD && m->edge)
    m->radius *= GROW;

  oc_reduced_move(m->w, x, y, m->s);
  memcpy(m->g_old, m->g, (size_t)m->n * sizeof *m->g);
  memcpy(m->Mg_old, m->Mg, (size_t)m->n * sizeof *m->Mg);
  m->step = a;
  m->ready = true;
}
