// problems/readers/model/mjcf_hold.h: <connect> and <weld> of MuJoCo's XML as constraints.
//
//   connect   a point of one body is a point of the other
//   weld      the frame of body2 is body1's by relpose; torquescale="0": a point of it alone
//
// What they do not say is where the bodies stand as written, which is MuJoCo's reference.
#ifndef PB_MODEL_MJCF_HOLD_H
#define PB_MODEL_MJCF_HOLD_H
#include "problems/readers/model/mjcf_file.h"
#include "problems/readers/model/tree_builder.h"

// Append a <connect> or <weld> to t->held, which has room for it, and perhaps a frame without mass
// to t. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_mjcf_hold(const pb_mjcf *m, pb_tree *t, const xmlNode *e);
#endif
