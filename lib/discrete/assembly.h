// lib/discrete/assembly.h: projects configurations, velocities and impulses on the constraints, by
// the least change of each.
//
//   q         h(q) = 0             Newton: least |dq| with Dh dq = -h, halved until |h| falls
//   v         Dh(q) v = 0          least kinetic energy of the change, dv'M dv / 2; for nonholonomic
//                                  rows A(q) v + b(q) = 0
//   lambda    Dh(q)'lambda = r     least squares
//   settle    V_q + Dh'lambda = 0  the least potential energy V(q) = -L(q,0) under h(q) = 0
//   stand     L_v(q,v) = D2(q,q)   as after a step from q to q
//
// Norms are weighted by the scales of coordinates, 1 rad or the robot's length. Tolerances are
// relative to the change of a row over these scales. Both are independent of units.
//
// These functions prepare the start of a motion from user input. Each call allocates a workspace,
// so they are for setup; a step satisfies constraints by lib/discrete/del.h.
//
// Source: paper 001, section VII (constraints and their impulses); docs/theory.md section 11.
#ifndef DM_DISCRETE_ASSEMBLY_H
#define DM_DISCRETE_ASSEMBLY_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// Check that the constraints are independent at q [n], by a pivoted QR factorization of their
// Jacobian by the dynamic coordinates. Returns DM_OK; DM_SINGULAR with a sentence that names the
// first dependent constraint, and whether it is redundant or contradictory; DM_NO_MEMORY,
// DM_NOT_FINITE.
dm_status dm_assembly_check(const dm_system *s, const double *q, dm_message *msg);

// The scales [nc] of constraint rows at q [n]: the largest change of each row for a change of one
// coordinate by its scale, 1 rad or the robot's length. Returns DM_OK, DM_NO_MEMORY.
dm_status dm_assembly_rows(const dm_system *s, const double *q, double *size);

// Project q [n] on the constraints by the least change of the dynamic coordinates (Newton's method
// with least-norm steps), to rounding; kinematic coordinates are unchanged. Returns DM_OK;
// DM_INFEASIBLE with a sentence that names the constraint with the largest residual, q untouched;
// DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_assembly_project(const dm_system *s, double *q, dm_message *msg);

// The same with additional fixed coordinates: fixed [n].
dm_status dm_assembly_project_fixed(const dm_system *s, const bool *fixed, double *q,
                                    dm_message *msg);

// Project the velocity v [n] at q on the constraints, Dh(q) v = 0, by the change of least kinetic
// energy, which is an impulse along the constraints; kinematic coordinates are unchanged. Returns
// DM_OK; DM_INFEASIBLE, v untouched, if the velocities of kinematic coordinates alone violate a
// constraint, which msg names; DM_NO_MEMORY, DM_NOT_FINITE, DM_SINGULAR.
dm_status dm_assembly_velocity(const dm_system *s, const double *q, double *v, dm_message *msg);

// The impulses lambda [nc] along the constraints at q that minimize |r - Dh(q)'lambda| over the
// dynamic coordinates, for a momentum r [n]. Returns DM_OK, DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_assembly_impulse(const dm_system *s, const double *q, const double *r, double *lambda);

// Move q [n] to a minimum of the potential energy V(q) = -L(q,0) near q under h(q) = 0, a stable
// equilibrium without inputs; kinematic coordinates and fixed [n] ones (NULL: none) are unchanged.
// Newton's method in the null space of the constraints, with the exact Hessian V_qq + sum lambda_i
// D2h_i made positive, and a projection on the constraints after each step. It continues downwards
// from a saddle. A coordinate that the energy does not depend on is unchanged.
//   name  of the coordinates [n], for the message; may be NULL
// Returns DM_OK; DM_INFEASIBLE as above; DM_MAX_ITER, q untouched, with a sentence that names the
// coordinate that still moves; DM_NO_MEMORY, DM_NOT_FINITE.
dm_status dm_assembly_settle(const dm_system *s, const bool *fixed, const char *const *name,
                             double *q, dm_message *msg);

// The velocity v [n] of a motion that was at rest at q [n] in a previous step of h [s], without
// inputs: L_v(q,v) = D2(q,q), and 0 for kinematic coordinates. With constraints, it has the
// component along Dh' that every later knot at rest has, so that the first impulse lambda has full
// size; from v = 0 it would be half as large. Returns DM_OK; DM_NO_MEMORY, DM_SINGULAR, or the
// status of L.
dm_status dm_assembly_stand(const dm_system *s, const double *q, double h, double *v);

DM_END_C
#endif
