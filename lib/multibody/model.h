// lib/multibody/model.h: a tree of rigid bodies.
//
// A tree is described body by body (dm_tree); dm_model_new compiles it into joints: elementary
// motions, each a rotation about or a translation along one axis, in an order in which parents come
// first. Bodies fixed to their parents are lumped into the joint that carries them. Several joints
// may follow one coordinate (mimic joints): q_joint = ratio q_coordinate + shift.
//
// A ball joint is three turns about z, x, y of the frame that it has turned to: their three values
// are the modified Rodrigues parameters n tan(angle/4) of its rotation, their rates and derivatives
// by them those of turns that would follow it. That is no configuration space by itself:
// lib/multibody/ball_joint.h gives such a tree unit quaternions for coordinates.
//
// A model is immutable after dm_model_new and may be shared by threads.
#ifndef DM_MULTIBODY_MODEL_H
#define DM_MULTIBODY_MODEL_H
#include "lib/base/status.h"
#include "lib/multibody/spatial.h"

#include <stdbool.h>

DM_BEGIN_C

// One elementary motion of a joint.
typedef struct dm_coordinate {
  const char *name;
  bool slides;         // a translation along the axis [m]; else a rotation about it [rad]
  double axis[3];      // unit vector in the frame reached so far
  double damping;      // f = -damping v                                       [N s/m or N m s]
  double armature;     // added to the diagonal of the mass matrix             [kg or kg m2]
  double q_min, q_max; // limits, -INFINITY and INFINITY where there are none  [m or rad]
  double v_max;        // INFINITY where there is none                         [m/s or rad/s]
  double effort;       // INFINITY where there is none                         [N or N m]
  int mimic;           // index in dm_tree.coord of the coordinate this one copies; -1: none
  double ratio, shift; // of the copy: q = ratio q_mimic + shift
  bool kinematic;      // prescribed: no equation of motion, no inertia needed; its next value is an
                       // input
  bool ball;           // the first of three turns about z, x, y of one body that are a ball joint
  bool locked;         // held at `value` for good, and what copies it at what follows from that:
  double value;        // none of them is a coordinate of the model             [m or rad]
} dm_coordinate;

// What a coordinate is: m, rad, or one of four numbers of a unit quaternion.
typedef enum dm_kind { DM_SLIDE, DM_TURN, DM_QUATERNION } dm_kind;

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
  double u_min, u_max; // -INFINITY and INFINITY where there are none          [N or N m]
} dm_input;

typedef struct dm_tree {
  int nbody, ncoord, ninput;
  const dm_body *body;
  const dm_coordinate *coord;
  const dm_input *input;
  double gravity[3]; // m/s2
} dm_tree;

typedef struct dm_model {
  int nq, nu, nj, nbody; // coordinates, inputs, joints, bodies
  int nload;             // of the inputs, so many at the end are those of loads
  int nball;             // ball joints
  // joints                                                              [nj]
  int *parent; // joint, or -1
  int *run;    // first joint of the unbroken chain run..j in which parent = joint - 1
  int *coord;  // the coordinate it follows
  double *ratio, *shift;
  bool *slides;     // its axis is z of its own frame
  char *ball;       // 1: first turn of a ball joint; 2: second, third; 0: none
  dm_pose *offset;  // of its frame at q = 0, in the parent joint's frame
  bool *upright;    // it and all above it slide, so that its frame does not turn
  dm_pose *rest;    // of those: offset with the world's axes
  dm_inertia *body; // of all that is fixed to it, about its frame's origin
  bool *bare;       // body is zero: inertia begins further down
  bool *inert;      // nothing it carries has inertia: L does not depend on it
  bool direct;      // every joint follows its own coordinate: coord[j] = j, ratio 1, shift 0
  int origin;       // the joint whose place is taken as origin of spatial vectors
  dm_vec gravity;
  dm_inertia ground; // lumped to the world: it has no motion, but a potential energy
  // coordinates                                                         [nq]
  const char **name;
  dm_kind *kind;
  int *quaternion; // [nball] of a model by lib/multibody/ball_joint.h, first coordinates of
                   // quaternions; else NULL
  bool *kinematic; // prescribed
  double *damping, *armature, *q_min, *q_max, *v_max, *effort;
  // the least that a force on it alone moves, 1/(M^-1)_ii, in scattered configurations; 0 of what
  // is prescribed                                                          [kg or kg m2]
  double *inertia;
  // inputs                                                              [nu]
  const char **input_name;
  int *input_coord;   // the coordinate it acts on; -1: of a load
  double *input_gear; // force on that coordinate for u = 1 (a mimic joint's ratio, else 1)
  double *u_min, *u_max;
  // bodies as they were described                                       [nbody]
  const char **body_name;
  int *body_joint;    // the joint that carries it, or -1
  dm_pose *body_pose; // its frame in that joint's frame (in the world where there is none)
  int active;         // L depends on none of the coordinates from this one on
  // which pairs of coordinates the second derivatives of L may couple   [nq x nq]
  unsigned char *mask;
  char *text; // the names
} dm_model;

// Compile a tree. Copies all it needs.
//   tree  bodies with parents first; finite numbers, masses >= 0
//   out   the model, to be freed by dm_model_free
//   msg   what is wrong, by name, on failure (may be NULL)
// Returns DM_OK; DM_BAD_INPUT for a number or index out of range, a mimic of a mimic, no
// coordinate, or one that moves no inertia (its row of the mass matrix vanishes at random
// configurations); DM_NO_MEMORY.
dm_status dm_model_new(dm_model **out, const dm_tree *tree, dm_message *msg);
void dm_model_free(dm_model *m);

// The same of any tree with good numbers, to be looked at and not stepped: it may have no
// coordinate, or one that moves no inertia.
//   why  what keeps it from being stepped, empty where nothing does
// Returns as above, but DM_OK for what why says.
dm_status dm_model_draft(dm_model **out, const dm_tree *tree, dm_message *why, dm_message *msg);

// How one machine differs from its model, link by link: all that a joint carries rigidly is a link.
// NULL: not at all.
typedef struct dm_change {
  const double *mass; // [nj] factors, > 0, of its mass, the moments about its centre as they were
  const double *inertia; // [nj] factors, > 0, of its moments of inertia about its centre
  const double *length;  // [nj] factors of the distances of its centre, and of the joints on it
  const double *damping; // [nq] added to that of coordinates               [N s/m or N m s]
} dm_change;

// A model changed so, to be freed by dm_model_free; it borrows the names of m, a tree. What was
// compiled from m for points on bodies (measures, constraints, loads) holds for it where no length
// is changed. Returns DM_OK, DM_BAD_INPUT for a factor that is not above 0, or DM_NO_MEMORY.
dm_status dm_model_changed(dm_model **out, const dm_model *m, const dm_change *c);

// The index of a coordinate (an input, a body) by its name, or -1.
int dm_model_coord(const dm_model *m, const char *name);
int dm_model_input(const dm_model *m, const char *name);
int dm_model_body(const dm_model *m, const char *name);

DM_END_C
#endif
