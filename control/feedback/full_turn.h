// control/feedback/full_turn.h: angles after which a robot is the same: a turn more or less is no
// error.
//
//   d <- d - 2 pi k,   k = floor(d / 2 pi + 1/2)
//
// An angle is one of these where the Lagrangian and the constraints do not change with a turn of
// it, which limits, springs and cables at it do.
//
// Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_FULL_TURN_H
#define FB_FEEDBACK_FULL_TURN_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

#define FB_FULL_TURN 6.283185307179586476925

// Find the angles after whose full turn the system is the same.
//   turns  in: which coordinates are angles without limits [n]; out: those of them that are so
// L and the constraints are compared at a few scattered places. Returns DM_OK or DM_NO_MEMORY;
// where the system cannot be evaluated, none are.
dm_status fb_full_turn_find(const dm_system *s, bool *turns);

DM_END_C
#endif
