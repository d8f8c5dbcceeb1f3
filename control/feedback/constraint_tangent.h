// control/feedback/constraint_tangent.h: the deviations of a state that constraints h(q) = 0 allow.
//
// A deviation (dq,dp) of a state on the constraints satisfies Dh dq = 0; the next step removes the
// component of dp along Dh', so that the motion does not depend on it. Pi applies the smallest
// change to the dynamic coordinates of dq that satisfies the constraints; kinematic coordinates
// stay:
//
//   Pi dq = dq - S2 Dd' (Dd S2 Dd')^-1 Dh dq    Dd: the columns of Dh by dynamic coordinates
//
// S2 holds the squares of the coordinates' sizes, so that the nearest deviation does not depend on
// units when angles are combined with lengths. Momenta are projected by Pi'.
//
// Source: docs/theory.md section 8.
#ifndef FB_FEEDBACK_CONSTRAINT_TANGENT_H
#define FB_FEEDBACK_CONSTRAINT_TANGENT_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct fb_constraint_tangent {
  int n, nd, nc, nv; // coordinates; dynamic ones; constraints, of which the last are nonholonomic
  int *dyn;          // [nd] dynamic coordinates
  double *Dh;        // [nc x n]
  double *square;    // [nd] squared sizes of the dynamic coordinates
  double *Dd;        // [nd x nc] Dh's dynamic columns, as rows
  double *Ds;        // [nd x nc] the same times the squares
  double *LU;        // [nc x nc] of Dd S2 Dd'
  double *LU_h;      // [nc - nv x nc - nv] the same for the holonomic rows, if there are others
  double *G;         // [nc x 2n] scratch
  double *column;    // [2n] scratch
  int *piv;          // [nc] row exchanges of LU
  int *piv_h;        // [nc - nv] of LU_h
} fb_constraint_tangent;

// Make a workspace for n coordinates and nc constraints, the last nv of which are nonholonomic: these
// do not restrict positions. The coordinates flagged in kinematic [n]
// (NULL: none) are prescribed. All sizes are 1. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_constraint_tangent_new(fb_constraint_tangent **out, int n, int nc, int nv,
                                    const bool *kinematic);
void fb_constraint_tangent_free(fb_constraint_tangent *w);

// Set the coordinates' sizes [n], > 0 (control/feedback/state_size.h), before setting a state.
void fb_constraint_tangent_size(fb_constraint_tangent *w, const double *size);

// Factor Dd S2 Dd' at a state with the constraints' Jacobian Dh [nc x n]. Returns DM_OK;
// DM_SINGULAR if the constraints are dependent; DM_NOT_FINITE. No allocation.
dm_status fb_constraint_tangent_set(fb_constraint_tangent *w, const double *Dh);

// Find the constraint impulses lambda [nc] that minimize the remainder of a momentum r [n]: |S (r -
// Dh'lambda)| over the dynamic coordinates. No allocation.
void fb_constraint_tangent_impulse(const fb_constraint_tangent *w, const double *r, double *lambda);

// Restrict X [rows x 2n], rows <= 2n, to deviations that satisfy the constraints: X <- X diag(Pi,
// 1). No allocation. Cost: 2 rows nc n multiplications.
void fb_constraint_tangent_restrict(fb_constraint_tangent *w, int rows, double *X);

// Remove from the momenta of X [2n x cols], in the dynamic coordinates, their component along Dh',
// which the next step removes. No allocation. Cost: 2 cols nc n multiplications.
void fb_constraint_tangent_quotient(fb_constraint_tangent *w, int cols, double *X);

DM_END_C
#endif
