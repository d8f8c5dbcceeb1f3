// optim/interior/filter.h: the filter of a line search: accepts a trial point if no stored pair
// (theta, phi) of violation and barrier function is better in both.
//
// A trial at step alpha from (theta, phi) with slope = grad phi . dv is accepted if it is not in
// the filter, and either
//   slope < 0, alpha (-slope)^2.3 > theta^1.1, theta <= theta_min:
//        phi_try <= phi + 1e-8 alpha slope                                     (Armijo)
//   or else
//        theta_try <= (1 - 1e-5) theta   or   phi_try <= phi - 1e-8 theta
//
// Source: [waechter-biegler-2006], section 2.3, in docs/sources.md.
#ifndef OC_INTERIOR_FILTER_H
#define OC_INTERIOR_FILTER_H
#include "lib/base/linkage.h"
#include <stdbool.h>

DM_BEGIN_C

enum { OC_FILTER_ROOM = 256 };

typedef struct oc_filter_pair {
  double theta, phi;
} oc_filter_pair;

typedef struct oc_filter {
  oc_filter_pair pair[OC_FILTER_ROOM];
  int n;
  double theta_max, theta_min;
  bool by_filter; // the last trial was refused by the filter only
} oc_filter;

// Start of a line search.
typedef struct oc_filter_reference {
  double theta, phi, slope;
} oc_filter_reference;

// Empty the filter; `most`: largest accepted violation relative to the first.
void oc_filter_start(oc_filter *f, double theta, double most);
void oc_filter_reset(oc_filter *f);
// Returns true if no pair of the filter is better in both.
bool oc_filter_allows(const oc_filter *f, double theta, double phi);
// From now on, refuse points that are not better than (theta, phi) by the margins above.
void oc_filter_add(oc_filter *f, double theta, double phi);
// Returns true if the predicted decrease of phi is large enough that Armijo's condition decides.
bool oc_filter_descends(const oc_filter_reference *from, double alpha);
bool oc_filter_armijo(const oc_filter_reference *from, double alpha, double phi);
// The second condition above.
bool oc_filter_improves(const oc_filter_reference *from, double theta, double phi);
// All conditions.
bool oc_filter_takes(oc_filter *f, const oc_filter_reference *from, double alpha, double theta,
                     double phi);
// The smallest reasonable step.
double oc_filter_least_step(const oc_filter *f, const oc_filter_reference *from);

DM_END_C
#endif
