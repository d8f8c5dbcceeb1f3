// optim/interior/stage_kkt.h: the symmetric systems of the interior point method,
//
//   [ W + diag(d)     J'      ] [ dx ]   [ r ]
//   [     J       -diag(e)    ] [ dy ] = [ s ]
//
// factored stage by stage (stage_factor.h) in the order of optim/nlp/ldl.h, which takes over where
// too many unknowns would wait, or where the residual of a solve is poor. Right for a minimum is an
// inertia of n positive and m negative eigenvalues.
#ifndef OC_INTERIOR_STAGE_KKT_H
#define OC_INTERIOR_STAGE_KKT_H
#include "optim/interior/stage_factor.h"
#include "optim/interior/stage_order.h"

typedef struct oc_stage_kkt {
  int n, m, dim, nz; // variables, rows, both; entries
  const oc_sparse_sum *hess, *jac;
  int *row, *col;  // [nz] from 1
  int *keep, *iw1; // the order [3 dim], scratch [2 dim]
  int *step;       // of each unknown in the stages' order [dim]
  int knots;       // the last of them; 0: they are ldl's
  bool delayed;    // did unknowns that waited get later ones?
  int steps, front;
  double *a; // values and factors [la]
  int *iw;   // [liw]
  int la, liw;
  bool has_ldl;               // is it ordered, and has room?
  oc_stage_factor *stages;    // NULL: its fronts are too large
  bool by_stages;             // they made the last factorization
  oc_deadline *deadline;      // of factorizations; NULL at first: none
  int factorizations, by_ldl; // so far; those that ldl had to make
  double *values;             // of the matrix [nz]
  double *w;                  // scratch [dim]
} oc_stage_kkt;

// Order the system of a pattern, which is borrowed, and take room for its factors, and for the values
// of its Hessian and Jacobian, which their `val` then points to. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_stage_kkt_new(oc_stage_kkt **out, const oc_stage_pattern *p);
void oc_stage_kkt_free(oc_stage_kkt *k); // accepts NULL

// Factor with the values of hess and jac, d [n] and e [m]; *negative gets the number of negative
// eigenvalues. Returns DM_OK, DM_SINGULAR, DM_CUT_SHORT where the deadline is over, or
// DM_NO_MEMORY. Allocates only where ldl takes over for the first time, or lets more pivots wait than
// ever before, and once where stages let unknowns wait.
dm_status oc_stage_kkt_factor(oc_stage_kkt *k, const double *d, const double *e, int *negative);

// Factor the same values with more care: by stages whose pivots are searched for, where some were
// those of the last time; else by ldl, where that was not done. Returns DM_OK; DM_STALLED where no
// more care can be taken, with the factors as they were; or, without factors, DM_SINGULAR,
// DM_CUT_SHORT or DM_NO_MEMORY.
dm_status oc_stage_kkt_renew(oc_stage_kkt *k);

// Solve in place: rhs [n + m], (r, s) to (dx, dy).
void oc_stage_kkt_solve(oc_stage_kkt *k, double *rhs);
#endif
