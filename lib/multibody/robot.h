// lib/multibody/robot.h: a robot: the tree of its joints, and the parts that act on it beside. One table
// says of each kind of part what it is called, how it enters the robot's system, and what becomes of it in a
// robot whose masses, lengths or damping are others. What asks for the parts of a robot walks that table.
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
  dm_model *tree;              // its joints
  dm_model *model;             // from outside: the tree itself, but if that has ball joints
                               // (lib/multibody/ball_joint.h)
  dm_quaternion_system *embed; // its system there, else NULL
  // its parts, a group of each kind; NULL: none
  dm_springs *springs;
  dm_constraints *constraints;
  dm_loads *loads;
  dm_frictions *frictions;
  dm_contacts *contacts;
  // of a changed robot: the one that it was, whose parts it borrows; the energy of springs there; and
  const struct dm_robot *was;
  dm_conservative *sprung;
  dm_frictions *rubbed; // its own friction, which `frictions` is then
} dm_robot;

// A kind of part.
typedef struct dm_part_row {
  const char *word; // "spring"
  int (*count)(const dm_robot *r);
  const char *(*name)(const dm_robot *r, int i);
  void (*enter)(const dm_robot *r, dm_system *s); // act on it; NULL: not by itself
  // r->was becomes r, whose tree is another; NULL: it stays as it was
  dm_status (*change)(dm_robot *r, const dm_change *c);
  void (*release)(dm_robot *r); // free those that are r's own
} dm_part_row;

extern const dm_part_row dm_part_rows[DM_PART_KINDS];

// The system of the tree with its parts, by the midpoint rule, without the embedding of ball joints; r must
// outlive it.
dm_system dm_robot_inside(const dm_robot *r);

// The same from outside.
dm_system dm_robot_system(const dm_robot *r);

// The robot r with masses, lengths, damping or friction changed, by coordinates from outside: what lies on bodies
// stays where it was. It borrows r. Returns DM_OK or what dm_model_changed and dm_quaternion_system_new
// return; out is for dm_robot_free whatever is returned.
dm_status dm_robot_changed(dm_robot *out, const dm_robot *r, const dm_change *c);

// Does `who` support all parts of r? supported: a bit 1 << kind for each kind that it does. Returns DM_OK, or
// DM_BAD_INPUT with a sentence that names the first part that it does not.
dm_status dm_robot_require(const dm_robot *r, unsigned supported, const char *who, dm_message *msg);

void dm_robot_free(dm_robot *r); // what r owns; zeroed is accepted

DM_END_C
#endif
