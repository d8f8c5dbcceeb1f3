// lib/studies/direct_methods.h: direct substitution: a contact force is one more force of a method
// for smooth systems. For comparison only; use lib/contact/variational_contact.h.
//
// Midpoint rule with q_c the midpoint or q1:
//
//   1  p0 + D1(q0,q1) + G(q_c)'lambda/2 = 0,  0 <= lambda, g(q_c) >= 0, complementary, a(q1) = 0
//   2  p1 = D2(q0,q1) + G(q_c)'lambda/2
//   3  p1 without its rates along the equalities, A v = 0
//
// Newmark's method with beta and gamma, constant M, potential V and contact force r, h r =
// G(q1)'lambda, which also acts in the next step:
//
//   1  q1 = q0 + h v0 + h^2/2 ((1 - 2 beta) a0 + 2 beta a1),  a = M^-1 (-V_q + r)
//   2  v1 = v0 + h ((1 - gamma) a0 + gamma a1)
//   3  as above
//
// It is of second order only for gamma = 1/2, explicit for beta = 0, and dissipative for gamma >
// 1/2. In the implicit-explicit variant, r acts at q1 only, with any beta and gamma for V:
//
//   1  q1 = q0 + h v0 + h^2/2 ((1 - 2 beta) a0 + 2 beta a1 + M^-1 r),  a = -M^-1 V_q
//   2  v1 = v0 + h ((1 - gamma) a0 + gamma a1 + M^-1 r)
//
// Source: paper 002, appendix B; theory section 16 in docs/theory.md.
#ifndef DM_STUDIES_DIRECT_METHODS_H
#define DM_STUDIES_DIRECT_METHODS_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

extern const dm_contact_method dm_direct_midpoint; // midpoint rule, q_c the midpoint
extern const dm_contact_method dm_direct_endpoint; // midpoint rule, q_c = q1
extern const dm_contact_method dm_newmark;      // with beta > 0 (1/4) and gamma (1/2); the force at
                                                // q1 also acts in the next step
extern const dm_contact_method dm_imex_newmark; // with beta (0) and gamma (1/2), the force at q1

DM_END_C
#endif
