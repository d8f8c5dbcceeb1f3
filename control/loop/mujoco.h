// control/loop/mujoco.h: a machine in MuJoCo, an independent engine: it shares only the robot file
// and the conversion between (q,p) and (q,v) with the map.
//
//   (q,p) -> v -> mj_step .. mj_step -> (q,v) -> p = L_v(q,v)
//
// Source: [todorov-2012] in docs/sources.md.
#ifndef FB_LOOP_MUJOCO_H
#define FB_LOOP_MUJOCO_H
#include "control/loop/plant.h"
#include "lib/multibody/robot.h"

#include <stdbool.h>

DM_BEGIN_C

bool fb_has_mujoco(void); // whether this build includes MuJoCo

// The ground under wheels, and how far they have slid on it since the start of a motion. A wheel
// slides by the length that its lowest point moves along the ground while it touches.
typedef struct fb_slip {
  double friction; // coefficient between wheels and ground, > 0
  double length;   // out: of the wheel that slid farthest [m]
  int wheel;       // out: its index among the rolling constraints; -1: none slid
} fb_slip;

// Check that its plant has all parts of r: as dm_robot_require, friction must not fall with speed,
// and rolling constraints are wheels and balls on the world's plane, with one normal.
dm_status fb_mujoco_require(const dm_robot *r, const char *who, dm_message *msg);

// Whether gravity presses a robot that rolls on its ground, by more than 1e-3 of itself.
bool fb_mujoco_presses(const dm_robot *r);

// Make the plant of a robot file's text, with the fourth-order Runge-Kutta method and steps of at
// most 1 ms, shorter if damping is stiff; shapes, contacts and joint limits are left out. Friction
// sticks, whether it is smooth or dry in the robot.
//   s      the machine's system
//   r      the robot as read from that text: gravity, armature and inputs come from its tree; names
//          identify the joints
//   machine  the robot that differs from it by c, whose friction acts; r itself if c is NULL
//   c      inertias, masses, moments, lengths and damping by which it differs
//   text   [size], terminated by a zero; not read if the robot rolls
//   slip   of a robot that rolls, which the plant updates; else NULL
// A robot with rolling constraints is made from its tree. Its wheels touch a plane each, which is as
// high as the wheel at the start, with friction in place of the constraints. The robot as a whole
// moves freely along the normal, and neither pitches nor rolls beyond its own joints, so that its
// wheels carry equal parts of its weight. If gravity does not press it on the ground, it weighs as
// if all of it did; without gravity as by 9.81 m/s2. The plant starts again if it does not find the position that its last step returned.
// Returns DM_OK; DM_UNAVAILABLE in a build without MuJoCo, for a text that MuJoCo cannot read or
// whose joints differ from the model's coordinates, for parts that fb_mujoco_require refuses, kinematic,
// mimic and ball joints; DM_NO_MEMORY.
dm_status fb_plant_mujoco(fb_plant *out, const dm_system *s, const dm_robot *r,
                          const dm_robot *machine, const dm_change *c, const char *text,
                          size_t size, fb_slip *slip);

DM_END_C
#endif
