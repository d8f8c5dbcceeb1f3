// lib/multibody/tree_lagrangian.h: the Lagrangian of a tree and its derivatives, by recursions over
// its joints.
//
// Spatial vectors are in the world frame; S_i is the screw of joint i, V_i = V_p(i) + S_i v_i, Sd_i
// = [V_i,S_i]. Composites over the subtree of i: inertia Ic_i, momentum hc_i = sum I_b V_b, first
// moment c_i. With
//   a1_i = Ic_i S_i     a2_i = S_i x* hc_i + Ic_i Sd_i     a3_i = (w_i x c_i + m_i v_i) x g
// every pair j <= i (j is i or an ancestor of i) is a dot product with j's own vectors:
//
//   L_v,i   = S_i.hc_i               L_q,i = Sd_i.hc_i + S_i.(c_i x g, m_i g)
//   M_ij    = S_j.a1_i               d2L/dv_i dq_j = Sd_j.a1_i
//   d2L/dq_i dv_j = S_j.a2_i         d2L/dq_i dq_j = Sd_j.a2_i + w_j.a3_i
//
// and T(a) is the derivative of these equations along (a_q,a_v). An armature a of a coordinate adds
// a v^2/2; an armature of a ball joint adds a |w|^2/2 with w the angular velocity across the joint.
// Ancestors of i are visited as runs of consecutive joints, so that the inner loops are contiguous.
//
// Cost: O(n depth) for each of the Hessian and T(a), O(n) for the gradient. No allocation.
// Source: docs/theory.md section 3.
#ifndef DM_MULTIBODY_TREE_LAGRANGIAN_H
#define DM_MULTIBODY_TREE_LAGRANGIAN_H
#include "lib/mechanics/lagrangian.h"
#include "lib/mechanics/momentum_map.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

// The Lagrangian of a tree as a dm_lagrangian. m must outlive it.
dm_lagrangian dm_tree_lagrangian(const dm_model *m);

// The momentum of the whole tree at (q,v) about the world's origin: angular momentum [N m s], then
// linear momentum [N s]. It is constant for a free-floating tree without forces and gravity.
void dm_tree_momentum(const dm_model *m, void *scratch, const double *q, const double *v,
                      double mu[6]);

// The same as a dm_momentum_map. m must outlive it.
dm_momentum_map dm_tree_momentum_map(const dm_model *m);

// The world frame of every joint at q: X [nj].
void dm_tree_frames(const dm_model *m, const double *q, dm_pose *X);

// The frames of `count` joints only, parents first and with all their ancestors; joint NULL: the
// first ones.
void dm_tree_frames_of(const dm_model *m, int count, const int *joint, const double *q, dm_pose *X);

// The world pose of body b at q; needs dm_lagrangian.scratch bytes of scratch.
dm_pose dm_tree_pose(const dm_model *m, void *scratch, const double *q, int b);

DM_END_C
#endif
