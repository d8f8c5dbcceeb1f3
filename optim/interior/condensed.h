// optim/interior/condensed.h: a Newton system without the unknowns of pairs.
//
// A variable v that a row r defines, g(x) - v = 0, is eliminated with that row by the pivot
//
//   [ w  a ]   v        a: derivative of the row, about -1
//   [ a -e ]   r        w: curvature and barrier of v; e: diagonal of the row, >= 0
//
// and an inequality that contains v, as the product of a pair, is eliminated before, by its diagonal. If the pivots
// have their signs, each has one negative eigenvalue, as at a minimum, so nothing is searched for. The rest, with
// the entries that the elimination adds, is for the stages (stage_factor.h): its fronts are less than half as large,
// and their pivots can be repeated.
//
// Source: [waechter-biegler-2006] in docs/sources.md, and docs/theory.md, section 32.
#ifndef OC_INTERIOR_CONDENSED_H
#define OC_INTERIOR_CONDENSED_H
#include "optim/interior/stage_order.h"

typedef struct oc_condensed {
  int dim, nz;     // unknowns and entries of the whole system
  int kept, slots; // unknowns of the rest; entries of the rest, then those of pivots
  int entries;     // entries of the rest
  int pivots;      // steps of the elimination
  int *unknown;    // [kept] unknowns of the rest: variables, then rows
  int *row, *col;  // [entries] of the rest, from 1
  oc_stage_pattern rest;
  oc_sparse_sum hess, jac; // its pattern: nnz, row, col
  int *knot;               // [kept], of its variables
  bool *has_slack;         // [kept], of its rows
  int *to;                 // [nz] slot of each entry of the whole system
  int *a, *b;              // [pivots] eliminated unknowns, b -1: one alone
  int *diagonal;           // [3 pivots] slots of aa, ab, bb
  int *begin;              // [pivots + 1] first of the neighbors
  int *neighbor;           // [begin[pivots]] unknowns of the whole system
  int *by_a, *by_b;        // [begin[pivots]] slots of their couplings
  int all;                 // their number
  long targets;            // pairs of neighbors of all pivots
  int *target;             // [targets] their slots, of each pivot by rows of the lower triangle
  double *value;           // [slots + 1] the last is 0
  double *D;               // [3 pivots] inverse of each pivot: aa, ab, bb
} oc_condensed;

// Find the unknowns to eliminate, and the rest of the system.
//   p         pattern; p->own_row [n] is the row that defines a variable, or -1
//   row, col  [nz] entries of one triangle, from 1; duplicates are summed
// *out is NULL if no variable has one. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_condensed_new(oc_condensed **out, const oc_stage_pattern *p, int nz, const int *row,
                           const int *col);
void oc_condensed_free(oc_condensed *c); // accepts NULL

// Eliminate from the values a [nz]: c->value [entries] is then the rest; *negative gets the number of
// negative eigenvalues of the pivots. Returns DM_STALLED if a pivot does not have its sign.
dm_status oc_condensed_run(oc_condensed *c, const double *a, int *negative);

// The part of the elimination in a solve: x [dim] before, and after, that of the rest.
void oc_condensed_forward(const oc_condensed *c, double *x);
void oc_condensed_backward(const oc_condensed *c, double *x);
#endif
