// problems/run/feet.h: the feet of a walk's machine, which may slip and lift off: contacts with Coulomb friction instead
// of the constraints that hold their bodies in the plan.
//
// The ground under a foot that a constraint held is at height 0. Under others it is at the height of the next touch,
// or as high as the foot has been in this phase, if that is less: a foot that is still on lower ground stays on it.
#ifndef PB_RUN_FEET_H
#define PB_RUN_FEET_H
#include "problems/readers/task/problem.h"

DM_BEGIN_C

typedef struct pb_feet {
  int n;
  dm_contacts *contacts;
  dm_constraints *held; // constraints that stay; NULL: none
  pb_robot robot;       // with both, the rest borrowed
  bool *stands;         // [n] does a constraint hold its body in the plan?
  double *height;       // [n] of the ground, m
  double *gap;          // [n]
  void *scratch;
} pb_feet;

// The feet of verify.contacts. Returns DM_OK; DM_UNAVAILABLE with a sentence in msg if no constraint holds one of
// their bodies; or DM_NO_MEMORY.
dm_status pb_feet_new(pb_feet **out, const pb_problem *p, dm_message *msg);
void pb_feet_free(pb_feet *w); // accepts NULL

// Set the heights for a phase that begins at q, with the next touch at height `ground`; or, if it goes on, raise them.
// Returns the status of the contacts.
dm_status pb_feet_place(pb_feet *w, const double *q, double ground, bool begins);

DM_END_C
#endif
