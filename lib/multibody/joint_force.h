// lib/multibody/joint_force.h: forces f(v) on one coordinate that depend on its speed alone.
//
//   friction   f = -B(v) sgn(v) - b v - f0,   B(v) = F + (F_s - F) exp(-(v/v_s)^2)
//
// Coulomb's force F at high speed, F_s at rest and Stribeck's speed v_s between them, the viscous
// coefficient b, and an offset f0 that the speed does not change. With s > 0 the sign is
// (2/pi) atan(pi v / 2 s), with slope 1/s at zero speed. Friction with s = 0 is dry: every system of the
// robot has its terms b v and f0, but none a force B. A machine (dm_robot_changed) has B with
// s = DM_DRY_SPEED; a plan, if it is planned, by impulses (lib/multibody/robot_contact_laws.h).
// f is linear in F, F_s, b and f0.
//
// Source: [armstrong-1994] in docs/sources.md; docs/theory.md section 10.
#ifndef DM_MULTIBODY_JOINT_FORCE_H
#define DM_MULTIBODY_JOINT_FORCE_H
#include "lib/mechanics/contact_laws.h"
#include "lib/mechanics/force.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

// The kinds, each with a law eval_KIND in joint_force.c: X(KIND, kind, section of a problem file,
// meaning). Each is a kind of part (lib/multibody/robot.h).
// clang-format off
#define DM_JOINT_FORCES(X)                                                                         \
  X(FRICTION, friction, "friction", "Dry friction in joints")
// clang-format on

// The parameters of a kind: X(kind, member, key, unit, its range or NULL, its other names, its value if
// left out, or required, meaning).
#define DM_FRICTION_PARAMETERS(X)                                                                  \
  X(friction, force, "force", "N or N m", ">= 0", "coulomb torque", "0",                           \
    "Friction force F at high speed")                                                              \
  X(friction, smooth, "smooth", "m/s or rad/s", "> 0", NULL, "0",                                  \
    "Speed s over which the friction force builds up; left out: dry")                              \
  X(friction, rest, "static", "N or N m", ">= 0", "breakaway stiction", "0",                       \
    "Force F_s at which the joint breaks loose, at least `force`; left out: `force`")              \
  X(friction, stribeck, "stribeck", "m/s or rad/s", "> 0", "speed", "0",                           \
    "Speed v_s over which friction falls from `static` to `force`")                                \
  X(friction, viscous, "viscous", "N s/m or N m s/rad", ">= 0", "damping", "0",                    \
    "Force against the motion per speed")                                                          \
  X(friction, offset, "offset", "N or N m", NULL, "bias", "0",                                     \
    "Force against the positive direction at every speed, also at rest")

// pi / 200 m/s or rad/s: f = -(2/pi) F atan(100 v), as on test benches [wiebe-2024]
#define DM_DRY_SPEED 0.015707963267948967

// The parameters as structs: dm_friction_values {force, smooth, ..}.
#define DM_JOINT_NUMBER(kind, member, ...) double member;
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
  bool planned; // dry friction: do plans have its B?
  union {
    DM_JOINT_FORCES(DM_JOINT_VALUES)
  }; // of its kind
} dm_joint_force;
#undef DM_JOINT_VALUES

typedef struct dm_joint_forces dm_joint_forces;

// Compile the forces of one kind of a model. Copies everything. Returns DM_OK; DM_NO_MEMORY; or
// DM_BAD_INPUT with a sentence in msg (a coordinate that does not exist or is prescribed, a
// parameter out of its range, F_s below F, or F_s without v_s).
dm_status dm_joint_forces_new(dm_joint_forces **out, dm_joint_kind kind, const dm_model *m, int n,
                              const dm_joint_force *list, dm_message *msg);
void dm_joint_forces_free(dm_joint_forces *c); // accepts NULL

// The number of forces (0 for NULL), how many of them are dry friction (s = 0 with a force at some
// speed), and force i.
int dm_joint_forces_count(const dm_joint_forces *c);
int dm_joint_forces_dry(const dm_joint_forces *c);
const dm_joint_force *dm_joint_forces_get(const dm_joint_forces *c, int i);

// Give force i of forces that nobody else uses the numbers of x; its name and coordinate stay. Dry
// friction must stay dry, and smooth friction smooth. Does not allocate.
void dm_joint_forces_put(dm_joint_forces *c, int i, const dm_joint_force *x);

// Force i at the speed v of its coordinate, without B if it is dry [N or N m].
double dm_joint_forces_at(const dm_joint_forces *c, int i, double v);

// Whether a force is dry friction.
bool dm_joint_force_is_dry(const dm_joint_force *x);

// The terms of B as a law without rows; force is 0 if the joint has no dry friction.
dm_contact_law dm_joint_force_law(const dm_joint_force *x);

// Whether some of them are a force of every system.
bool dm_joint_forces_act(const dm_joint_forces *c);

// The interface to these, with exact first and second derivatives; c must outlive it. It has no
// inputs.
dm_force dm_joint_forces_force(const dm_joint_forces *c);

DM_END_C
#endif
