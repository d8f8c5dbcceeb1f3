// lib/discrete/contact_check.h: whether the impulses of a motion at contacts are those of contacts: they push,
// friction stays within its bound and acts against the motion, nothing is passed.
#ifndef DM_DISCRETE_CONTACT_CHECK_H
#define DM_DISCRETE_CONTACT_CHECK_H
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

typedef enum dm_contact_fault {
  DM_CONTACT_PASSED, // a gap is negative
  DM_CONTACT_PULLS,  // an impulse pulls
  DM_CONTACT_FAR,    // an impulse acts at an open gap
  DM_CONTACT_BEYOND, // friction exceeds its bound
  DM_CONTACT_DRIVES, // friction is not opposite to the motion
  DM_CONTACT_SLIPS,  // friction is within its bound although the contact slides
  DM_CONTACT_FAULTS
} dm_contact_fault;

// What a contact or a dry friction with a fault does: "is passed". By dm_contact_fault.
extern const char *const dm_contact_faults[DM_CONTACT_FAULTS];

typedef struct dm_contact_verdict {
  double worst; // the largest fault, relative to the robot's own scales
  dm_contact_fault fault;
  int law, knot;
  int changes;                    // of the entries of all laws along the motion
  int edges, edge_law, edge_knot; // entries between two states, and the last of them; -1: none
} dm_contact_verdict;

// Check the contact impulses of a motion x of the system s (dm_system.contacts), at each knot with the step
// after it; at the last knot with one more step at the end's velocity.
//   entry  out: [(N+1) x laws] entries of the laws (lib/mechanics/contact_laws.h)
// An entry is between two states if neither member of its pair is above rounding, as the friction of a body whose sliding
// ends just there. A gap between them is taken to be open, and friction to stick: the states of rest.
// Faults are relative to the impulse of the robot's weight in a step, its length, and the way that it falls in a
// step from its length. Returns DM_OK, DM_NO_MEMORY, or the status of the rows. Allocates.
dm_status dm_contact_check(const dm_trajectory *x, const dm_system *s, unsigned char *entry,
                           dm_contact_verdict *out);

DM_END_C
#endif
