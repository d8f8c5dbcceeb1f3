// lib/studies/direct_methods.h: direct substitution: the force of a contact is one more force to a
// method for smooth systems.
//
//   p0 + D1(q0,q1) + G(qc)'lambda/2 = 0,  0 <= lambda, g(qc) >= 0, complementary
//   p1 = D2(q0,q1) + G(qc)'lambda/2
//
// of the midpoint rule with qc the midpoint or q1; of the trapezoid rule with qc = q1 it is the
// implicit-explicit method of Newmark's kind.
//
// Source: paper 002, appendix B; theory section 16 in docs/theory.md.
#ifndef DM_STUDIES_DIRECT_METHODS_H
#define DM_STUDIES_DIRECT_METHODS_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

extern const dm_contact_method dm_direct_midpoint; // midpoint rule, qc the midpoint
extern const dm_contact_method dm_direct_endpoint; // midpoint rule, qc = q1
extern const dm_contact_method dm_newmark;         // of beta, gamma; the force at q1 acts in the
                                                   // next step as well
extern const dm_contact_method dm_imex_newmark;    // trapezoid rule, qc = q1

DM_END_C
#endif
