// lib/studies/event_driven.h: the collision integrator: a step is cut where a contact is met, found
// by bisection; what touches there and approaches is reflected; the rest of the step follows.
//
// Source: paper 002, section 1.3.2; theory section 16 in docs/theory.md.
#ifndef DM_STUDIES_EVENT_DRIVEN_H
#define DM_STUDIES_EVENT_DRIVEN_H
#include "lib/contact/contact_workspace.h"

DM_BEGIN_C

extern const dm_contact_method dm_collision;

DM_END_C
#endif
