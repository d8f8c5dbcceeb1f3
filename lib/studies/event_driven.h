// lib/studies/event_driven.h: the collision integrator, which cuts a step where a contact is met.
// For comparison; lib/contact/variational_contact.h is what to take. Until a step of length h is over:
//
//   1  reflect what touches and approaches                     (lib/contact/impact.h)
//   2  the rest of the step under equalities alone; where it stays admissible within `touch`, it is
//      taken
//   3  else the longest step that does, by bisection, is taken instead; one cut more
//   4  the momentum less its rates along the equalities
//
// After settings.max_cuts cuts the rest is taken as it is, and the step returns DM_MAX_ITER.
//
// Source: paper 002, section 1.3.2; theory section 16 in docs/theory.md.
#ifndef DM_STUDIES_EVENT_DRIVEN_H
#define DM_STUDIES_EVENT_DRIVEN_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

extern const dm_contact_method dm_collision;

DM_END_C
#endif
