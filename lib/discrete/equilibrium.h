// lib/discrete/equilibrium.h: equilibria under inputs and constraints.
//
//   D1(q,q,u) + D2(q,q,u) - Dh(q)' lambda = 0      dynamic coordinates: the impulses balance
//   h(q) = 0
//
// Divided by the step this is L_q(q,0) + f(q,0,u) = Dh' lambda / h: the discrete map has the
// equilibria of the continuous equations, for any step.
//
// Source: docs/theory.md section 20.
#ifndef DM_DISCRETE_EQUILIBRIUM_H
#define DM_DISCRETE_EQUILIBRIUM_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// Find q, u and lambda by Newton's method. With more unknowns than equations, each step has least
// norm, so that the result is near the initial guess.
//   fixed   coordinates that do not change [n]; NULL: only kinematic ones, which never change
//   given   forces that do not change [nu]; NULL: none
//   h       step, > 0                                                                 s
//   q       in: initial guess; out: the equilibrium                                   [n]
//   u       in: initial forces; out: forces at the equilibrium, then its kinematic coordinates
//           [nu + nk]
//   lambda  out: impulses of the constraints per step [nc] N s or N m s; may be NULL without
//           constraints
//   name    of the coordinates [n], for the message; may be NULL
// Convergence: each row is below 1e-10 of its canceling terms, for deviations of coordinates by 1
// rad or the robot's length, or below the rounding of forces in a step. The result does not depend
// on units: steps have least norm relative to these scales. Returns DM_OK; DM_INFEASIBLE, outputs
// untouched, with a sentence that names the coordinate or constraint with the largest residual;
// DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_equilibrium_find(const dm_system *s, const bool *fixed, const bool *given, double h,
                              double *q, double *u, double *lambda, const char *const *name,
                              dm_message *msg);

DM_END_C
#endif
