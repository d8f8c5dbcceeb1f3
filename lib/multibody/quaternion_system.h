// lib/multibody/quaternion_system.h: the system of a tree with ball joints, in unit quaternions: V
// = R^n, of which the constraints |q|^2 = 1 leave Q.
//
//   L(q,v) = Lt(turns(q), rates(q,v)) + 2 c (q.v)^2
//   h(q) = ht(turns(q)),  |q|^2 - 1         f(q,v,u) = turns_q' ft(turns(q), rates(q,v), u)
//
// with t of the tree, whatever is no ball joint as it was, (turns, rates) and its derivatives by
// lib/multibody/quaternion.h. The chain rule of this composition to third order is all there is
// here:
//
//   J = (turns_q 0; rates_q rates_v)    L_zz = J' H J + dL.J'     z = (q,v), H of the tree
//   T(a) = J' Tt(Ja) J + Ja' H J + J' H Ja + (H Ja).J' + dL.Ja'   (Ja: J along a; J', Ja' as forms)
//
// The last term of L makes its mass matrix regular; of a motion by the midpoint rule it takes
// nothing, as q.v = (|q1|^2 - |q0|^2) / 2h = 0 there. One rigid body then moves as Moser and
// Veselov's: spatial momentum and energy are kept to rounding.
//
// Source: paper 004, sections 4 and 5; docs/theory.md section 23.
#ifndef DM_MULTIBODY_QUATERNION_SYSTEM_H
#define DM_MULTIBODY_QUATERNION_SYSTEM_H
#include "lib/mechanics/system.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

typedef struct dm_quaternion_system dm_quaternion_system;

// The system of a tree from outside (lib/multibody/ball_joint.h).
//   tree    the tree, model: it from outside; both borrowed
//   inside  its system: the Lagrangian with springs, constraints, loads; what it points at must
//           outlive this, and so must tree and model
// Returns DM_OK, DM_NO_MEMORY, or what L returns at rest. An evaluation costs the tree's, and
// O(nq^2) products; it does not allocate.
dm_status dm_quaternion_system_new(dm_quaternion_system **out, const dm_model *tree,
                                   const dm_model *model, const dm_system *inside);
void dm_quaternion_system_free(dm_quaternion_system *w);
dm_system dm_quaternion_system_of(const dm_quaternion_system *w);

DM_END_C
#endif
