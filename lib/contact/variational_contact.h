// lib/contact/variational_contact.h: the generalized variational integrator, for systems that
// bounce, slide along boundaries and leave them. It takes steps of full length:
//
//   1  a predictor qh of the next configuration
//   2  C = {i: g_i(q0) <= 0 or g_i(qh) <= 0}, less L = {i in C: g_i(q0) > 0, restitution 0}
//   3  p0+ = the reflection of p0 at C (lib/contact/impact.h)
//   3b friction of the impact, at the rows of C that took an impulse (lib/contact/friction_step.h)
//   4  S = {i in C: g_i(q0) = 0 and Dg_i v+ = 0} and L: along these the motion is smooth
//   5  p0+ + D1(q0,q1) + G_S(q0)'lambda + A(q0)'gamma = 0,
//      0 <= lambda, g_S(q1) >= 0, complementary, a(q1) = 0 (lib/contact/complementarity.h)
//   6  p1 = D2(q0,q1) + G_E(q1)'mu + A(q1)'nu with G_E v = 0, A v = 0, E = {i in S: g_i(q1) = 0};
//      friction by the impulses mu
//
// Restitutions below one are those of contacts that are new: one of the step before that approaches
// again rests. What rests is met by the step itself: L ends on its boundary, and step 5 is repeated
// with all of that kind that it would pass unforeseen. (Brought to rest before, it would fall again
// from there, and so on.)
//
// In these sets 0 of a gap stands for the setting `touch`, 0 of a rate for `tangent`. What has sunk
// below a boundary by less than a step's error and moves along it (after an impact that takes
// energy) stays where it is: g_S(q1) >= min(g_S(q0), 0). Velocities are those of the energy kept.
//
// The method smooth is for motions that are smooth throughout: steps 5 and 6 with S what is closed at
// q0. It returns DM_INFEASIBLE where that cannot be: what is newly closed approaches, or another
// contact is passed.
//
// Source: paper 002, algorithm 1, eq. 28-50, 62-76; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_VARIATIONAL_CONTACT_H
#define DM_CONTACT_VARIATIONAL_CONTACT_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

extern const dm_contact_method dm_contact_gvi;            // the above
extern const dm_contact_method dm_contact_smooth;         // 5 and 6 alone, S = {i: g_i(q0) = 0}
extern const dm_contact_method dm_contact_gvi_linearized; // g(qh) + Dg(qh)(q - qh) in place of g

DM_END_C
#endif
