// optim/interior/line_search.h: how far to go along a Newton step of a barrier problem: halved until
// the filter takes it, corrected for the curvature of the rows where the violation grew.
//
// Where ten steps in a row had to be shortened the watchdog takes up to three full ones on trust:
// the filter is asked about the point before them, and where it refuses all, the search goes back.
//
// Where none is taken, up to ten steps that lower the residual of the whole barrier problem are
// (the soft restoration), until the filter takes one of their points.
//
// Source: [waechter-biegler-2006], sections 2.3, 2.4 and 3.2, in docs/sources.md.
#ifndef OC_INTERIOR_LINE_SEARCH_H
#define OC_INTERIOR_LINE_SEARCH_H
#include "optim/interior/barrier.h"
#include "optim/interior/filter.h"

typedef enum oc_search_end {
  OC_SEARCH_TAKEN, // the iterate has moved
  OC_SEARCH_TINY,  // it has moved by nothing but rounding
  OC_SEARCH_FAILED // no step was taken: restoration
} oc_search_end;

typedef struct oc_line_search {
  oc_filter filter;
  double alpha;  // of the last step, of v and y
  int tiny;      // steps in a row of nothing but rounding
  int refused;   // iterations in a row whose last refusal was the filter's
  int resets;    // of the filter by that
  int shortened; // iterations in a row whose step was shortened
  int soft;      // steps of the soft restoration so far
  // the watchdog
  bool watching;
  int trusted;        // steps it has taken on trust
  double watch_alpha; // of the step before them
  oc_filter_reference watch_from;
  double *v, *z_l, *z_u, *dv, *dz_l,
      *dz_u;      // iterate and step before them, or before a soft one [nv]
  double *y, *dy; // [m]
} oc_line_search;

void oc_line_search_lay_out(oc_line_search *s, const oc_equality_form *f, dm_block *block);
// Nothing is known but the first violation; `most` times it is the largest one to be taken.
void oc_line_search_start(oc_line_search *s, double theta, double most);
// The barrier parameter has changed: what is known is of another function.
void oc_line_search_forget(oc_line_search *s);
// Search along the step in b; the iterate moves.
oc_search_end oc_line_search_run(oc_line_search *s, oc_barrier *b);
#endif
