// control/feedback/repeat.h: a period of a motion under constraints as it repeats. A period begins with p_0 = L_v, without
// a part along the constraints; its repetitions begin with
//
//   p_0 <- p_N        lambda_0 <- lambda_0 + lambda_N        Dh' lambda_N = p_N - p_0
//
// for the same positions. A linearization at the first step needs these, since lambda_N D2h is in dp.
//
// Source: docs/theory.md section 26.
#ifndef FB_FEEDBACK_REPEAT_H
#define FB_FEEDBACK_REPEAT_H
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

// Make it of a motion x that ends as it begins. Returns DM_OK, DM_NO_MEMORY, or DM_SINGULAR if the constraints are
// dependent. Allocates.
dm_status fb_repeat_motion(dm_trajectory **out, const dm_trajectory *x, const dm_system *s);

DM_END_C
#endif
