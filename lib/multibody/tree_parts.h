// lib/multibody/tree_parts.h: description of a tree of rigid bodies, body by body.
//
// A body has a parent, a joint with any number of coordinates, and inertia.
#ifndef DM_MULTIBODY_TREE_PARTS_H
#define DM_MULTIBODY_TREE_PARTS_H
#include "lib/multibody/model.h"

DM_BEGIN_C

// One elementary motion of a joint.
typedef struct dm_coordinate {
  const char *name;
  bool slides;         // a translation along the axis [m]; else a rotation about it [rad]
  double axis[3];      // unit vector in the current frame
  double damping;      // f = -damping v                                       [N s/m or N m s]
  double armature;     // added to the diagonal of the mass matrix; for a ball joint in the axes of
                       // its body                                            [kg or kg m2]
  dm_range limit;      // of its value                                         [m or rad]
  double v_max;        // INFINITY: no limit                                   [m/s or rad/s]
  double effort;       // INFINITY: no limit                                   [N or N m]
  int mimic;           // index in dm_tree.coord of the coordinate that this one mimics; -1: none
  double ratio, shift; // mimic: q = ratio q_mimic + shift
  bool kinematic;      // prescribed: no equation of motion, no inertia required; its next value is
                       // an input
  bool ball;           // first of three rotations about z, x, y of one body that form a ball joint
  bool locked;         // fixed at `value`, as are its mimics: not a coordinate of the model
  double value;        // of a locked coordinate                                [m or rad]
} dm_coordinate;

typedef struct dm_body {
  const char *name;
  int parent;        // index in dm_tree.body of an earlier body; -1: the world
  dm_pose offset;    // of the joint's frame at q = 0, in the parent body's frame
  int first, ncoord; // its coordinates in dm_tree.coord, in order; ncoord 0: fixed to its parent
  double mass;       // kg, >= 0
  double centre[3];  // center of mass, in the body's frame                     [m]
  double inertia[6]; // about the center, in the body's axes: xx yy zz xy xz yz [kg m2]
} dm_body;

// A force or torque u on one coordinate; or, after all of these, the input of a load
// (lib/multibody/load.h), for which a model stores the name and the limits only.
typedef struct dm_input {
  const char *name;
  int coord;           // index in dm_tree.coord; -1: of a load
  double u_min, u_max; // -INFINITY and INFINITY: no limit                     [N or N m]
} dm_input;

// A rotor driven by several coordinates, as in a differential gear: its angle is a linear
// combination of them, and its energy is inertia/2 (sum factor v)^2. (A rotor driven by one
// coordinate is an armature.)
typedef struct dm_rotor {
  const char *name; // for messages
  double inertia;   // >= 0                                           [kg m2 or kg]
  int ncoord;
  const int *coord;     // [ncoord] in dm_tree.coord; not of a ball joint
  const double *factor; // [ncoord] rotor angle per unit of the coordinate
} dm_rotor;

typedef struct dm_tree {
  int nbody, ncoord, ninput;
  const dm_body *body;
  const dm_coordinate *coord;
  const dm_input *input;
  double gravity[3]; // m/s2
  int nrotor;
  const dm_rotor *rotor; // [nrotor]
} dm_tree;

DM_END_C
#endif
