// lib/contact/contact_integrator.h: steps of a system under holonomic constraints a(q) = 0 and
// unilateral constraints g(q) >= 0, for motions with impacts, sliding contacts and separation.
//
//   (q0, p0) -> (q1, p1)    impacts        p0+ = p0 + G'r,  r >= 0
//                           along contacts p0+ + D1(q0,q1) + G'lambda + A'gamma = 0,
//                                          0 <= lambda,  g(q1) >= 0,  lambda'g(q1) = 0,  a(q1) = 0
//
// Steps have constant length: a contact made between two knots is treated at a knot, so that a
// boundary may be violated by up to h |v|. In return each step is the same symplectic map, and the
// energy error stays bounded.
//
// The default method is the generalized variational integrator, described in
// lib/contact/variational_contact.h. lib/studies/contact_methods.h has other methods for
// comparison. Usage:
//
//   dm_contact_integrator_new(&w, &system, &unilateral, NULL, &msg);
//   while (...) dm_contact_integrator_step(w, q, p, u, h, q, p, &info);
//
// A step that starts at the end of the previous one continues its motion: contacts of the previous
// step are known, and those with a restitution below one stay at rest. After each step w->contact
// and w->impulse [ng] contain the contacts and their impulses.
//
// Source: paper 002, algorithm 1, eq. 28-50, 62-76; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_CONTACT_INTEGRATOR_H
#define DM_CONTACT_CONTACT_INTEGRATOR_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

// The default settings.
dm_contact_integrator_settings dm_contact_integrator_default(void);

// Allocate a workspace for a system with inequalities (both copied; a method with its own rule
// replaces the rule of the system). set NULL: the defaults. Returns DM_OK; DM_NO_MEMORY; or
// DM_BAD_INPUT with a sentence in msg: kinematic coordinates; friction or restitution if the method
// does not support them; the numerical Hamiltonian or newmark with a mass matrix that is not
// constant; newmark with beta 0, inputs, damping or general forces.
dm_status dm_contact_integrator_new(dm_contact_integrator **out, const dm_system *s,
                                    const dm_unilateral *g,
                                    const dm_contact_integrator_settings *set, dm_message *msg);
void dm_contact_integrator_free(dm_contact_integrator *w); // accepts NULL

// Advance one step.
//   q0, p0  state at t; momenta must satisfy A v = 0             [n] rad or m, [n] SI
//   u       inputs, constant over the step                        [nu] N or N m
//   h       step, > 0                                             s
//   q1, p1  out: state at t + h; may be q0, p0                    [n], [n]
//   info    out: contacts, impacts, iterations, penetration
// Returns DM_OK; DM_MAX_ITER with the last iterate if impulses or an impact do not converge, or
// there are too many contacts within the step; DM_INFEASIBLE with the state at t if the method
// `smooth` meets a contact; DM_SINGULAR, DM_NOT_FINITE, or the status of the Lagrangian, with q1
// and p1 untouched. Does not allocate. Cost: a solution of the step's equations
// (lib/contact/complementarity.h), and a least-squares solution for each pass of an impact; the
// method `collision` needs these for each contact, and about ten solutions to locate it.
dm_status dm_contact_integrator_step(dm_contact_integrator *w, const double *q0, const double *p0,
                                     const double *u, double h, double *q1, double *p1,
                                     dm_contact_integrator_info *info);

// Discard the history: the next step starts a motion that does not depend on previous steps.
void dm_contact_integrator_restart(dm_contact_integrator *w);

// The energy H [J] at (q,p): p.M^-1 p/2 + V. Returns DM_OK or the status of the Lagrangian.
dm_status dm_contact_integrator_energy(dm_contact_integrator *w, const double *q, const double *p,
                                       double *H);

// Write one sentence on the failure of step k with status s, with the constraint and the residual.
void dm_contact_integrator_explain(dm_message *msg, dm_status s, const dm_contact_integrator *w,
                                   const dm_contact_integrator_info *info, int k);

DM_END_C
#endif
