#include "optim/interior/filter.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double MARGIN_THETA = 1e-5, MARGIN_PHI = 1e-8; // gamma_theta, gamma_phi
static const double POWER_THETA = 1.1, POWER_PHI = 2.3;     // s_theta, s_phi
static const double ARMIJO = 1e-8;                          // eta_phi
static const double LEAST = 0.05;                           // gamma_alpha
static const double LARGEST_RISE = 5; // decades by which phi may increase, obj_max_inc

// a <= b up to rounding of numbers as large as size
static bool is_at_most(double a, double b, double size) {
  return a - b <= 10 * DBL_EPSILON * fabs(size);
}

void oc_filter_start(oc_filter *f, double theta, double most) {
  f->theta_max = most * fmax(1, theta);
  f->theta_min = 1e-4 * fmax(1, theta);
  oc_filter_reset(f);
}

void oc_filter_reset(oc_filter *f) {
  f->n = 0;
  f->by_filter = false;
}

bool oc_filter_allows(const oc_filter *f, double theta, double phi) {
  for (int i = 0; i < f->n; i++) {
    const oc_filter_pair *p = f->pair + i;
    if (!is_at_most(theta, p->theta, p->theta) && !is_at_most(phi, p->phi, p->phi)) return false;
  }
  return true;
}

void oc_filter_add(oc_filter *f, double theta, double phi) {
  oc_filter_pair new = {(1 - MARGIN_THETA) * theta, phi - MARGIN_PHI * theta};
  int n = 0;
  // remove pairs that the new one dominates
  for (int i = 0; i < f->n; i++)
    if (f->pair[i].theta < new.theta || f->pair[i].phi < new.phi) f->pair[n++] = f->pair[i];
  if (n == OC_FILTER_ROOM) {
    n--;
    memmove(f->pair, f->pair + 1, (size_t)n * sizeof *f->pair); // discard the oldest
  }
  f->pair[n] = new;
  f->n = n + 1;
}

bool oc_filter_descends(const oc_filter_reference *from, double alpha) {
  return from->slope < 0 && alpha * pow(-from->slope, POWER_PHI) > pow(from->theta, POWER_THETA);
}

bool oc_filter_armijo(const oc_filter_reference *from, double alpha, double phi) {
  return is_at_most(phi - from->phi, ARMIJO * alpha * from->slope, from->phi);
}

// an increase by decades is no progress, for any violation
static bool rises_by_decades(const oc_filter_reference *from, double phi) {
  double size = fmax(1, log10(fmax(fabs(from->phi), DBL_MIN)));
  return phi > from->phi && log10(phi - from->phi) > LARGEST_RISE + size;
}

bool oc_filter_improves(const oc_filter_reference *from, double theta, double phi) {
  return is_at_most(theta, (1 - MARGIN_THETA) * from->theta, from->theta) ||
         is_at_most(phi - from->phi, -MARGIN_PHI * from->theta, from->phi);
}

bool oc_filter_takes(oc_filter *f, const oc_filter_reference *from, double alpha, double theta,
                     double phi) {
  f->by_filter = false;
  if (theta > f->theta_max) return false;
  bool armijo = oc_filter_descends(from, alpha) && from->theta <= f->theta_min;
  if (armijo && !oc_filter_armijo(from, alpha, phi)) return false;
  if (!armijo && (rises_by_decades(from, phi) || !oc_filter_improves(from, theta, phi)))
    return false;
  f->by_filter = !oc_filter_allows(f, theta, phi);
  return !f->by_filter;
}

double oc_filter_least_step(const oc_filter *f, const oc_filter_reference *from) {
  double least = MARGIN_THETA;
  if (from->slope < 0) {
    least = fmin(least, MARGIN_PHI * from->theta / -from->slope);
    if (from->theta <= f->theta_min)
      least = fmin(least, pow(from->theta, POWER_THETA) / pow(-from->slope, POWER_PHI));
  }
  return LEAST * least;
}
