// lib/contact/contact_stepper.h: steps with contacts for a simulation (lib/discrete/simulate.h),
// with statistics of the contacts. The simulation records the multipliers of the equalities;
// impulses of contacts are in count->steps.
//
// Source: theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_CONTACT_STEPPER_H
#define DM_CONTACT_CONTACT_STEPPER_H
#include "lib/contact/contact_integrator.h"
#include "lib/discrete/stepper.h"

DM_BEGIN_C

// Contact statistics; initialize with zeros except `steps`.
typedef struct dm_contact_count {
  dm_contact_integrator *steps;    // takes the steps
  long made, left;                 // contacts made and left
  long reflections;                // total passes of impacts
  double deepest;                  // largest violation at a knot, m or rad
  dm_contact_integrator_info info; // of the last step
} dm_contact_count;

// A stepper that uses count->steps and adds to count; count is borrowed and must outlive it.
dm_stepper dm_contact_stepper(dm_contact_count *count);

typedef enum dm_contact_event {
  DM_CONTACT_MADE,   // open in the previous step, now closed or reflected
  DM_CONTACT_CLOSED, // closed before and now
  DM_CONTACT_LEFT,   // closed before, now open
  DM_CONTACT_OPEN    // open before and now
} dm_contact_event;

// The event of contact i = 0 .. ng-1 in the last step of w.
dm_contact_event dm_contact_event_of(const dm_contact_integrator *w, int i);

DM_END_C
#endif
