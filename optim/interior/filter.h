// optim/interior/filter.h: which trial points a line search may take: pairs (theta, phi) of a
// violation and a barrier function that no pair of the past is better than in both.
//
// A trial at step alpha from (theta, phi) with slope = grad phi . dv is taken where it is not in the
// filter and either
//   slope < 0, alpha (-slope)^2.3 > theta^1.1, theta <= theta_min:
//        phi_try <= phi + 1e-8 alpha slope                                     (Armijo)
//   or else
//        theta_try <= (1 - 1e-5) theta   or   phi_try <= phi - 1e-8 theta
//
// Source: [waechter-biegler-2006], section 2.3, in docs/sources.md.
#ifndef OC_INTERIOR_FILTER_H
#define OC_INTERIOR_FILTER_H
#include <stdbool.h>

enum { OC_FILTER_ROOM = 256 };

typedef struct oc_filter_pair {
  double theta, phi;
} oc_filter_pair;

typedef struct oc_filter {
  oc_filter_pair pair[OC_FILTER_ROOM];
  int n;
  double theta_max, theta_min;
  bool by_filter; // the last trial was refused by the filter alone
} oc_filter;

// Where a line search begins.
typedef struct oc_filter_reference {
  double theta, phi, slope;
} oc_filter_reference;

// Empty; `most`: how many times the first violation is the largest one to be taken.
void oc_filter_start(oc_filter *f, double theta, double most);
void oc_filter_reset(oc_filter *f);
// No pair of the filter is better in both.
bool oc_filter_allows(const oc_filter *f, double theta, double phi);
// What is not better than (theta, phi) by the margins above is refused from now on.
void oc_filter_add(oc_filter *f, double theta, double phi);
// Does the step promise so much descent of phi that Armijo's condition decides?
bool oc_filter_descends(const oc_filter_reference *from, double alpha);
bool oc_filter_armijo(const oc_filter_reference *from, double alpha, double phi);
// The second line above.
bool oc_filter_improves(const oc_filter_reference *from, double theta, double phi);
// All of it.
bool oc_filter_takes(oc_filter *f, const oc_filter_reference *from, double alpha, double theta,
                     double phi);
// The least step worth trying.
double oc_filter_least_step(const oc_filter *f, const oc_filter_reference *from);
#endif
