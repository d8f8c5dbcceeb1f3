// lib/multibody/robot.h: a robot: a tree and the parts that act on it. A table defines for each
// kind of part its name, its contribution to the robot's system, its parameters, and how it is
// compiled for a tree. Code that needs all parts of a robot iterates over this table; each other
// layer has a table of its own over the same kinds (docs/architecture.md).
#ifndef DM_MULTIBODY_ROBOT_H
#define DM_MULTIBODY_ROBOT_H
#include "lib/multibody/constraint.h"
#include "lib/multibody/contact_geometry.h"
#include "lib/multibody/formula_part.h"
#include "lib/multibody/joint_force.h"
#include "lib/multibody/load.h"
#include "lib/multibody/quaternion_system.h"
#include "lib/multibody/rolling.h"
#include "lib/multibody/spring.h"
#include "lib/multibody/tree.h"

DM_BEGIN_C

// Kinds of joint forces are kinds of parts: DM_PART_FRICTION ..
#define DM_JOINT_PART(KIND, ...) DM_PART_##KIND,
typedef enum dm_part_kind {
  DM_PART_SPRING,
  DM_PART_CONSTRAINT,
  DM_PART_ROLLING, // after the constraints, whose rows come first
  DM_PART_LOAD,
  DM_JOINT_FORCES(DM_JOINT_PART) DM_PART_CONTACT,
  DM_PART_FORMULA,
  DM_PART_KINDS
} dm_part_kind;
#undef DM_JOINT_PART

// The kind of joint forces of a kind of parts; DM_JOINT_KINDS: these parts are something else.
static inline dm_joint_kind dm_part_joint(dm_part_kind kind) {
  const bool is = kind > DM_PART_LOAD && kind < DM_PART_CONTACT;
  return is ? (dm_joint_kind)(kind - DM_PART_LOAD - 1) : DM_JOINT_KINDS;
}

typedef struct dm_robot {
  dm_model *tree;              // the tree of its joints
  dm_model *model;             // external model: the tree itself, or if it has ball joints, that of
                               // lib/multibody/ball_joint.h
  dm_quaternion_system *embed; // its external system if it has ball joints, else NULL
  // parts, one group for each kind; NULL: none
  dm_springs *springs;
  dm_constraints *constraints;
  dm_rolling *rolling;
  dm_loads *loads;
  dm_joint_forces *joint[DM_JOINT_KINDS];
  dm_contacts *contacts;
  dm_formulas *formulas;
  char at[DM_PART_KINDS][96]; // where the first part of each kind is in a file, "line 12"; or ""
  unsigned borrowed;          // a bit 1 << kind for each group that belongs to another robot
} dm_robot;

// A parameter of parts, model.SECTION.NAME.KEY of a problem file.
typedef struct dm_part_parameter {
  const char *section, *key; // "springs", "stiffness"; a list of them ends with a NULL section
  const char *unit;
  size_t offset;                 // of its value, a double, in the part's description
  double low, high;              // its range; a part with a value outside does not have it
  bool added;                    // an error is added to it; else the value is multiplied
  bool (*has)(const void *part); // NULL: all parts of the section have it
} dm_part_parameter;

// A kind of part.
typedef struct dm_part_row {
  const char *word; // "spring"
  int (*count)(const dm_robot *r);
  const char *(*name)(const dm_robot *r, int i);
  // compile descriptions [n] for r->tree into the empty group of r; copies them
  dm_status (*compile)(dm_robot *r, int n, const void *list, dm_message *msg);
  void (*enter)(const dm_robot *r, dm_system *s); // add to the system; NULL: no contribution by
                                                  // itself
  void (*release)(dm_robot *r);                   // free the group

  // Parts that change with the tree: they are compiled again for a changed robot. NULL: they stay,
  // and dm_robot_changed refuses other lengths beside them if they enter the system.
  size_t size;                                       // of a description
  void (*get)(const dm_robot *r, int i, void *part); // description i, borrowed from r, [size]
  const char *(*section)(const void *part);          // of a problem file: "springs"
  const dm_part_parameter *parameters;
} dm_part_row;

// Memory for one description of any kind.
typedef union dm_part {
  unsigned char bytes[512];
  double number;
  const void *pointer;
} dm_part;

extern const dm_part_row dm_part_rows[DM_PART_KINDS];

// The value of a parameter in a description, if the part has it.
double dm_part_value(const dm_part_parameter *p, const void *part);
bool dm_part_has(const dm_part_parameter *p, const void *part);

// A parameter of the parts first .. first + count - 1 of a kind, which have the same name.
typedef struct dm_part_at {
  dm_part_kind kind;
  int first, count;
  const dm_part_parameter *parameter;
} dm_part_at;

// An error of a parameter (dm_change.part): a factor, or an amount if errors are added to it; or a
// new value.
typedef struct dm_part_error {
  dm_part_at at;
  double amount;
  bool replaces;
} dm_part_error;

// Find the parameter at a path SECTION.NAME.KEY, where NAME is the name of a part or its index
// among those of the section; "model." may precede it. Returns DM_OK, or DM_BAD_INPUT with a
// sentence that names the known sections, parts or keys.
dm_status dm_robot_find(const dm_robot *r, const char *path, dm_part_at *out, dm_message *msg);

// Its value.
double dm_robot_parameter(const dm_robot *r, const dm_part_at *at);

// The internal system of the tree with its parts, by the midpoint rule, without quaternions for
// ball joints; r must outlive it.
dm_system dm_robot_inside(const dm_robot *r);

// The same in external coordinates.
dm_system dm_robot_system(const dm_robot *r);

// Set the external model and system of a robot whose tree and parts are complete: the tree itself,
// or if there are ball joints, new ones. Returns DM_OK, DM_NO_MEMORY, or the status of dm_ball_model
// and dm_quaternion_system_new.
dm_status dm_robot_embed(dm_robot *r);

// Create a machine: a robot like r with changed masses, lengths, damping, friction or parameters of
// parts; c is given in external coordinates. Points fixed to bodies stay fixed in the frames of
// these bodies. Its dry friction acts (lib/multibody/joint_force.h). It borrows r. Returns
// DM_OK; DM_BAD_INPUT for a parameter out of its range, or for lengths beside constraints; or the
// status of dm_model_changed and dm_quaternion_system_new; free out with dm_robot_free in all cases.
dm_status dm_robot_changed(dm_robot *out, const dm_robot *r, const dm_change *c);

// Check that `who` supports all parts of r. supported: a bit 1 << kind for each supported kind.
// Returns DM_OK, or DM_BAD_INPUT with a sentence that names the first unsupported part and its
// place in the file.
dm_status dm_robot_require(const dm_robot *r, unsigned supported, const char *who, dm_message *msg);

void dm_robot_free(dm_robot *r); // free what r owns; accepts a zeroed struct

DM_END_C
#endif
