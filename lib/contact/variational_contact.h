// lib/contact/variational_contact.h: the generalized variational integrator, for systems with
// impacts, sliding contacts and separation, with steps of constant length:
//
//   1  a predictor qh of the next configuration
//   2  C = {i: g_i(q0) <= 0 or g_i(qh) <= 0}, less L = {i in C: g_i(q0) > 0, restitution 0}
//   3  p0+ = the reflection of p0 at C (lib/contact/impact.h)
//   3b friction of the impact, at the rows of C with an impulse (lib/contact/friction_step.h)
//   4  S = {i in C: g_i(q0) = 0 and Dg_i v+ = 0} and L: smooth contacts
//   5  p0+ + D1(q0,q1) + G_S(q0)'lambda + A(q0)'gamma = 0,
//      0 <= lambda, g_S(q1) >= 0, complementary, a(q1) = 0 (lib/contact/complementarity.h)
//   6  p1 = D2(q0,q1) + G_E(q1)'mu + A(q1)'nu with G_E v = 0, A v = 0, E = {i in S: g_i(q1) = 0};
//      friction by the impulses mu
//
// A restitution below one applies to new contacts only: a contact of the previous step that
// approaches again stays at rest. Contacts with restitution zero are made by the step itself: L
// ends on its boundary, and step 5 is repeated with all further contacts of this kind that it would
// pass. (If they were brought to rest before the boundary, they would fall again from there
// repeatedly.)
//
// In these sets, 0 means `touch` for a gap and `tangent` for a rate. A contact that penetrates by
// less than a step's error and slides (after a dissipative impact) keeps its depth: g_S(q1) >=
// min(g_S(q0), 0). Velocities are those of the conserved energy.
//
// The method `smooth` is for motions without impacts: steps 5 and 6, with S the contacts closed at
// q0. It returns DM_INFEASIBLE if a newly closed contact approaches, or another contact is passed.
//
// Source: paper 002, algorithm 1, eq. 28-50, 62-76; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_VARIATIONAL_CONTACT_H
#define DM_CONTACT_VARIATIONAL_CONTACT_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

extern const dm_contact_method dm_contact_gvi;            // as above
extern const dm_contact_method dm_contact_smooth;         // steps 5 and 6, S = {i: g_i(q0) = 0}
extern const dm_contact_method dm_contact_gvi_linearized; // g(qh) + Dg(qh)(q - qh) instead of g

DM_END_C
#endif
