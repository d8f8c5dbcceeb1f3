// lib/contact/friction_step.h: Coulomb friction within a step, for methods that support it. It acts
// twice: instantaneously after an impact and at the end of a step, and along the contacts that stay
// closed over the step.
//
//   instant  p <- p + T~'t, with T~ the tangent rows projected on the closed contacts
//   step     p0 + T(q0)'t + D1(q0,q1) + G_S(q0)'lambda + A(q0)'gamma = 0, |t_i| <= mu_i lambda_i,
//            t of maximal dissipation to (tau(q1) - tau(q0))/h
//
// with t as in lib/contact/friction.h. A sticking contact has tau(q1) = tau(q0), so it does not
// creep. Impulses are added to w->friction_impulse. w->F must not be NULL.
//
// Source: [moreau-1988] in docs/sources.md; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_FRICTION_STEP_H
#define DM_CONTACT_FRICTION_STEP_H
#include "lib/contact/contact_workspace.h"

// Apply instantaneous friction to p [n] at q [n], for the k inequalities `which` [k] with rows in
// w->G and normal impulses N [k]. Returns DM_OK; DM_MAX_ITER with info->friction_unsettled;
// DM_NOT_FINITE or the status of the inequalities. Does not allocate.
dm_status dm_contact_integrator_apply_friction(dm_contact_integrator *w, const double *q, int k,
                                               const int *which, const double *N, double *p,
                                               dm_contact_integrator_info *info);

// Solve a step's equations as dm_complementarity_solve does, with friction. Also returns
// DM_MAX_ITER with info->friction_unsettled if friction does not converge. Does not allocate. Cost:
// a solution for each of info->friction_solves changes of t.
dm_status dm_contact_integrator_solve_with_friction(dm_contact_integrator *w,
                                                    const dm_contact_equations *without,
                                                    dm_contact_integrator_info *info);
#endif
