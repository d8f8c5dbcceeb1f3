// lib/discrete/equilibrium.h: places of rest, under inputs and constraints.
//
//   D1(q,q,u) + D2(q,q,u) - Dh(q)' lambda = 0      dynamic coordinates: no impulse is left over
//   h(q) = 0
//
// Divided by the step that is L_q(q,0) + f(q,0,u) = Dh' lambda / h: the discrete map rests where
// the continuous equations do, whatever the step.
//
// Source: docs/theory.md section 20.
#ifndef DM_DISCRETE_EQUILIBRIUM_H
#define DM_DISCRETE_EQUILIBRIUM_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// Find q, u and lambda by Newton's method: where there are more unknowns than equations each step
// is the least one, so that what is found is near where the search began.
//   fixed   coordinates that stay as they are [n]; NULL: kinematic ones alone, which always do
//   given   forces that stay as they are [nu]; NULL: none
//   h       step, > 0                                                                 s
//   q       in: where to look; out: the place                                         [n]
//   u       in: forces to begin with; out: those that hold the place, then its kinematic
//           coordinates                                                               [nu + nk]
//   lambda  out: the constraints' impulses in a step [nc] N s or N m s; may be NULL without any
//   name    of the coordinates [n], for the message; may be NULL
// At rest is: each row to 1e-10 of the terms that cancel in it, where coordinates count as off by 1 rad or
// by the robot's length; and what rounding may leave of forces in a step. Units do not matter: a step is
// the least one over these sizes. Returns DM_OK; DM_INFEASIBLE, outputs untouched, with a sentence that names the coordinate
// or the constraint that is farthest from rest where the search ended; DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_equilibrium_find(const dm_system *s, const bool *fixed, const bool *given, double h,
                              double *q, double *u, double *lambda, const char *const *name,
                              dm_message *msg);

DM_END_C
#endif
