// problems/readers/model/visuals.h: the visual geometry of a robot's links: the <visual> elements
// of its URDF, or, for a link without drawable ones, its <collision> elements; the geoms of
// MuJoCo's XML in groups 0 to 2, or, for a body without these, its other geoms. Wheels and balls of
// rolling constraints have a disk or sphere if their body has no visuals, and a bar or band.
//
// Visuals do not affect a task: anything invalid is left out with a warning, never refused.
#ifndef PB_MODEL_VISUALS_H
#define PB_MODEL_VISUALS_H
#include "problems/readers/model/robot.h"

DM_BEGIN_C

// The kinds of visuals: their element names in URDF, and the meaning of pb_visual.size.
#define PB_VISUAL_KINDS(X)                                                                         \
  X("box")      /* lengths along x, y, z                                                    [m] */ \
  X("cylinder") /* radius, length along z                                                   [m] */ \
  X("sphere")   /* radius                                                                   [m] */ \
  X("capsule")  /* radius, length of its axis along z                                       [m] */ \
  X("mesh")     /* none: triangles are as they are */

typedef struct pb_visual {
  const char *kind;
  int joint;     // the joint of the model that carries it; -1: the world
  dm_pose frame; // in the joint's frame
  double size[3];
  double colour[4]; // red, green, blue, opacity in [0,1]; below 0: not given
  int triangles;    // of a mesh
  const double *x;  // [triangles x 9] vertices in the frame  [m]
  double rolls;     // radius of the wheel or ball whose turn this shows [m]; 0: another visual
} pb_visual;

typedef struct pb_visuals {
  int n;
  pb_visual *list;             // [n]
  struct pb_warnings *missing; // a sentence for each visual that is left out
  struct pb_chunk *memory;     // owns all data
} pb_visuals;

// Read the visuals of a robot's links.
//   robot    with its file (robot->file); without one there are only those of wheels
//   problem  the path of the problem file; mesh files are relative to it
// Returns DM_OK or DM_NO_MEMORY. Free with pb_visuals_free in any case.
dm_status pb_visuals_read(pb_visuals *out, const pb_robot *robot, const char *problem);
void pb_visuals_free(pb_visuals *v); // a zeroed v is accepted

DM_END_C
#endif
