// lib/contact/row_impulses.h: nonnegative impulses along sparse rows G, with impulses of any sign
// along the rows A of equalities.
//
//   r = W (A'nu + G'lambda),   c + A r = 0,   0 <= lambda,   y = b + G r >= 0,   lambda_i y_i = 0
//
// With b = G v, v = W p, these lambda minimize the kinetic energy 1/2 |p + G'lambda|^2 in the metric
// W under the equalities: they are the impulses of an impact without rebound. The number of rows
// may be large: S = G W G' is sparse, and a guess of the set of rows with an impulse is nearly right
// for most steps.
//
//   1  solve for the impulses of the set, by sparse factors (lib/contact/row_set.h)
//   2  rows of the wrong sign, lambda <= 0 in the set or y < 0 outside: none: done
//   3  exchange all of them; go to 1 while their number falls, at the latest after five attempts
//   4  otherwise keep the impulses that push, and add one row at a time as [lawson-hanson-1974] does,
//      so that the energy falls with each
//
// Dependent rows have no impulse, and their y is that of the rows that they depend on.
//
// Source: [lawson-hanson-1974] in docs/sources.md.
#ifndef DM_CONTACT_ROW_IMPULSES_H
#define DM_CONTACT_ROW_IMPULSES_H
#include "lib/contact/row_set.h"

DM_BEGIN_C

// Append W times t times row i of B to `out`.
typedef dm_status (*dm_row_metric)(void *self, double t, const dm_sparse_rows *B, int i,
                                   dm_sparse_rows *out);

typedef struct dm_row_problem {
  dm_row_metric metric; // W
  void *self;
  const dm_sparse_rows *A; // equalities
  const double *c;         // [A->m]; NULL: 0
  const dm_sparse_rows *G; // inequalities
  const double *b;         // [G->m]
  double tol;              // y_i >= -tol |G_i| is accepted as y_i >= 0, |G_i| in the metric W
} dm_row_problem;

typedef struct dm_row_impulses {
  int n, na, most, most_set; // columns, equalities, inequalities, inequalities of a set
  dm_row_set *set;
  int k;            // inequalities of the set
  int *member;      // [most_set]
  bool *refused;    // [most] dependent on the set
  bool *barred;     // [most] not to be added to the set
  double *size;     // [most] |G_i|
  double *z;        // [na + most_set] impulses of the set
  double *r, *y;    // [n], [most]
  dm_sparse_rows J; // A and the rows of the set
  dm_sparse_rows T; // W J'
} dm_row_impulses;

// Allocate a workspace for na equalities and up to `most` inequalities in n coordinates. Returns
// DM_OK or DM_NO_MEMORY.
dm_status dm_row_impulses_new(dm_row_impulses **out, int n, int na, int most);
void dm_row_impulses_free(dm_row_impulses *w); // accepts NULL

// Compute w->size, the norms |G_i| in W. Returns the status of the metric.
dm_status dm_row_impulses_measure(dm_row_impulses *w, const dm_row_problem *x);

// Solve after dm_row_impulses_measure for these rows.
//   in      in: a guess of the rows with an impulse; out: these rows    [G->m]
//   lambda  out                                                         [G->m]
// Leaves r in w->r. Returns DM_OK; DM_MAX_ITER after 4 m + 10 added rows, with the last iterate
// lambda >= 0; DM_SINGULAR if equalities are dependent; DM_NOT_FINITE or the status of the metric.
// Does not allocate.
dm_status dm_row_impulses_solve(dm_row_impulses *w, const dm_row_problem *x, bool *in,
                                double *lambda);

DM_END_C
#endif
