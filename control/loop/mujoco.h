// control/loop/mujoco.h: a machine in MuJoCo, another engine: nothing of it is shared with the map
// but the robot's file and the translation of (q,p) into (q,v).
//
//   (q,p) -> v -> mj_step .. mj_step -> (q,v) -> p = L_v(q,v)
//
// Source: [todorov-2012] in docs/sources.md.
#ifndef FB_LOOP_MUJOCO_H
#define FB_LOOP_MUJOCO_H
#include "control/loop/plant.h"
#include "lib/multibody/tree.h"

#include <stdbool.h>

DM_BEGIN_C

bool fb_has_mujoco(void); // whether this build has it

// Make the plant of a robot file's text, by Runge and Kutta's method of order 4 with steps of 1 ms
// at most, shorter where damping is stiff; shapes, contacts, joint limits and dry friction are left
// out.
//   s      the machine's system: a tree's, without potentials
//   m      the robot as it was read from that text: gravity, armature and inputs are taken from it,
//          names tell which joint is which
//   c      how the machine differs from that; NULL: not at all. Damping is that of m, and c's
//   text   [size], with a zero after it
// Returns DM_OK; DM_UNAVAILABLE in a build without MuJoCo, for a text that it does not read, or
// whose joints are others than the model's coordinates, for constraints, forces on bodies,
// kinematic, mimic and ball joints; DM_NO_MEMORY.
dm_status fb_plant_mujoco(fb_plant *out, const dm_system *s, const dm_model *m, const dm_change *c,
                          const char *text, size_t size);

DM_END_C
#endif
