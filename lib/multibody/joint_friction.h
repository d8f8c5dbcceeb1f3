// lib/multibody/joint_friction.h: dry friction in joints.
//
//   f_i = -(2/pi) F atan(pi v_i / 2 s)      |f| tends to F far above the speed s; slope F/s at zero
//   speed
//
// Friction with s > 0 is smooth in the velocity and a force of every system of the robot. Friction
// with s = 0 is dry: no system has a force for it. A machine (dm_robot_changed) has it with
// s = DM_DRY_SPEED, a plan, if it is planned, by laws with one impulse per knot.
//
// Source: Coulomb's law with the arctangent instead of the sign; docs/theory.md section 10.
#ifndef DM_MULTIBODY_JOINT_FRICTION_H
#define DM_MULTIBODY_JOINT_FRICTION_H
#include "lib/mechanics/force.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

// pi / 200 m/s or rad/s: f = -(2/pi) F atan(100 v), as on test benches [wiebe-2024]
#define DM_DRY_SPEED 0.015707963267948967

typedef struct dm_joint_friction {
  const char *name; // for messages
  int coord;
  double force;  // F >= 0        [N or N m]
  double smooth; // s > 0; 0: dry [m/s or rad/s]
  bool planned;  // dry: do plans have it (lib/multibody/robot_contact_laws.h)?
} dm_joint_friction;

typedef struct dm_frictions dm_frictions;

// Compile the joint friction of a model. Copies everything. Returns DM_OK; DM_NO_MEMORY; or
// DM_BAD_INPUT with a sentence in msg (a coordinate that does not exist or is prescribed, a force
// or a speed out of range).
dm_status dm_frictions_new(dm_frictions **out, const dm_model *m, int n,
                           const dm_joint_friction *list, dm_message *msg);
void dm_frictions_free(dm_frictions *c); // accepts NULL

// The number of friction elements (0 for NULL), how many of them are dry, and element i as it was
// described.
int dm_frictions_count(const dm_frictions *c);
int dm_frictions_dry(const dm_frictions *c);
dm_joint_friction dm_frictions_get(const dm_frictions *c, int i);

// The force f of element i at the speed v of its coordinate, 0 if it is dry.
double dm_frictions_force_at(const dm_frictions *c, int i, double v);

// The interface to the elements that are not dry, with exact first and second derivatives; c must
// outlive it. It has no inputs.
dm_force dm_frictions_force(const dm_frictions *c);

DM_END_C
#endif
