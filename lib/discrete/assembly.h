// lib/discrete/assembly.h: configurations, velocities and impulses brought onto the constraints, by
// the least change of each.
//
//   q         h(q) = 0             Newton: least |dq| with Dh dq = -h, halved until |h| falls
//   v         Dh(q) v = 0          least kinetic energy of the change, dv'M dv / 2
//   lambda    Dh(q)'lambda = r     least squares
//   at rest   V_q + Dh'lambda = 0  the least potential energy V(q) = -L(q,0) under h(q) = 0
//   standing  L_v(q,v) = D2(q,q)   as after a step from q to q
//
// Changes are least over sizes, 1 rad or the robot's length, and tolerances relative to the changes that
// sizes make: neither depends on units.
//
// They make the start of a motion from what a user gives. A workspace is allocated in each call, so
// they are for setup; a step keeps constraints by lib/discrete/del.h.
//
// Source: paper 001, section VII (constraints and their impulses); docs/theory.md section 11.
#ifndef DM_DISCRETE_ASSEMBLY_H
#define DM_DISCRETE_ASSEMBLY_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// Are the constraints independent at q [n]? A pivoted QR factorization of their Jacobian by the
// dynamic coordinates.
// Returns DM_OK; DM_SINGULAR with a sentence that names the first constraint that depends on others
// there, and whether it repeats or contradicts them; DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_assembly_check(const dm_system *s, const double *q, dm_message *msg);

// The sizes [nc] of constraint rows at q [n]: the most by which a coordinate of its size, 1 rad or the robot's
// length, changes each. Returns DM_OK, DM_NO_MEMORY.
dm_status dm_assembly_rows(const dm_system *s, const double *q, double *size);

// Move the dynamic coordinates of q [n] by the least change (Newton's method with least-norm steps)
// until the constraints hold to rounding; kinematic coordinates stay.
// Returns DM_OK; DM_INFEASIBLE with a sentence that names the constraint that is farthest from
// being met, and its residual, q untouched; DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_assembly_project(const dm_system *s, double *q, dm_message *msg);

// The same with some coordinates fixed besides: fixed [n].
dm_status dm_assembly_project_fixed(const dm_system *s, const bool *fixed, double *q,
                                    dm_message *msg);

// The velocity v [n] at q that is left after impulses along the constraints: Dh(q) v = 0 by the
// change of least kinetic energy; kinematic coordinates keep theirs.
// Returns DM_OK; DM_INFEASIBLE where kinematic coordinates alone break a constraint's rate, named,
// v untouched; DM_NO_MEMORY, DM_NOT_FINITE, DM_SINGULAR.
dm_status dm_assembly_velocity(const dm_system *s, const double *q, double *v, dm_message *msg);

// The impulses lambda [nc] along the constraints at q that leave least of a momentum r [n]:
// |r - Dh(q)'lambda| over the dynamic coordinates. Returns DM_OK, DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_assembly_impulse(const dm_system *s, const double *q, const double *r, double *lambda);

// Let go of all coordinates of q [n] but the kinematic and the fixed [n] (NULL: none): they move to
// a minimum of the potential energy V(q) = -L(q,0) near q under h(q) = 0, where a machine hangs or
// lies still. Newton's method in the constraints' null space, with the exact Hessian V_qq +
// sum lambda_i D2h_i turned positive, after each step back onto the constraints; from a saddle it
// goes on downwards. A coordinate on which the energy does not depend stays.
//   name  of the coordinates [n], for the message; may be NULL
// Returns DM_OK; DM_INFEASIBLE as above; DM_MAX_ITER, q untouched, with a sentence that names the
// coordinate that still falls; DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_assembly_settle(const dm_system *s, const bool *fixed, const char *const *name,
                             double *q, dm_message *msg);

// The velocity v [n] of a motion that stood still at q [n] for a step of h [s] before, without
// inputs: L_v(q,v) = D2(q,q), that of what is kinematic 0. Under constraints it has the part across
// them that every later knot at rest has as well, so that the first impulse lambda is whole: from
// v = 0 it is half as large. Returns DM_OK; DM_NO_MEMORY, DM_SINGULAR, or what L returns.
dm_status dm_assembly_stand(const dm_system *s, const double *q, double h, double *v);

DM_END_C
#endif
