// problems/readers/model/tree_builder.h: a tree that a reader builds body by body, with the file
// position of each part, until it is compiled to a model.
//
// Bodies are added parents first, each followed by its own coordinates; inputs come last. Arrays
// double in the arena, so that appending costs O(1) on average; finding a name costs O(n).
#ifndef PB_MODEL_TREE_BUILDER_H
#define PB_MODEL_TREE_BUILDER_H
#include "lib/multibody/robot.h"
#include "problems/readers/format/reader.h"
#include "problems/readers/format/yaml.h"

// Above the number of bodies or coordinates of any robot; it bounds time and memory, which grow
// with the square.
enum { PB_MAX_PARTS = 2048 };

typedef struct pb_place {
  const char *file; // NULL: unknown
  int line, column; // column 0: unknown
} pb_place;

// The force range of the motors on a coordinate, from the robot's file.
typedef struct pb_motor {
  int coord;
  double low, high; // limits of its force; -INFINITY and INFINITY: no limit [N or N m]
} pb_motor;

// The parts of a robot's file that act on bodies and coordinates, each with its file position.
// Indices refer to this tree; locked and mimic joints are resolved when the parts are compiled.
typedef struct pb_file_spring {
  pb_place at;
  dm_spring spring; // linear, or one-sided under tension or compression
} pb_file_spring;
typedef struct pb_file_load {
  pb_place at;
  dm_load load;
  double low, high; // of its input, if it is driven
} pb_file_load;
typedef struct pb_file_lift { // a compensated share of a body's weight
  pb_place at;
  int body;
  double share;
} pb_file_lift;
typedef struct pb_file_held {
  pb_place at;
  dm_constraint constraint;
} pb_file_held;

typedef struct pb_file_friction { // dry, of a joint of one coordinate
  pb_place at;
  int coord;
  double force; // > 0 [N or N m]
} pb_file_friction;

typedef struct pb_file_gear { // of the motor on a joint of one coordinate
  int coord;
  double ratio; // rotation of the motor per unit of the coordinate
  double lag;   // s; 0: none
} pb_file_gear;

typedef struct pb_drive { // of model.drives, on the joint's side of its gear
  int joint, motor;    // coordinates: the joint, and the one with the input; equal without a spring
  double stall, slope; // lib/multibody/drive_limits.h; INFINITY and 0: no line
  double rate;         // N/s or N m/s; INFINITY: any
  double lag;          // s; 0: none
  double stiffness;    // of the series spring; 0: none             [N/m or N m/rad]
  int line;            // of its entry
} pb_drive;

typedef struct pb_file_key { // a named state, with the external names of coordinates
  const char *name;
  int n;
  const char **coord; // [n]
  double *q, *v;      // [n]
} pb_file_key;

typedef struct pb_tree {
  pb_reader *r;
  const char *file; // named in errors that concern the whole file
  int nbody, ncoord, ninput;
  int body_room, coord_room, input_room;   // capacities of the arrays below
  dm_body *body;                           // [nbody]
  dm_coordinate *coord;                    // [ncoord]
  dm_input *input;                         // [ninput]
  pb_place *body_at, *coord_at, *input_at; // file positions of each
  double gravity[3];                       // m/s2
  int touching[2];                         // colliding shapes of the file: of the world, of bodies
  const char *floor;                       // a colliding shape of the world, at best a plane
  bool floor_is_plane;
  pb_place floor_at;
  dm_message unmodelled; // draft only: the force that dmoc cannot simulate
  int unweighed;         // URDF links with colliding shapes but no mass
  double density;        // for shapes of URDF links without mass; 0: no mass  [kg/m3]
  int nmotor;
  pb_motor *motor; // [nmotor] at most one per coordinate
  int nspring, nload, nlift, nheld, nfriction, nrotor, nkey, ngear, ndrive;
  int spring_room, load_room, lift_room, held_room, friction_room, rotor_room, key_room;
  int gear_room, drive_room;
  pb_file_spring *spring;     // [nspring]
  pb_file_load *load;         // [nload]
  pb_file_lift *lift;         // [nlift]
  pb_file_held *held;         // [nheld]
  pb_file_friction *friction; // [nfriction]
  dm_rotor *rotor;            // [nrotor]
  pb_file_key *key;           // [nkey]
  pb_file_gear *gear;         // [ngear]
  pb_drive *drive;            // [ndrive]
} pb_tree;

// Append a massless body, fixed to the world at its origin. The coordinates appended next belong to
// it. The pointer is valid until the next body is appended. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT if there are too many.
dm_status pb_tree_body(pb_tree *t, const char *name, pb_place at, dm_body **out);

