// lib/multibody/joint_force.h: forces f(v) on one coordinate that depend on its speed alone.
//
//   friction   f = -(2/pi) F atan(pi v / 2 s)     |f| tends to F far above the speed s; slope F/s at
//                                                 zero speed
//
// Friction with s > 0 is smooth in the velocity and a force of every system of the robot. Friction
// with s = 0 is dry: no system has a force for it. A machine (dm_robot_changed) has it with
// s = DM_DRY_SPEED; a plan, if it is planned, by impulses (lib/multibody/robot_contact_laws.h).
//
// Source: Coulomb's law with the arctangent instead of the sign; docs/theory.md section 10.
#ifndef DM_MULTIBODY_JOINT_FORCE_H
#define DM_MULTIBODY_JOINT_FORCE_H
#include "lib/mechanics/force.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

// The kinds, each with a law eval_KIND in joint_force.c: X(KIND, kind, section of a problem file,
// meaning). Each is a kind of part (lib/multibody/robot.h).
// clang-format off
#define DM_JOINT_FORCES(X)                                                                         \
  X(FRICTION, friction, "friction", "Dry friction in joints")
// clang-format on

// The parameters of a kind, all >= 0: X(kind, key, unit, range, its other names,
// its value if left out, or required, meaning).
#define DM_FRICTION_PARAMETERS(X)                                                                  \
  X(friction, force, "N or N m", ">= 0", "coulomb torque", "required",                             \
    "Friction force F at high speed")                                                              \
  X(friction, smooth, "m/s or rad/s", "> 0", NULL, "0",                                            \
    "Speed s over which the friction force builds up; left out: dry")

// pi / 200 m/s or rad/s: f = -(2/pi) F atan(100 v), as on test benches [wiebe-2024]
#define DM_DRY_SPEED 0.015707963267948967

// The parameters as structs: dm_friction_values {force, smooth}.
#define DM_JOINT_NUMBER(kind, key, ...) double key;
#define DM_JOINT_STRUCT(KIND, kind, ...)                                                           \
  typedef struct dm_##kind##_values {                                                              \
    DM_##KIND##_PARAMETERS(DM_JOINT_NUMBER)                                                        \
  } dm_##kind##_values;
DM_JOINT_FORCES(DM_JOINT_STRUCT)
#undef DM_JOINT_STRUCT
#undef DM_JOINT_NUMBER

#define DM_JOINT_KIND(KIND, ...) DM_JOINT_##KIND,
typedef enum dm_joint_kind { DM_JOINT_FORCES(DM_JOINT_KIND) DM_JOINT_KINDS } dm_joint_kind;
#undef DM_JOINT_KIND

#define DM_JOINT_VALUES(KIND, kind, ...) dm_##kind##_values kind;
typedef struct dm_joint_force {
  const char *name; // for messages
  int coord;
  bool planned; // dry friction: do plans have it?
  union {
    DM_JOINT_FORCES(DM_JOINT_VALUES)
  }; // of its kind
} dm_joint_force;
#undef DM_JOINT_VALUES

typedef struct dm_joint_forces dm_joint_forces;

// Compile the forces of one kind of a model. Copies everything. Returns DM_OK; DM_NO_MEMORY; or
// DM_BAD_INPUT with a sentence in msg (a coordinate that does not exist or is prescribed, a
// parameter below 0).
dm_status dm_joint_forces_new(dm_joint_forces **out, dm_joint_kind kind, const dm_model *m, int n,
                              const dm_joint_force *list, dm_message *msg);
void dm_joint_forces_free(dm_joint_forces *c); // accepts NULL

// The number of forces (0 for NULL), how many of them are dry friction, and force i.
int dm_joint_forces_count(const dm_joint_forces *c);
int dm_joint_forces_dry(const dm_joint_forces *c);
const dm_joint_force *dm_joint_forces_get(const dm_joint_forces *c, int i);

// Force i at the speed v of its coordinate, 0 if it is dry [N or N m].
double dm_joint_forces_at(const dm_joint_forces *c, int i, double v);

// The interface to all of them, with exact first and second derivatives; c must outlive it. It has
// no inputs.
dm_force dm_joint_forces_force(const dm_joint_forces *c);

DM_END_C
#endif
