// optim/interior/stage_kkt.h: the symmetric systems of the interior point method,
//
//   [ W + diag(d)     J'      ] [ dx ]   [ r ]
//   [     J       -diag(e)    ] [ dy ] = [ s ]
//
// factored stage by stage (stage_factor.h), without the unknowns of pairs (condensed.h). The fallback is optim/nlp/ldl.h in its own order, if
// too many unknowns would be delayed or the residual of a solve is poor. At a minimum the inertia
// is n positive and m negative eigenvalues.
#ifndef OC_INTERIOR_STAGE_KKT_H
#define OC_INTERIOR_STAGE_KKT_H
#include "optim/interior/condensed.h"
#include "optim/interior/stage_factor.h"
#include "optim/interior/stage_order.h"

typedef struct oc_stage_kkt {
  int n, m, dim, nz; // number of variables, rows, both; entries
  const oc_sparse_sum *hess, *jac;
  int *row, *col;  // [nz] from 1
  int *keep, *iw1; // order [3 dim], scratch [2 dim]
  int *step;       // of each unknown, for the stages [dim]
  int knots;       // last step; 0: the steps are from ldl
  bool delayed;    // delayed unknowns were moved to later steps
  int steps, front;
  double *a; // values and factors [la]
  int *iw;   // [liw]
  int la, liw;
  bool has_ldl;               // ordered, with memory
  oc_condensed *condensed;    // NULL: no unknowns are eliminated before
  oc_stage_factor *stages;    // of the rest; NULL: the fronts are too large
  bool by_stages;             // the last factorization is by stages
  oc_deadline *deadline;      // for factorizations; initially NULL: none
  int factorizations, by_ldl; // total number; number by ldl
  double *values;             // of the matrix [nz]
  double *w, *rest;           // scratch [dim]
} oc_stage_kkt;

// Order the system of a pattern, which is borrowed, and allocate memory for its factors and for the
// values of its Hessian and Jacobian, to which their `val` then points. Returns DM_OK or
// DM_NO_MEMORY.
dm_status oc_stage_kkt_new(oc_stage_kkt **out, const oc_stage_pattern *p);
void oc_stage_kkt_free(oc_stage_kkt *k); // accepts NULL

// Factor with the values of hess and jac, d [n] and e [m]; *negative gets the number of negative
// eigenvalues. Returns DM_OK, DM_SINGULAR, DM_CUT_SHORT after the deadline, or DM_NO_MEMORY.
// Allocates only when ldl is used for the first time or needs more memory for delayed pivots, and
// once after stages delay unknowns.
dm_status oc_stage_kkt_factor(oc_stage_kkt *k, const double *d, const double *e, int *negative);

// Factor the same values more accurately: by stages with searched pivots, if some were reused;
// otherwise by ldl, if not yet used. Returns DM_OK; DM_STALLED if no more accurate method is left,
// with the factors unchanged; or, without factors, DM_SINGULAR, DM_CUT_SHORT or DM_NO_MEMORY.
dm_status oc_stage_kkt_renew(oc_stage_kkt *k);

// Solve in place: rhs [n + m], (r, s) to (dx, dy).
void oc_stage_kkt_solve(oc_stage_kkt *k, double *rhs);
#endif
