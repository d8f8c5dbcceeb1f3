// lib/multibody/quaternion_system.h: the system of a tree with ball joints in unit quaternions: V =
// R^n, with Q the subset |q|^2 = 1.
//
//   L(q,v) = Lt(turns(q), rates(q,v)) + 2 c (q.v)^2
//   h(q) = ht(turns(q)),  |q|^2 - 1         f(q,v,u) = turns_q' ft(turns(q), rates(q,v), u)
//
// where t marks quantities of the tree, other coordinates are unchanged, and (turns, rates) with
// their derivatives come from lib/multibody/quaternion.h. The module implements the chain rule of
// this composition to third order:
//
//   J = (turns_q 0; rates_q rates_v)    L_zz = J' H J + dL.J'     z = (q,v), H of the tree
//   T(a) = J' Tt(Ja) J + Ja' H J + J' H Ja + (H Ja).J' + dL.Ja'   (Ja: J along a; J', Ja' as forms)
//
// The last term of L makes its mass matrix regular. It does not change motions of the midpoint
// rule, for which q.v = (|q1|^2 - |q0|^2) / 2h = 0. A single rigid body then follows the
// Moser-Veselov equations: spatial momentum and energy are conserved to rounding.
//
// Source: paper 004, sections 4 and 5; docs/theory.md section 23.
#ifndef DM_MULTIBODY_QUATERNION_SYSTEM_H
#define DM_MULTIBODY_QUATERNION_SYSTEM_H
#include "lib/mechanics/system.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

typedef struct dm_quaternion_system dm_quaternion_system;

// Create the system of a tree in external coordinates (lib/multibody/ball_joint.h).
//   tree    the tree, and its external model; both borrowed
//   inside  the internal system: the Lagrangian with springs, constraints, loads; its data, tree
//           and model must outlive the result
// Returns DM_OK, DM_NO_MEMORY, or the status of L at rest. An evaluation costs one evaluation of
// the tree and O(nq^2) products; it does not allocate.
dm_status dm_quaternion_system_new(dm_quaternion_system **out, const dm_model *tree,
                                   const dm_model *model, const dm_system *inside);
void dm_quaternion_system_free(dm_quaternion_system *w);
dm_system dm_quaternion_system_of(const dm_quaternion_system *w);

DM_END_C
#endif
