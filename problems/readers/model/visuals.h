// problems/readers/model/visuals.h: what a robot's links look like: the <visual> elements of its URDF,
// or where a link has none that can be drawn, its <collision> elements; the geoms of MuJoCo's XML of
// groups 0 to 2, or where a body has none of these, its others.
//
// A look is no part of a task: what is odd is left out and said, never refused.
#ifndef PB_MODEL_VISUALS_H
#define PB_MODEL_VISUALS_H
#include "problems/readers/model/robot.h"

DM_BEGIN_C

// The kinds of looks: the word of URDF files, and which numbers they have in pb_visual.size.
#define PB_VISUAL_KINDS(X)                                                                         \
  X("box")      /* lengths along x, y, z                                                    [m] */ \
  X("cylinder") /* radius, length along z                                                   [m] */ \
  X("sphere")   /* radius                                                                   [m] */ \
  X("capsule")  /* radius, length of its axis along z                                       [m] */ \
  X("mesh")     /* none: triangles are as they are */

typedef struct pb_visual {
  const char *kind;
  int joint;     // of the model, that carries it; -1: the world
  dm_pose frame; // in that joint's frame
  double size[3];
  double colour[4]; // red, green, blue, opacity in [0,1]; below 0: the file says none
  int triangles;    // of a mesh
  const double *x;  // [triangles x 9] corners in the frame                      [m]
} pb_visual;

typedef struct pb_visuals {
  int n;
  pb_visual *list;             // [n]
  struct pb_warnings *missing; // a sentence for each that is left out
  struct pb_chunk *memory;     // of all of it
} pb_visuals;

// Read the looks of a robot's links.
//   robot    with its file (robot->file); without, there are none
//   problem  the path of the file that names that: meshes stand beside that
// Returns DM_OK or DM_NO_MEMORY. To be freed by pb_visuals_free in any case.
dm_status pb_visuals_read(pb_visuals *out, const pb_robot *robot, const char *problem);
void pb_visuals_free(pb_visuals *v); // zeroed is accepted

DM_END_C
#endif
