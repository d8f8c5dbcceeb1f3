// optim/interior/line_search.h: line search along a Newton step of a barrier problem: halved until
// the filter accepts it, with second-order corrections if the violation increased.
//
// After ten consecutive shortened steps, the watchdog accepts up to three full steps: the filter
// compares with the point before them, and if it refuses all of them, the search returns there.
//
// If no step is accepted, up to ten steps that decrease the residual of the whole barrier problem
// are taken (soft restoration), until the filter accepts one of their points.
//
// Source: [waechter-biegler-2006], sections 2.3, 2.4 and 3.2, in docs/sources.md.
#ifndef OC_INTERIOR_LINE_SEARCH_H
#define OC_INTERIOR_LINE_SEARCH_H
#include "optim/interior/barrier.h"
#include "optim/interior/filter.h"

typedef enum oc_search_end {
  OC_SEARCH_TAKEN, // the iterate has moved
  OC_SEARCH_TINY,  // it has moved by rounding only
  OC_SEARCH_FAILED // no step was accepted: restoration
} oc_search_end;

typedef struct oc_line_search {
  oc_filter filter;
  double alpha;  // last step length for v and y
  int tiny;      // consecutive steps of rounding size
  int refused;   // consecutive iterations whose last refusal was the filter's
  int resets;    // resets of the filter for this reason
  int shortened; // consecutive iterations with a shortened step
  int soft;      // steps of the soft restoration
  // the watchdog
  bool watching;
  int trusted;        // number of full steps accepted by it
  double watch_alpha; // step length before them
  oc_filter_reference watch_from;
  double *v, *z_l, *z_u, *dv, *dz_l,
      *dz_u;      // iterate and step before them, or before a soft step [nv]
  double *y, *dy; // [m]
} oc_line_search;

void oc_line_search_lay_out(oc_line_search *s, const oc_equality_form *f, dm_block *block);
// Initialize with the first violation; violations above `most` times it are refused.
void oc_line_search_start(oc_line_search *s, double theta, double most);
// The barrier parameter has changed: discard the data of the old function.
void oc_line_search_forget(oc_line_search *s);
// Search along the step in b; moves the iterate.
oc_search_end oc_line_search_run(oc_line_search *s, oc_barrier *b);
#endif
