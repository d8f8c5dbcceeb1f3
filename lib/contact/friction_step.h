// lib/contact/friction_step.h: Coulomb friction within a step: at an instant, and along contacts
// that stay closed. For methods that take friction; w->F is not NULL.
//
// Source: theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_FRICTION_STEP_H
#define DM_CONTACT_FRICTION_STEP_H
#include "lib/contact/contact_workspace.h"

// Take from p [n] at q [n] what friction does in an instant, at k inequalities `which` [k], whose
// rows stand in w->G, with impulses N [k].
dm_status dm_contact_integrator_rub(dm_contact_integrator *w, const double *q, int k,
                                    const int *which, const double *N, double *p,
                                    dm_contact_integrator_info *info);

// Close a step as dm_complementarity_solve does, under friction as well; returns DM_MAX_ITER with
// info->unsettled where it does not settle.
dm_status dm_contact_integrator_slide(dm_contact_integrator *w, const dm_closing *closing,
                                      dm_contact_integrator_info *info);
#endif
