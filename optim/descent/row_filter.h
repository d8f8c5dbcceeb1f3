// optim/descent/row_filter.h: judges steps along directions that meet the goal, and close the gaps of
// a curve, to first order (optim/descent/search_direction.h), by a filter (optim/interior/filter.h) of
//
//   theta = sum |c_i| / size + sum |gap| / size       phi = (merit - mu.c) / unit
//
// Without gaps, phi may also not rise by more than RISE |mu + change|.|c|, the price of theta: a
// filter alone accepts any rise for a small decrease of theta.
//
// Source: docs/theory.md section 7; [waechter-biegler-2006].
#ifndef OC_DESCENT_ROW_FILTER_H
#define OC_DESCENT_ROW_FILTER_H
#include "optim/descent/search_direction.h"
#include "optim/interior/filter.h"

DM_BEGIN_C

typedef struct oc_row_filter {
  const oc_search_direction *d; // borrowed
  oc_filter filter;
  oc_filter_reference from; // theta, phi at the current motion; slope of the direction
  double theta, phi;        // of the last trial
  double unit;              // of costs, > 0
  double rise;              // largest rise of phi
} oc_row_filter;

// Set the current motion, just evaluated: its merit and the sum of its gaps over their sizes; with
// `anew`, empty the filter.
void oc_row_filter_begin(oc_row_filter *f, double merit, double gaps, bool anew);

// Set the direction, with the slope of phi in costs.
void oc_row_filter_aim(oc_row_filter *f, double slope);

// Is the motion just evaluated, after a step a with this merit (INFINITY: none), acceptable?
bool oc_row_filter_takes(oc_row_filter *f, double a, double merit, double gaps);

// Keep the accepted trial's step a: extend the filter unless Armijo's condition decided.
void oc_row_filter_keep(oc_row_filter *f, double a);

DM_END_C
#endif
