// lib/studies/event_driven.h: the collision integrator, which cuts a step where a contact is met.
// For comparison; lib/contact/variational_contact.h is what to take. Until a step of length h is over:
//
//   1  reflect what touches and approaches                     (lib/contact/impact.h)
//   2  the rest of the step under equalities alone; where it stays admissible within `touch`, it is
//      taken
//   3  else the longest part that does, by halvings and secants, is taken instead; one cut more.
//      A contact that touches and is met again sooner than `flight` h is pressed: it would be met
//      without end. One that is elastic may be passed for so long, at most, and is reflected then:
//      it rattles. One with a restitution below one rests: the part is taken anew with it closed, by
//      impulses that push (lib/contact/complementarity.h)
//   4  the momentum less its rates along the equalities and what rests
//
// What has sunk may stay as deep as it is, so that it comes out by itself. Where Stoermer-Verlet's
// Hamiltonian is kept, whose velocities are those of whole steps, what it has leave may approach all
// the same: that is reflected by H.
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
