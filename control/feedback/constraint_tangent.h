// control/feedback/constraint_tangent.h: the deviations of a state that constraints h(q) = 0 leave
// open.
//
// A deviation (dq,dp) of a state on the constraints has Dh dq = 0; and the next step takes from dp
// what it has along Dh', so that the motion goes on without it. Pi changes the dynamic coordinates
// of dq by the least until it keeps the constraints, kinematic ones stay:
//
//   Pi dq = dq - S2 Dd' (Dd S2 Dd')^-1 Dh dq    Dd: the columns of Dh by dynamic coordinates
//
// S2 has the squares of the coordinates' sizes, so that the nearest deviation does not depend on units when angles
// stand beside lengths. Momenta are projected by Pi'.
//
// Source: docs/theory.md section 8.
#ifndef FB_FEEDBACK_CONSTRAINT_TANGENT_H
#define FB_FEEDBACK_CONSTRAINT_TANGENT_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct fb_constraint_tangent {
  int n, nd, nc;  // coordinates; dynamic ones; constraints
  int *dyn;       // [nd] dynamic coordinates
  double *Dh;     // [nc x n]
  double *square; // [nd] of the sizes of dynamic coordinates
  double *Dd;     // [nd x nc] Dh's dynamic columns, as rows
  double *Ds;     // [nd x nc] these times the squares
  double *LU;     // [nc x nc] of Dd S2 Dd'
  double *G;      // [nc x 2n] scratch
  double *column; // [2n] scratch
  int *piv;       // [nc] exchanges of LU
} fb_constraint_tangent;

// Make a workspace for n coordinates, of which those that are kinematic [n] (NULL: none) are
// prescribed, and nc constraints. All have the size 1. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_constraint_tangent_new(fb_constraint_tangent **out, int n, int nc,
                                    const bool *kinematic);
void fb_constraint_tangent_free(fb_constraint_tangent *w);

// Set the coordinates' sizes [n], > 0 (control/feedback/state_size.h), before a state is set.
void fb_constraint_tangent_size(fb_constraint_tangent *w, const double *size);

// Factor Dd S2 Dd' at a state with the constraints' Jacobian Dh [nc x n]. Returns DM_OK; DM_SINGULAR
// where the constraints depend on one another; DM_NOT_FINITE. No allocation.
dm_status fb_constraint_tangent_set(fb_constraint_tangent *w, const double *Dh);

// Find the impulses lambda [nc] along the constraints that leave least of a momentum r [n]:
// |S (r - Dh'lambda)| over the dynamic coordinates. No allocation.
void fb_constraint_tangent_impulse(const fb_constraint_tangent *w, const double *r, double *lambda);

// Restrict X [rows x 2n], rows <= 2n, to deviations that keep the constraints:
// X <- X diag(Pi, 1). No allocation. Cost: 2 rows nc n multiplications.
void fb_constraint_tangent_restrict(fb_constraint_tangent *w, int rows, double *X);

// Take from the momenta of X [2n x cols], of the dynamic coordinates, what they have along Dh',
// which the next step takes away. No allocation. Cost: 2 cols nc n multiplications.
void fb_constraint_tangent_quotient(fb_constraint_tangent *w, int cols, double *X);

DM_END_C
#endif
