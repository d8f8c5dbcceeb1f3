// lib/studies/contact_methods.h: the methods for steps with contacts, by the names that users
// write. Nothing on a robot's path but the reader of these names looks here.
//
//   gvi              lib/contact/variational_contact.h
//   smooth           steps 5 and 6 alone, S = {i: g_i(q0) = 0}: nothing bounces
//   gvi-linearized   the first with g(qh) + Dg(qh)(q - qh) in the place of g: momenta are lost
//   direct-midpoint  midpoint rule, a force at (q0+q1)/2 that keeps that place admissible
//   direct-endpoint  midpoint rule, a force at q1
//   newmark          of beta, gamma, a force at q1, which acts in the next step as well
//   imex-newmark     explicit, the force at q1 implicit
//   collision        steps cut at each contact, which is found by bisection
//
// Source: paper 002; theory section 16 in docs/theory.md.
#ifndef DM_STUDIES_CONTACT_METHODS_H
#define DM_STUDIES_CONTACT_METHODS_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

extern const dm_contact_method *const dm_contact_methods[]; // ended by NULL

// The method of a name. Returns DM_OK, or DM_BAD_INPUT with the known names in msg, out untouched.
dm_status dm_contact_method_find(const dm_contact_method **out, const char *name, dm_message *msg);

DM_END_C
#endif
