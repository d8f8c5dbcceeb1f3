// lib/multibody/robot.h: a robot: a tree and the parts that act on it. A table defines for each
// kind of part its name, its contribution to the robot's system, and how it changes when masses,
// lengths or damping change. Code that needs all parts of a robot iterates over this table.
#ifndef DM_MULTIBODY_ROBOT_H
#define DM_MULTIBODY_ROBOT_H
#include "lib/multibody/constraint.h"
#include "lib/multibody/contact_geometry.h"
#include "lib/multibody/joint_friction.h"
#include "lib/multibody/load.h"
#include "lib/multibody/quaternion_system.h"
#include "lib/multibody/spring.h"
#include "lib/multibody/tree.h"

DM_BEGIN_C

typedef enum dm_part_kind {
  DM_PART_SPRING,
  DM_PART_CONSTRAINT,
  DM_PART_LOAD,
  DM_PART_FRICTION,
  DM_PART_CONTACT,
  DM_PART_KINDS
} dm_part_kind;

typedef struct dm_robot {
  dm_model *tree;              // the tree of its joints
  dm_model *model;             // external model: the tree itself, or if it has ball joints, that of
                               // lib/multibody/ball_joint.h
  dm_quaternion_system *embed; // its external system if it has ball joints, else NULL
  // parts, one group for each kind; NULL: none
  dm_springs *springs;
  dm_constraints *constraints;
  dm_loads *loads;
  dm_frictions *frictions;
  dm_contacts *contacts;
  // of a changed robot: the original, whose parts it borrows; the energy of its springs; and
  const struct dm_robot *was;
  dm_conservative *sprung;
  dm_frictions *rubbed; // its own friction, to which `frictions` then points
} dm_robot;

// A kind of part.
typedef struct dm_part_row {
  const char *word; // "spring"
  int (*count)(const dm_robot *r);
  const char *(*name)(const dm_robot *r, int i);
  void (*enter)(const dm_robot *r, dm_system *s); // add to the system; NULL: no contribution by
                                                  // itself
  // adapt the part from r->was to r, which has another tree; NULL: unchanged
  dm_status (*change)(dm_robot *r, const dm_change *c);
  void (*release)(dm_robot *r); // free what r owns
} dm_part_row;

extern const dm_part_row dm_part_rows[DM_PART_KINDS];

// The internal system of the tree with its parts, by the midpoint rule, without quaternions for
// ball joints; r must outlive it.
dm_system dm_robot_inside(const dm_robot *r);

// The same in external coordinates.
dm_system dm_robot_system(const dm_robot *r);

// Create a robot like r with changed masses, lengths, damping or friction; changes are given in
// external coordinates. Points fixed to bodies stay fixed. It borrows r. Returns DM_OK or the
// status of dm_model_changed and dm_quaternion_system_new; free out with dm_robot_free in all
// cases.
dm_status dm_robot_changed(dm_robot *out, const dm_robot *r, const dm_change *c);

// Check that `who` supports all parts of r. supported: a bit 1 << kind for each supported kind.
// Returns DM_OK, or DM_BAD_INPUT with a sentence that names the first unsupported part.
dm_status dm_robot_require(const dm_robot *r, unsigned supported, const char *who, dm_message *msg);

void dm_robot_free(dm_robot *r); // free what r owns; accepts a zeroed struct

DM_END_C
#endif
