// lib/contact/contact_integrator.h: steps of a system under holonomic constraints a(q) = 0 and
// unilateral ones g(q) >= 0, for motions that bounce, slide along boundaries and leave them.
//
//   (q0, p0) -> (q1, p1)    impacts        p0+ = p0 + G'r,  r >= 0
//                           along contacts p0+ + D1(q0,q1) + G'lambda + A'gamma = 0,
//                                          0 <= lambda,  g(q1) >= 0,  lambda'g(q1) = 0,  a(q1) = 0
//
// A step always has its full length: a contact that is met between two knots is met at a knot, so a
// boundary may be passed by up to h |v|. In return each step is one of the same symplectic map, and
// the energy stays in its window.
//
// The method is the generalized variational integrator, whose six parts are in
// lib/contact/variational_contact.h, unless the settings name another; those that it is compared
// with are in lib/studies/contact_methods.h. Use:
//
//   dm_contact_integrator_new(&w, &system, &unilateral, NULL, &msg);
//   while (...) dm_contact_integrator_step(w, q, p, u, h, q, p, &info);
//
// A step that starts where the last one ended continues its motion: contacts then are known as made
// before, and those with a restitution below one rest. After each step w->contact and w->impulse
// [ng] say which contacts there were, and with what impulse.
//
// Source: paper 002, algorithm 1, eq. 28-50, 62-76; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_CONTACT_INTEGRATOR_H
#define DM_CONTACT_CONTACT_INTEGRATOR_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

// The settings with every field at its default.
dm_contact_integrator_settings dm_contact_integrator_default(void);

// Allocate a workspace for a system with inequalities (both copied; the rule of a method that has
// one of its own replaces the system's). set NULL: the defaults.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg: kinematic coordinates;
// friction or a restitution by a method that takes none; numerical Hamiltonian or newmark where the
// mass matrix is not constant; newmark with beta 0, inputs, damping or general forces.
dm_status dm_contact_integrator_new(dm_contact_integrator **out, const dm_system *s,
                                    const dm_unilateral *g,
                                    const dm_contact_integrator_settings *set, dm_message *msg);
void dm_contact_integrator_free(dm_contact_integrator *w); // accepts NULL

// Advance one step.
//   q0, p0  state at t; momenta keep the equalities, A v = 0     [n] rad or m, [n] SI
//   u       inputs, constant over the step                        [nu] N or N m
//   h       step, > 0                                             s
//   q1, p1  out: state at t + h; may be q0, p0                    [n], [n]
//   info    out: contacts, impacts, iterations, penetration
// Returns DM_OK; DM_MAX_ITER where impulses or an impact could not be settled, or contacts are met
// too often in the step, the state the last iterate; DM_INFEASIBLE where the method smooth meets a
// contact, the state that at t; DM_SINGULAR, DM_NOT_FINITE, or what the Lagrangian returns, q1 and
// p1 untouched. Does not allocate. Cost: a solution of the step's equations
// (lib/contact/complementarity.h), and for each pass of an impact one of least squares; of the
// method collision these for each contact that is met, and some ten solutions to find it.
dm_status dm_contact_integrator_step(dm_contact_integrator *w, const double *q0, const double *p0,
                                     const double *u, double h, double *q1, double *p1,
                                     dm_contact_integrator_info *info);

// Forget the motion so far: the next step begins one whose numbers do not depend on it.
void dm_contact_integrator_restart(dm_contact_integrator *w);

// Evaluate the energy H [J] at (q,p): p.M^-1 p/2 + V. Returns DM_OK or what the Lagrangian returns.
dm_status dm_contact_integrator_energy(dm_contact_integrator *w, const double *q, const double *p,
                                       double *H);

// Write one sentence on why step k of w failed with status s, with the constraint and the residual.
void dm_contact_integrator_explain(dm_message *msg, dm_status s, const dm_contact_integrator *w,
                                   const dm_contact_integrator_info *info, int k);

DM_END_C
#endif
