// lib/multibody/joint_friction.h: dry friction in joints, smooth in the velocity.
//
//   f_i = -(2/pi) F atan(pi v_i / 2 s)      |f| tends to F far above the speed s; slope F/s at zero
//   speed
//
// Source: Coulomb's law with the arctangent instead of the sign; docs/theory.md section 10.
#ifndef DM_MULTIBODY_JOINT_FRICTION_H
#define DM_MULTIBODY_JOINT_FRICTION_H
#include "lib/mechanics/force.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

typedef struct dm_joint_friction {
  const char *name; // for messages
  int coord;
  double force;  // F >= 0        [N or N m]
  double smooth; // s > 0         [m/s or rad/s]
} dm_joint_friction;

typedef struct dm_frictions dm_frictions;

// Compile the joint friction of a model. Copies everything. Returns DM_OK; DM_NO_MEMORY; or
// DM_BAD_INPUT with a sentence in msg (a coordinate that does not exist or is prescribed, a force
// or a speed out of range).
dm_status dm_frictions_new(dm_frictions **out, const dm_model *m, int n,
                           const dm_joint_friction *list, dm_message *msg);
void dm_frictions_free(dm_frictions *c); // accepts NULL

// The number of friction elements (0 for NULL), and element i as it was described.
int dm_frictions_count(const dm_frictions *c);
dm_joint_friction dm_frictions_get(const dm_frictions *c, int i);

// Create a copy of c with the additional friction -more_i atan(100 v_i) at each coordinate of m;
// more [nq] in N or N m. If c is NULL, the result has the additional friction only. Returns DM_OK
// or DM_NO_MEMORY.
dm_status dm_frictions_changed(dm_frictions **out, const dm_frictions *c, const dm_model *m,
                               const double *more);

// The interface, with exact first and second derivatives; c must outlive it. It has no inputs.
dm_force dm_frictions_force(const dm_frictions *c);

DM_END_C
#endif
