// problems/readers/model/mjcf_hold.h: read <equality> of MuJoCo's XML as exact constraints.
//
//   connect   a point of one body coincides with a point of the other
//   weld      the frame of body2 in body1 is relpose; with torquescale="0" only a point is fixed
//   joint     q1 - ref1 = c0 + c1 (q2 - ref2): one copies the other or, if it already copies, a
//             constraint; without joint2 the joint is locked
//
// Missing attributes of connect and weld follow from the poses in the file, MuJoCo's reference
// configuration.
#ifndef PB_MODEL_MJCF_HOLD_H
#define PB_MODEL_MJCF_HOLD_H
#include "problems/readers/model/mjcf_parts.h"

// Read all equalities: mimic or locked coordinates, and constraints of the tree; may add massless
// frames. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_mjcf_hold(pb_mjcf_parts *w);
#endif
