// lib/multibody/model.h: a compiled tree of rigid bodies, ready for recursions.
//
// Joints are elementary motions, each a rotation about or a translation along one axis, in an order
// in which parents come first. Bodies fixed to their parents are lumped into the joint that carries
// them. Several joints may follow one coordinate (mimic joints): q_joint = ratio q_coordinate +
// shift. lib/multibody/tree.h describes a tree body by body and compiles it.
//
// A ball joint is three turns about z, x, y of the frame that it has turned to: their three values
// are the modified Rodrigues parameters n tan(angle/4) of its rotation, their rates and derivatives
// by them those of turns that would follow it. That is no configuration space by itself:
// lib/multibody/ball_joint.h gives such a tree unit quaternions for coordinates.
//
// A model is immutable once it is compiled and may be shared by threads.
#ifndef DM_MULTIBODY_MODEL_H
#define DM_MULTIBODY_MODEL_H
#include "lib/base/status.h"
#include "lib/multibody/spatial.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

// What a coordinate is: m, rad, or one of four numbers of a unit quaternion.
typedef enum dm_kind { DM_SLIDE, DM_TURN, DM_QUATERNION } dm_kind;

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
  bool *length;    // a slide: in m
  double *damping, *armature, *q_min, *q_max, *v_max, *effort;
  // the least that a force on it alone moves, 1/(M^-1)_ii, in scattered configurations; 0 of what
  // is prescribed                                                          [kg or kg m2]
  double *inertia;
  // inertias off the diagonal of M, of rotors that several coordinates turn [ntie]
  int ntie;
  int (*tie)[2];       // two coordinates
  double *tie_inertia; // kg m2 or kg
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
  char *text;       // the names
  size_t text_size; // its bytes
} dm_model;

// A straight line between two points that joints carry.
typedef struct dm_segment {
  int joint[2];  // -1: the world
  dm_vec end[2]; // in these joints' frames                              [m]
} dm_segment;

// Free a model; NULL is accepted.
void dm_model_free(dm_model *m);

// The longest way from the world along the joints to a centre of mass, all coordinates zero [m].
double dm_model_extent(const dm_model *m);

// The index of a coordinate (an input, a body) by its name, or -1.
int dm_model_coord(const dm_model *m, const char *name);
int dm_model_input(const dm_model *m, const char *name);
int dm_model_body(const dm_model *m, const char *name);

DM_END_C
#endif
