// problems/readers/model/mjcf_hold.h: <equality> of MuJoCo's XML as constraints that hold exactly.
//
//   connect   a point of one body is a point of the other
//   weld      the frame of body2 is body1's by relpose; torquescale="0": a point of it alone
//   joint     q1 - ref1 = c0 + c1 (q2 - ref2): one copies the other, or, where it does so already, a
//             constraint; without joint2 it stands still
//
// What connect and weld do not say is where the bodies stand as written, which is MuJoCo's reference.
#ifndef PB_MODEL_MJCF_HOLD_H
#define PB_MODEL_MJCF_HOLD_H
#include "problems/readers/model/mjcf_parts.h"

// Read all equalities: coordinates that mimic or are locked, and constraints of the tree; perhaps frames
// without mass. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_mjcf_hold(pb_mjcf_parts *w);
#endif