// Append a coordinate without limits to the last body: a translation along or a rotation about
// axis, which is normalized. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for an axis of length 0
// or too many coordinates.
dm_status pb_tree_coord(pb_tree *t, const char *name, pb_place at, bool slides,
                        const double axis[3], dm_coordinate **out);

// Append the three rotations of a ball joint to the last body, NAME.rz NAME.rx NAME.ry
// (lib/multibody/model.h).
dm_status pb_tree_ball(pb_tree *t, const char *name, pb_place at);

// Whether coordinate c belongs to a ball joint.
bool pb_tree_in_ball(const pb_tree *t, int c);

// The joint of the root: fixed; translations and three rotations; translations and a ball joint; two
// translations and a rotation about z.
typedef enum pb_base { PB_FIXED, PB_FLOATING, PB_QUATERNION, PB_PLANAR } pb_base;

// Append to the last body three translations NAME.x NAME.y NAME.z and three rotations NAME.rz
// NAME.ry NAME.rx, in this order, so that its rotation is Rz Ry Rx; or the ball joint NAME; or NAME.x
// NAME.y NAME.rz.
dm_status pb_tree_floating(pb_tree *t, const char *name, pb_place at, pb_base base);

// Append an input without limits on coordinate c.
dm_status pb_tree_input(pb_tree *t, const char *name, pb_place at, int c, dm_input **out);

// Append a copy of a part of a robot's file. Return DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT if there
// are too many.
dm_status pb_tree_spring(pb_tree *t, const pb_file_spring *x);
dm_status pb_tree_load(pb_tree *t, const pb_file_load *x);
dm_status pb_tree_lift(pb_tree *t, const pb_file_lift *x);
dm_status pb_tree_held(pb_tree *t, const pb_file_held *x);
dm_status pb_tree_friction(pb_tree *t, const pb_file_friction *x);
dm_status pb_tree_rotor(pb_tree *t, pb_place at, const dm_rotor *x);
dm_status pb_tree_key(pb_tree *t, pb_place at, const pb_file_key *x);
dm_status pb_tree_gear(pb_tree *t, pb_place at, const pb_file_gear *x);
dm_status pb_tree_drive(pb_tree *t, pb_place at, const pb_drive *x);

// Whether any joint moves a body, or changes the length of a tendon.
bool pb_tree_moves_body(const pb_tree *t, int body);
bool pb_tree_moves_tendon(const pb_tree *t, const dm_tendon *x);

// The index of a coordinate or a body, or -1.
int pb_tree_find_coord(const pb_tree *t, const char *name);
int pb_tree_find_body(const pb_tree *t, const char *name);

// The principal moments of inertia, ascending: the eigenvalues of the 3 x 3 matrix. Returns false
// if they do not exist.
bool pb_tree_moments(const dm_body *body, double moment[3]);

// Warn about an impossible inertia: a negative principal moment, or one larger than the sum of the
// others. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_tree_check_inertia(pb_tree *t, const dm_body *body, pb_place at);

// The joints that are not locked, independent or mimic: their names, and their indices in the tree.
typedef struct pb_joint_list {
  int n;
  const char **name;
  int *coord;
} pb_joint_list;
dm_status pb_tree_joints(const pb_tree *t, pb_joint_list *list);

// Compile the tree built so far to a model, which may be incomplete and impossible to step; to be
// freed.
dm_status pb_tree_draft(const pb_tree *t, dm_model **out);

// Compile a tree to a model (dm_model_new); errors are preceded by file and line.
//   tree    out: its joints
//   model   out: the external model, with a quaternion per ball joint (lib/multibody/ball_joint.h);
//           the same as tree if there are none
// A draft may also be a model that cannot be stepped. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT;
// even on failure both may exist and must be freed.
dm_status pb_tree_compile(const pb_tree *t, dm_model **tree, dm_model **model);

// What the parts of a robot are read from (parts.h).
typedef struct pb_part_source {
  pb_reader *r;
  const pb_tree *tree;    // with the parts of the robot's file
  const dm_model *m;      // compiled from it; the parts borrow it
  const pb_node *model;   // sections of a problem file; NULL: a robot's file alone
  const pb_node *inputs;  // a list; NULL: all inputs of the robot's file
  const pb_node *outputs; // a list, of which forces have some; NULL: none
  const pb_source *file;  // the robot's file; NULL: none
  // out: the first force with the time 't', which needs a clock (clock.h); the forces are then left out. NULL: refused
  const pb_node **timed;
} pb_part_source;
#endif
