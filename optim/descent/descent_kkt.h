// optim/descent/descent_kkt.h: solves a linear-quadratic problem (control/feedback/riccati.h) as
// one sparse system with CHOLMOD.
//
//   minimize  sum 1/2 (z,v)'[Q S; S' R](z,v) + q'z + r'v,   z_{k+1} = A z_k + B v_k,  z_0 = 0
//
// The unknowns are ordered by stages from the last: z_N, y_N, v_{N-1}, z_{N-1}, y_{N-1}, .., v_0,
// with y_k the multiplier of z_k. The term rho (A z + B v - z')^2 is added, which vanishes at the
// solution and prevents zero pivots: the pivot block of v_k is then H of the Riccati recursion, and
// the problem is convex if only the multipliers have negative pivots.
//
// Source: docs/theory.md section 7.
#ifndef OC_DESCENT_DESCENT_KKT_H
#define OC_DESCENT_DESCENT_KKT_H
#include "control/feedback/riccati.h"

DM_BEGIN_C

typedef struct oc_kkt oc_kkt;

// Create a workspace for problems of N stages, nx states without the constant one, nu inputs.
// Returns DM_OK, DM_NO_MEMORY, DM_UNAVAILABLE.
dm_status oc_kkt_new(oc_kkt **out, int N, int nx, int nu);
void oc_kkt_free(oc_kkt *w);

// Solve lq, whose states are these plus constant states that are 0, except the last, which is 1.
// Bounds are ignored. Second-order parts are used in full if lq->share is NULL, else with the given
// fractions.
//   z [(N+1) x nx], v [N x nu]  out
// Returns DM_OK; DM_NOT_DEFINITE if the problem is not convex; DM_SINGULAR, DM_NOT_FINITE.
dm_status oc_kkt_solve(oc_kkt *w, const fb_lq *lq, double *z, double *v);

DM_END_C
#endif
