// lib/multibody/spatial.h: motions, momenta and inertias in the world frame.
//
// A motion is X = (w, v): angular velocity, and linear velocity of the point at the origin. A
// momentum or force is mu = (moment about the origin, force). Their pairing is a power or an
// energy.
//
//   bracket   [X,Y] = (w_X x w_Y, w_X x v_Y + v_X x w_Y)
//   dual      X x* mu = (w x m + v x f, w x f), with [X,Y].mu = -Y.(X x* mu)
//
// Source: docs/theory.md section 3; [featherstone-2008] in docs/sources.md.
#ifndef DM_MULTIBODY_SPATIAL_H
#define DM_MULTIBODY_SPATIAL_H
#include "lib/base/linkage.h"

#define REAL double
#include "lib/multibody/spatial.inc"
#undef REAL

DM_BEGIN_C

extern const dm_pose dm_identity;

// The components: w, then v.
static inline void dm_spatial_list(dm_spatial X, double out[6]) {
  const double part[6] = {X.w.x, X.w.y, X.w.z, X.v.x, X.v.y, X.v.z};
  for (int i = 0; i < 6; i++) out[i] = part[i];
}

// The pose with position p [m] and the rotation by roll, pitch, yaw [rad] about the fixed axes x,
// y, z in this order (URDF's rpy).
dm_pose dm_pose_rpy(const double rpy[3], const double p[3]);

// The pose at p [m] with axis z along a unit vector a and arbitrary x and y.
dm_pose dm_pose_along(dm_vec a, dm_vec p);

// The pose B relative to the frame A: A^-1 B, both given in the same frame.
dm_pose dm_pose_relative(const dm_pose *A, const dm_pose *B);

// The unit quaternion (w,x,y,z) of a pose's rotation, with the largest component positive.
void dm_pose_quaternion(const dm_pose *A, double q[4]);

// The inertia about a frame's origin, from mass [kg], center of mass [m] in the frame, and the
// rotational inertia about the center (xx, yy, zz, xy, xz, yz) [kg m2].
dm_inertia dm_inertia_about(double mass, const double centre[3], const double inertia[6]);

DM_END_C
#endif
