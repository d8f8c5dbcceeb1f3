// lib/multibody/tree_lagrangian.h: the Lagrangian of a tree and its derivatives, by recursions over
// its joints.
//
// World-frame spatial vectors; S_i the screw of joint i, V_i = V_p(i) + S_i v_i, Sd_i = [V_i,S_i];
// composites over the subtree of i: inertia Ic_i, momentum hc_i = sum I_b V_b, first moment c_i.
// With   a1_i = Ic_i S_i     a2_i = S_i x* hc_i + Ic_i Sd_i     a3_i = (w_i x c_i + m_i v_i) x g
// every pair j <= i (j is i or above it) is a dot product with j's own vectors:
//
//   L_v,i   = S_i.hc_i               L_q,i = Sd_i.hc_i + S_i.(c_i x g, m_i g)
//   M_ij    = S_j.a1_i               d2L/dv_i dq_j = Sd_j.a1_i
//   d2L/dq_i dv_j = S_j.a2_i         d2L/dq_i dq_j = Sd_j.a2_i + w_j.a3_i
//
// and T(a) is the derivative of those lines along (a_q,a_v). An armature a adds a v^2/2 of its coordinate;
// that of a ball joint a |w|^2/2, w the rate of the joint's turn. Ancestors of i are visited as runs of
// consecutive joints, so the inner loops are contiguous.
//
// Cost: O(n depth) for each of the Hessian and T(a), O(n) for the gradient. No allocation.
// Source: section 3 of docs/theory.md.
#ifndef DM_MULTIBODY_TREE_LAGRANGIAN_H
#define DM_MULTIBODY_TREE_LAGRANGIAN_H
#include "lib/mechanics/lagrangian.h"
#include "lib/mechanics/momentum_map.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

// The Lagrangian of a tree, for whoever takes a dm_lagrangian. m must outlive it.
dm_lagrangian dm_tree_lagrangian(const dm_model *m);

// The momentum of the whole tree at (q,v) about the world's origin: moment [N m s], then linear
// momentum [N s]. Constant along unforced motions without gravity of a free-floating tree.
void dm_tree_momentum(const dm_model *m, void *scratch, const double *q, const double *v,
                      double mu[6]);

// The same for whoever takes a dm_momentum_map. m must outlive it.
dm_momentum_map dm_tree_momentum_map(const dm_model *m);

// The frame of every joint in the world at q: X [nj].
void dm_tree_frames(const dm_model *m, const double *q, dm_pose *X);

// Those of so many joints alone, parents first and every joint above them among them; NULL: the first ones.
void dm_tree_frames_of(const dm_model *m, int count, const int *joint, const double *q, dm_pose *X);

// The pose of body b in the world at q, with a scratch of dm_lagrangian.scratch bytes.
dm_pose dm_tree_pose(const dm_model *m, void *scratch, const double *q, int b);

DM_END_C
#endif
