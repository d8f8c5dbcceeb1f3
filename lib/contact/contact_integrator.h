// lib/contact/contact_integrator.h: steps of a system under equalities a(q) = 0 and inequalities
// g(q) >= 0 that bounces, slides along boundaries and leaves them.
//
// The method is the generalized variational integrator (lib/contact/variational_contact.h), unless
// the settings name another; those that it is compared with are in lib/studies/contact_methods.h.
//
// Source: paper 002, algorithm 1, eq. 28-50, 62-76; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_CONTACT_INTEGRATOR_H
#define DM_CONTACT_CONTACT_INTEGRATOR_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

// The settings with every field at its default.
dm_contact_integrator_settings dm_contact_integrator_default(void);

// A workspace for a system with inequalities (both copied; the rule of a method that has one of its
// own replaces the system's). set NULL: the defaults.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg:
// kinematic coordinates; numerical Hamiltonian or newmark where the mass matrix is not constant.
dm_status dm_contact_integrator_new(dm_contact_integrator **out, const dm_system *s,
                                    const dm_unilateral *g,
                                    const dm_contact_integrator_settings *set, dm_message *msg);
void dm_contact_integrator_free(dm_contact_integrator *w);

// Advance one step.
//   q0, p0  state at t; momenta keep the equalities, A v = 0     [n], [n]
//   u       inputs held over the step                             [nu]
//   h       step, > 0                                             s
//   q1, p1  out: state at t + h; may be q0, p0                    [n]
// Returns DM_OK; DM_MAX_ITER where impulses or an impact could not be settled, the state the last
// iterate; DM_SINGULAR, DM_NOT_FINITE, or what the Lagrangian returns, q1 and p1 untouched. Does
// not allocate.
dm_status dm_contact_integrator_step(dm_contact_integrator *w, const double *q0, const double *p0,
                                     const double *u, double h, double *q1, double *p1,
                                     dm_contact_integrator_info *info);

// The energy [J] at (q,p): p.M^-1 p/2 + V.
dm_status dm_contact_integrator_energy(dm_contact_integrator *w, const double *q, const double *p,
                                       double *H);

// One sentence on why step k of w failed, with the constraint and the residual.
void dm_contact_integrator_explain(dm_message *msg, dm_status s, const dm_contact_integrator *w,
                                   const dm_contact_integrator_info *info, int k);

DM_END_C
#endif
