// control/loop/wheels_text.h: a robot on wheels as text for MuJoCo (control/loop/mujoco.h): its tree
// of joints on a slide along the normal of the ground, and a plane under each wheel.
//
//   body    "joint J" in the frame of joint J, whose axis is z; the reader sets its inertia
//   geom    "wheel I": a cylinder, thin compared with its radius, or a sphere; "ground I": its plane
//   pair    the contact of both; nothing else collides
//
// Source: [todorov-2012] in docs/sources.md.
#ifndef FB_LOOP_WHEELS_TEXT_H
#define FB_LOOP_WHEELS_TEXT_H
#include "lib/multibody/model.h"
#include "lib/multibody/rolling.h"

DM_BEGIN_C

// Write the text into to [size], cut like snprintf's; to may be NULL if size is 0.
//   m         tree of joints without ball joints, each with its own coordinate
//   wheel     [n] wheels and balls that roll on the world, with one normal
//   friction  coefficient between wheels and ground
// Returns the length of the complete text without its zero. Does not allocate; recursion as deep as
// the tree.
size_t fb_wheels_text(char *to, size_t size, const dm_model *m, int n, const dm_roller *wheel,
                      double friction);

DM_END_C
#endif
