// lib/studies/event_driven.h: the collision integrator, which splits a step at each contact. For
// comparison only; use lib/contact/variational_contact.h. Until a step of length h is complete:
//
//   1  reflect the contacts that approach                      (lib/contact/impact.h)
//   2  try the rest of the step under equalities alone; accept it if it is admissible within
//      `touch`
//   3  otherwise take the longest admissible part, found by bisections and secants, and count a
//      cut. A contact that is met again sooner than `flight` h is pressed, as it would be met
//      endlessly: an elastic contact may be violated for at most this time and is then reflected
//      (it rattles); a contact with a restitution below one rests, and the part is repeated with it
//      closed, by nonnegative impulses (lib/contact/complementarity.h)
//   4  project the momentum on the equalities and the resting contacts
//
// An existing penetration is admitted, so that it can recover. If the Stoermer-Verlet Hamiltonian
// is conserved, whose velocities are those of whole steps, a contact that separates by these
// velocities may still approach; it is reflected by H.
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
