// lib/contact/contact_stepper.h: steps with contacts for a simulation (lib/discrete/simulate.h),
// with a count of what contacts did along it. The multipliers that the simulation records are those
// of the equalities; impulses of contacts stand in count->steps.
//
// Source: theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_CONTACT_STEPPER_H
#define DM_CONTACT_CONTACT_STEPPER_H
#include "lib/contact/contact_integrator.h"
#include "lib/discrete/stepper.h"

DM_BEGIN_C

// What contacts did so far: zeroed but for `steps` at the start.
typedef struct dm_contact_count {
  dm_contact_integrator *steps;    // takes the steps
  long made, left;                 // contacts made and left
  long reflections;                // passes of impacts
  double deepest;                  // the largest violation at a knot, m or rad
  dm_contact_integrator_info info; // of the last step
} dm_contact_count;

// The stepper that takes its steps by count->steps and adds to count; count is borrowed and must
// outlive it.
dm_stepper dm_contact_stepper(dm_contact_count *count);

typedef enum dm_contact_event {
  DM_CONTACT_MADE,   // it was open a step ago and is closed, or was reflected
  DM_CONTACT_CLOSED, // it was closed and still is
  DM_CONTACT_LEFT,   // it was closed and is open
  DM_CONTACT_OPEN    // it was open and still is
} dm_contact_event;

// What contact i = 0 .. ng-1 did in the last step of w.
dm_contact_event dm_contact_event_of(const dm_contact_integrator *w, int i);

DM_END_C
#endif
