// lib/studies/contact_methods.h: the methods for steps with contacts, by name. Only the reader of
// these names uses it.
//
//   gvi              lib/contact/variational_contact.h
//   smooth           steps 5 and 6, S = {i: g_i(q0) = 0}: no impacts
//   gvi-linearized   gvi with g(qh) + Dg(qh)(q - qh) instead of g: momenta are not conserved
//   direct-midpoint  midpoint rule, a force at (q0+q1)/2 that keeps this configuration admissible
//   direct-endpoint  midpoint rule, a force at q1
//   newmark          with beta, gamma; a force at q1, which also acts in the next step
//   imex-newmark     explicit, with an implicit force at q1
//   collision        steps split at each contact, which is located by bisection
//
// Source: paper 002; theory section 16 in docs/theory.md.
#ifndef DM_STUDIES_CONTACT_METHODS_H
#define DM_STUDIES_CONTACT_METHODS_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

extern const dm_contact_method *const dm_contact_methods[]; // terminated by NULL

// Find a method by name. Returns DM_OK, or DM_BAD_INPUT with the known names in msg, out untouched.
dm_status dm_contact_method_find(const dm_contact_method **out, const char *name, dm_message *msg);

DM_END_C
#endif
