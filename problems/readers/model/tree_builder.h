// problems/readers/model/tree_builder.h: a tree that grows body by body under a reader, with the
// place in a file that each part came from, until it is compiled to a model.
//
// Bodies come parents first, each followed by its own coordinates; inputs come last. Arrays double
// in the arena, so that appending costs O(1) on the average; names are looked up one by one, O(n).
#ifndef PB_MODEL_TREE_BUILDER_H
#define PB_MODEL_TREE_BUILDER_H
#include "lib/multibody/constraint.h"
#include "lib/multibody/load.h"
#include "lib/multibody/spring.h"
#include "lib/multibody/tree.h"
#include "problems/readers/format/reader.h"

// More bodies or coordinates than any robot has; it bounds time and memory, which grow with
// squares.
enum { PB_MAX_PARTS = 2048 };

typedef struct pb_place {
  const char *file; // NULL: not known
  int line, column; // column 0: not known
} pb_place;

// The range of the motors on a coordinate, by a robot's file.
typedef struct pb_motor {
  int coord;
  double low, high; // limits of its force; -INFINITY and INFINITY: no limit [N or N m]
} pb_motor;

// The parts of a robot's file that act on bodies and coordinates, each with its place. Coordinates and bodies
// are those of the tree here; what is locked or copied is resolved when they are compiled.
typedef struct pb_file_spring {
  pb_place at;
  dm_spring spring; // of a law that is linear, taut or pressed
} pb_file_spring;
typedef struct pb_file_load {
  pb_place at;
  dm_load load;
  double low, high; // of its input, where it is driven
} pb_file_load;
typedef struct pb_file_lift { // a share of a body's weight that something carries
  pb_place at;
  int body;
  double share;
} pb_file_lift;
typedef struct pb_file_held {
  pb_place at;
  dm_constraint constraint;
} pb_file_held;

typedef struct pb_file_key { // a state with a name, by the names of coordinates from outside
  const char *name;
  int n;
  const char **coord; // [n]
  double *q, *v;      // [n]
} pb_file_key;

typedef struct pb_tree {
  pb_reader *r;
  const char *file; // what is refused as a whole
  int nbody, ncoord, ninput;
  int body_room, coord_room, input_room;   // of the arrays below
  dm_body *body;                           // [nbody]
  dm_coordinate *coord;                    // [ncoord]
  dm_input *input;                         // [ninput]
  pb_place *body_at, *coord_at, *input_at; // where each of them stands
  double gravity[3];                       // m/s2
  int touching[2];       // shapes of the file that touch others there: of the world, of bodies
  dm_message unmodelled; // of a draft: what acts on the robot, and keeps dmoc from simulating it
  int unweighed;         // links of a URDF without mass that have such shapes
  double density; // of the shapes of links of a URDF that have no mass; 0: they have none  [kg/m3]
  int nmotor;
  pb_motor *motor; // [nmotor] at most one of a coordinate
  int nspring, nload, nlift, nheld, nrotor, nkey;
  int spring_room, load_room, lift_room, held_room, rotor_room, key_room;
  pb_file_spring *spring; // [nspring]
  pb_file_load *load;     // [nload]
  pb_file_lift *lift;     // [nlift]
  pb_file_held *held;     // [nheld]
  dm_rotor *rotor;        // [nrotor]
  pb_file_key *key;       // [nkey]
} pb_tree;

// Append a body fixed to the world at its origin, without mass, whose coordinates will be those
// appended next. The pointer is good until the next body. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT for one too many.
dm_status pb_tree_body(pb_tree *t, const char *name, pb_place at, dm_body **out);

// Append a coordinate to the last body, without limits: a slide along or a turn about axis, which
// is made a unit vector. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for an axis of length 0, or
// one too many.
dm_status pb_tree_coord(pb_tree *t, const char *name, pb_place at, bool slides,
                        const double axis[3], dm_coordinate **out);

// Append to the last body the three turns of a ball joint, NAME.rz NAME.rx NAME.ry
// (lib/multibody/model.h).
dm_status pb_tree_ball(pb_tree *t, const char *name, pb_place at);

// Whether coordinate c is one of a ball joint's.
bool pb_tree_in_ball(const pb_tree *t, int c);

// What carries the root: nothing moves it; slides and turns; slides and a ball joint.
typedef enum pb_base { PB_FIXED, PB_FLOATING, PB_QUATERNION } pb_base;

// Append to the last body three slides NAME.x NAME.y NAME.z and three turns NAME.rz NAME.ry
// NAME.rx, in this order, so that its rotation is Rz Ry Rx; or the ball joint NAME.
dm_status pb_tree_floating(pb_tree *t, const char *name, pb_place at, pb_base base);

// Append an input without limits on coordinate c.
dm_status pb_tree_input(pb_tree *t, const char *name, pb_place at, int c, dm_input **out);

// Append a part of a robot's file, copied as it is. Return DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for one too
// many.
dm_status pb_tree_spring(pb_tree *t, const pb_file_spring *x);
dm_status pb_tree_load(pb_tree *t, const pb_file_load *x);
dm_status pb_tree_lift(pb_tree *t, const pb_file_lift *x);
dm_status pb_tree_held(pb_tree *t, const pb_file_held *x);
dm_status pb_tree_rotor(pb_tree *t, pb_place at, const dm_rotor *x);
dm_status pb_tree_key(pb_tree *t, pb_place at, const pb_file_key *x);

// Whether anything moves a body, or what a tendon measures.
bool pb_tree_moves_body(const pb_tree *t, int body);
bool pb_tree_moves_tendon(const pb_tree *t, const dm_tendon *x);

// The index of a coordinate, a body, or -1.
int pb_tree_find_coord(const pb_tree *t, const char *name);
int pb_tree_find_body(const pb_tree *t, const char *name);

// Its principal moments of inertia, ascending: the eigenvalues of the 3 x 3 matrix; false: it has
// none.
bool pb_tree_moments(const dm_body *body, double moment[3]);

// Warn of an inertia that no body can have: a negative principal moment, or one larger than the
// sum of the others. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_tree_check_inertia(pb_tree *t, const dm_body *body, pb_place at);

// The coordinates that move by themselves or copy another, without those that are locked (with
// what copies these): their names, and their indices in the tree.
typedef struct pb_joint_list {
  int n;
  const char **name;
  int *coord;
} pb_joint_list;
dm_status pb_tree_joints(const pb_tree *t, pb_joint_list *list);

// Compile what there is so far to a model that may lack what keeps it from being stepped; to be freed.
dm_status pb_tree_draft(const pb_tree *t, dm_model **out);

// Compile a tree to a model (dm_model_new), what it refuses preceded by file and line.
//   tree    out: its joints
//   model   out: as it is seen from outside, with a quaternion for each ball joint
//           (lib/multibody/ball_joint.h); the tree itself where there is none
// A reader of drafts takes what cannot be stepped. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT; on
// failure, too, both may be there, to be freed.
dm_status pb_tree_compile(const pb_tree *t, dm_model **tree, dm_model **model);
#endif
