// optim/interior/stage_kkt.h: the symmetric systems of the interior point method,
//
//   [ W + diag(d)     J'      ] [ dx ]   [ r ]
//   [     J       -diag(e)    ] [ dy ] = [ s ]
//
// by optim/nlp/ldl.h: ordered once, factored any number of times. Its pivots are recorded, and as
// long as they are large enough the same ones are taken again (static_factor.h). Right for a minimum is an inertia
// of n positive and m negative eigenvalues.
#ifndef OC_INTERIOR_STAGE_KKT_H
#define OC_INTERIOR_STAGE_KKT_H
#include "optim/interior/sparse_sum.h"
#include "optim/interior/static_factor.h"

typedef struct oc_stage_kkt {
  int n, m, dim, nz; // variables, rows, both; entries
  const oc_sparse_sum *hess, *jac;
  int *row, *col;  // [nz] from 1
  int *keep, *iw1; // the order [3 dim], scratch [2 dim]
  int steps, front;
  double *a; // values and factors [la]
  int *iw;   // [liw]
  int la, liw;
  int *order, *pivot;      // of the last factorization by ldl                    [dim]
  oc_static_factor *fixed; // the same pivots once more
  bool is_fixed;           // they made the last factorization
  int served;              // factorizations that the last record made
  int wait, pause;         // factorizations until the next one, and after it
  double *values;          // of the matrix [nz]
  double *w;               // scratch [dim]
} oc_stage_kkt;

// Order the system of these patterns, which are borrowed, and take room for its factors. Returns
// DM_OK or DM_NO_MEMORY.
dm_status oc_stage_kkt_new(oc_stage_kkt **out, int n, int m, const oc_sparse_sum *hess,
                           const oc_sparse_sum *jac);
void oc_stage_kkt_free(oc_stage_kkt *k); // accepts NULL

// Factor with the values in hess and jac, d [n] and e [m]; *negative gets the number of negative
// eigenvalues. Returns DM_OK, DM_SINGULAR, or DM_NO_MEMORY. Allocates only where more pivots had to
// wait than ever before.
dm_status oc_stage_kkt_factor(oc_stage_kkt *k, const double *d, const double *e, int *negative);

// Factor the same values with pivots of their own, where those of an earlier system were taken.
// Returns whether it has.
bool oc_stage_kkt_renew(oc_stage_kkt *k);

// Solve in place: rhs [n + m], (r, s) to (dx, dy).
void oc_stage_kkt_solve(oc_stage_kkt *k, double *rhs);
#endif
