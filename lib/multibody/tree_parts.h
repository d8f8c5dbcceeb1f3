// lib/multibody/tree_parts.h: a tree of rigid bodies as it is described, body by body.
//
// A body has a parent, a joint of any number of coordinates that carries it, and inertia.
#ifndef DM_MULTIBODY_TREE_PARTS_H
#define DM_MULTIBODY_TREE_PARTS_H
#include "lib/multibody/model.h"

DM_BEGIN_C

// One elementary motion of a joint.
typedef struct dm_coordinate {
  const char *name;
  bool slides;         // a translation along the axis [m]; else a rotation about it [rad]
  double axis[3];      // unit vector in the frame reached so far
  double damping;      // f = -damping v                                       [N s/m or N m s]
  double armature;     // added to the diagonal of the mass matrix; of a ball joint in the axes of
                       // its body                                            [kg or kg m2]
  double q_min, q_max; // limits; -INFINITY and INFINITY: no limit             [m or rad]
  double v_max;        // INFINITY: no limit                                   [m/s or rad/s]
  double effort;       // INFINITY: no limit                                   [N or N m]
  int mimic;           // index in dm_tree.coord of the coordinate this one copies; -1: none
  double ratio, shift; // of the copy: q = ratio q_mimic + shift
  bool kinematic;      // prescribed: no equation of motion, no inertia needed; its next value is an
                       // input
  bool ball;           // the first of three turns about z, x, y of one body that are a ball joint
  bool locked;         // fixed at `value`, like its mimics: the model has no coordinate for them
  double value;        // of a locked coordinate                                [m or rad]
} dm_coordinate;

typedef struct dm_body {
  const char *name;
  int parent;        // index in dm_tree.body of an earlier body; -1: the world
  dm_pose offset;    // of the joint's frame at q = 0, in the parent body's frame
  int first, ncoord; // its coordinates in dm_tree.coord, applied in order; 0: fixed to its parent
  double mass;       // kg, >= 0
  double centre[3];  // of mass, in the body's frame                         [m]
  double inertia[6]; // about the centre, in the body's axes: xx yy zz xy xz yz [kg m2]
} dm_body;

// A force or torque u acting on one coordinate; or, after all of these, the input of a load
// (lib/multibody/load.h), of which a model knows the name and the limits.
typedef struct dm_input {
  const char *name;
  int coord;           // index in dm_tree.coord; -1: of a load
  double u_min, u_max; // -INFINITY and INFINITY: no limit                     [N or N m]
} dm_input;

// A rotor that several coordinates turn, as in a differential gear: its angle is a combination of them,
// and its energy inertia/2 (sum factor v)^2. (That of one coordinate is its armature.)
typedef struct dm_rotor {
  const char *name; // for messages
  double inertia;   // >= 0                                           [kg m2 or kg]
  int ncoord;
  const int *coord;     // [ncoord] in dm_tree.coord; not of a ball joint
  const double *factor; // [ncoord] its angle per coordinate
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
