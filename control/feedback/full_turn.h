// control/feedback/full_turn.h: angles after whose revolution a robot is the same: errors are taken
// modulo 2 pi.
//
//   d <- d - 2 pi k,   k = floor(d / 2 pi + 1/2)
//
// An angle qualifies if a revolution does not change the Lagrangian and the constraints. Limits,
// springs and cables at the joint change them.
//
// Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_FULL_TURN_H
#define FB_FEEDBACK_FULL_TURN_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

#define FB_FULL_TURN 6.283185307179586476925

// Find the angles after whose revolution the system is the same.
//   turns  in: which coordinates are angles without limits [n]; out: those that qualify
// L and the constraints are compared at a few scattered configurations. Returns DM_OK or
// DM_NO_MEMORY; if the system cannot be evaluated, no angle qualifies.
dm_status fb_full_turn_find(const dm_system *s, bool *turns);

DM_END_C
#endif
