#include "lib/multibody/spatial.h"

#include <math.h>

const dm_pose dm_identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};

dm_pose dm_pose_rpy(const double rpy[3], const double p[3]) {
  double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]),
         sy = sin(rpy[2]);
  return (dm_pose){
      dm_v(cy * cp, sy * cp, -sp), dm_v(cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr),
      dm_v(cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr), dm_v(p[0], p[1], p[2])};
}

dm_pose dm_pose_along(dm_vec a, dm_vec p) {
  // e: the axis x or y that is further from a; x = e x a / |e x a|, y = a x x
  const dm_vec e = fabs(a.x) <= fabs(a.y) ? dm_v(1, 0, 0) : dm_v(0, 1, 0);
  dm_vec x = dm_cross(e, a);
  x = dm_mul(1 / sqrt(dm_dot(x, x)), x);
  return (dm_pose){x, dm_cross(a, x), a, p};
}

dm_inertia dm_inertia_about(double mass, const double centre[3], const double inertia[6]) {
  dm_inertia I = {.m = mass,
                  .xx = inertia[0],
                  .yy = inertia[1],
                  .zz = inertia[2],
                  .xy = inertia[3],
                  .xz = inertia[4],
                  .yz = inertia[5]};
  dm_shift(&I, dm_v(centre[0], centre[1], centre[2]));
  return I;
}
