// optim/rows/contact_scale.h: scales of the unknowns of a contact or dry friction in a program.
#ifndef OC_ROWS_CONTACT_SCALE_H
#define OC_ROWS_CONTACT_SCALE_H
#include "optim/task/task.h"

typedef struct oc_contact_scale {
  double impulse; //   N s or N m s
  double gap;     //   m or rad
  double slid;    // distance in a step   m or rad
} oc_contact_scale;

// From a tenth of the robot's weight, its length, and the time in which it falls by its length. Without gravity the
// weight is that which moves its mass by its length in the horizon. A joint with dry friction has the impulse of its
// friction. Its distance is that of the line from start to goal, if that is shorter but not zero: searches whose pairs
// have more room let this joint slide although nothing pushes it.
oc_contact_scale oc_contact_scale_of(const oc_task *task, const dm_contact_law *law);

// The same for an impulse that changes the momentum of a length, N s, or of an angle, N m s.
double oc_contact_impulse_of(const oc_task *task, bool angle);
#endif
