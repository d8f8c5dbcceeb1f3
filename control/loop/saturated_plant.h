// control/loop/saturated_plant.h: a plant whose motors lose torque with their speed
// (lib/multibody/drive_limits.h).
//
//   x1 = f(x, u, h)      |u + slope (q1 - q0)/h| <= stall,  u as near to the wanted input as it can be
//
// The speed is the mean of the step, as in plans, so that a plan within its lines is not changed.
//
// Source: docs/theory.md section 35; the relaxation is that of [irons-tuck-1969].
#ifndef FB_LOOP_SATURATED_PLANT_H
#define FB_LOOP_SATURATED_PLANT_H
#include "control/loop/plant.h"
#include "lib/multibody/drive_limits.h"

DM_BEGIN_C

// Replace a plant by one with these lines, which owns it; d is borrowed. Without lines it is
// unchanged. Its step has the status of the plant's steps, or DM_MAX_ITER if u does not converge.
// A step within the lines costs one step of the plant, another one about five. Returns DM_OK, or
// DM_NO_MEMORY with the plant unchanged.
dm_status fb_plant_saturate(fb_plant *plant, const dm_drive_limits *d);

DM_END_C
#endif
