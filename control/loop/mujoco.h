// control/loop/mujoco.h: a machine in MuJoCo, an independent engine: it shares only the robot file
// and the conversion between (q,p) and (q,v) with the map.
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

bool fb_has_mujoco(void); // whether this build includes MuJoCo

// Make the plant of a robot file's text, with the fourth-order Runge-Kutta method and steps of at
// most 1 ms, shorter if damping is stiff; shapes, contacts, joint limits and dry friction are left
// out.
//   s      the machine's system: a tree without potentials
//   m      the robot as read from that text: gravity, armature and inputs come from it; names
//          identify the joints
//   c      the machine's differences from it; NULL: none. Damping comes from m and from c
//   text   [size], terminated by a zero
// Returns DM_OK; DM_UNAVAILABLE in a build without MuJoCo, for a text that MuJoCo cannot read or
// whose joints differ from the model's coordinates, for constraints, forces on bodies, kinematic,
// mimic and ball joints; DM_NO_MEMORY.
dm_status fb_plant_mujoco(fb_plant *out, const dm_system *s, const dm_model *m, const dm_change *c,
                          const char *text, size_t size);

DM_END_C
#endif
