// lib/contact/friction_step.h: Coulomb friction within a step, for methods that take it. It acts
// twice: at an instant, on what an impact leaves and at the end of a step, and along the contacts
// that stay closed over the step.
//
//   instant  p <- p + T~'t, T~ the tangents' rows less what keeps contacts closed
//   step     p0 + T(q0)'t + D1(q0,q1) + G_S(q0)'lambda + A(q0)'gamma = 0, |t_i| <= mu_i lambda_i,
//            t of maximal dissipation to (tau(q1) - tau(q0))/h
//
// with t as in lib/contact/friction.h. What sticks has tau(q1) = tau(q0), so it does not creep.
// Impulses are added to w->friction_impulse. w->F is not NULL.
//
// Source: [moreau-1988] in docs/sources.md; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_FRICTION_STEP_H
#define DM_CONTACT_FRICTION_STEP_H
#include "lib/contact/contact_workspace.h"

// Apply friction in an instant to p [n] at q [n], at k inequalities `which` [k], whose rows stand in
// w->G, with normal impulses N [k]. Returns DM_OK; DM_MAX_ITER with info->friction_unsettled;
// DM_NOT_FINITE or what the inequalities return. Does not allocate.
dm_status dm_contact_integrator_apply_friction(dm_contact_integrator *w, const double *q, int k,
                                               const int *which, const double *N, double *p,
                                               dm_contact_integrator_info *info);

// Solve a step's equations as dm_complementarity_solve does, under friction as well. Returns also
// DM_MAX_ITER with info->friction_unsettled where it does not settle. Does not allocate. Cost: a
// solution for each of info->friction_solves changes of t.
dm_status dm_contact_integrator_solve_with_friction(dm_contact_integrator *w,
                                                    const dm_contact_equations *without,
                                                    dm_contact_integrator_info *info);
#endif
