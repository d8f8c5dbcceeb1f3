// lib/multibody/model.h: a compiled tree of rigid bodies, the input of the recursions.
//
// Each joint is an elementary motion, a rotation about or a translation along one axis. Parents
// precede their children. Bodies fixed to their parents are lumped into the joint that carries
// them. Several joints may follow one coordinate (mimic joints): q_joint = ratio q_coordinate +
// shift. lib/multibody/tree.h compiles a model from a description by bodies.
//
// A ball joint is three successive rotations about z, x, y of the rotated frame. Their three values
// are the modified Rodrigues parameters n tan(angle/4) of the rotation; rates and derivatives refer
// to further rotations about these axes. This is not a configuration space by itself:
// lib/multibody/ball_joint.h gives such a tree unit quaternions as coordinates.
//
// A model is immutable after compilation and may be shared by threads.
#ifndef DM_MULTIBODY_MODEL_H
#define DM_MULTIBODY_MODEL_H
#include "lib/base/status.h"
#include "lib/mechanics/bounds.h"
#include "lib/multibody/spatial.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

// The kind of a coordinate: length in m, angle in rad, or a component of a unit quaternion.
typedef enum dm_kind { DM_SLIDE, DM_TURN, DM_QUATERNION } dm_kind;

typedef struct dm_model {
  int nq, nu, nj, nbody; // coordinates, inputs, joints, bodies
  int nload;             // the last nload inputs are those of loads
  int nball;             // ball joints
  // joints, arrays                                                      [nj]
  int *parent; // joint, or -1
  int *run;    // first joint of the consecutive chain run..j with parent = joint - 1
  int *coord;  // coordinate that it follows
  double *ratio, *shift;
  bool *slides;     // prismatic: its axis is z of its own frame
  char *ball;       // 1: first joint of a ball joint; 2: second, third; 0: none
  dm_pose *offset;  // frame at q = 0, in the parent joint's frame
  bool *upright;    // it and all its ancestors are prismatic, so that its frame does not rotate
  dm_pose *rest;    // for upright joints: offset in the world's axes
  dm_inertia *body; // lumped inertia of all that is fixed to it, about its frame's origin
  bool *bare;       // body is zero: the joint itself carries no inertia
  bool *inert;      // the whole subtree has no inertia: L does not depend on it
  bool direct;      // every joint follows its own coordinate: coord[j] = j, ratio 1, shift 0
  int origin;       // joint whose position is the origin of spatial vectors
  dm_vec gravity;
  dm_inertia ground; // inertia fixed to the world: no motion, but potential energy
  // coordinates, arrays                                                 [nq]
  const char **name;
  dm_kind *kind;
  int *quaternion; // [nball] for a model of lib/multibody/ball_joint.h: first coordinates of
                   // quaternions; else NULL
  bool *kinematic; // prescribed
  bool *length;    // of a prismatic joint: in m
  double *damping, *armature, *q_min, *q_max, *v_max, *effort;
  // least inertia 1/(M^-1)_ii felt by a force on this coordinate alone, over scattered
  // configurations; 0 if prescribed [kg or kg m2]
  double *inertia;
  // off-diagonal inertias of M, of rotors driven by several coordinates  [ntie]
  int ntie;
  int (*tie)[2];       // two coordinates
  double *tie_inertia; // kg m2 or kg
  // inputs, arrays                                                      [nu]
  const char **input_name;
  int *input_coord;   // coordinate it acts on; -1: of a load
  double *input_gear; // force on that coordinate for u = 1 (a mimic joint's ratio, else 1)
  double *u_min, *u_max;
  // bodies as described, arrays                                         [nbody]
  const char **body_name;
  int *body_joint;    // joint that carries it, or -1
  dm_pose *body_pose; // its frame in that joint's frame (-1: in the world)
  int active;         // L depends on none of the coordinates >= active
  // pairs of coordinates that second derivatives of L may couple        [nq x nq]
  unsigned char *mask;
  char *text;       // names
  size_t text_size; // its bytes
} dm_model;

// A straight line between two points fixed to joints.
typedef struct dm_segment {
  int joint[2];  // -1: the world
  dm_vec end[2]; // in these joints' frames                              [m]
} dm_segment;

// Free a model; accepts NULL.
void dm_model_free(dm_model *m);

// The limits of its coordinates and inputs.
static inline dm_limits dm_model_limits(const dm_model *m) {
  const dm_limits limits = {{m->q_min, m->q_max}, {NULL, m->v_max}, {m->u_min, m->u_max}};
  return limits;
}

// Is coordinate i an angle without limits?
static inline bool dm_model_is_endless(const dm_model *m, int i) {
  return m->kind[i] == DM_TURN && isinf(m->q_min[i]) && isinf(m->q_max[i]);
}

// The longest path from the world along the joints to a center of mass, at zero coordinates [m].
double dm_model_extent(const dm_model *m);

// The index of a coordinate (input, body) by name, or -1.
int dm_model_coord(const dm_model *m, const char *name);
int dm_model_input(const dm_model *m, const char *name);
int dm_model_body(const dm_model *m, const char *name);

DM_END_C
#endif
