// lib/contact/contact_stepper.h: steps with contacts for a simulation (lib/discrete/simulate.h),
// with a count of what contacts did along it.
#ifndef DM_CONTACT_CONTACT_STEPPER_H
#define DM_CONTACT_CONTACT_STEPPER_H
#include "lib/contact/contact_integrator.h"
#include "lib/discrete/stepper.h"

DM_BEGIN_C

// What contacts did so far: zeroed but for `steps` at the start.
typedef struct dm_contact_count {
  dm_contact_integrator *steps;    // takes them
  long made, left, reflections;    // contacts made and left; passes of impacts
  double deepest;                  // the largest violation at a knot, m or rad
  dm_contact_integrator_info info; // of the last step
} dm_contact_count;

// Steps by count->steps, counted there; it must outlive them.
dm_stepper dm_contact_stepper(dm_contact_count *count);

// What contact i did in the last step.
typedef enum dm_contact_event {
  DM_CONTACT_MADE,
  DM_CONTACT_HELD,
  DM_CONTACT_LEFT,
  DM_CONTACT_OPEN // it is open, and was before
} dm_contact_event;
dm_contact_event dm_contact_event_of(const dm_contact_integrator *w, int i);

DM_END_C
#endif
