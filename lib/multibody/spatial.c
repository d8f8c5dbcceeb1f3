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
  // e: the axis x or y farther from a; x = e x a / |e x a|, y = a x x
  const dm_vec e = fabs(a.x) <= fabs(a.y) ? dm_v(1, 0, 0) : dm_v(0, 1, 0);
  dm_vec x = dm_cross(e, a);
  x = dm_mul(1 / sqrt(dm_dot(x, x)), x);
  return (dm_pose){x, dm_cross(a, x), a, p};
}

dm_pose dm_pose_relative(const dm_pose *A, const dm_pose *B) {
  return (dm_pose){dm_unrotate(A, B->x), dm_unrotate(A, B->y), dm_unrotate(A, B->z),
                   dm_unrotate(A, dm_sub(B->p, A->p))};
}

void dm_pose_quaternion(const dm_pose *A, double q[4]) {
  // rows of 4 q q' from the entries of the rotation; the row with the largest diagonal is 4 q_i q
  const double a = A->x.x, b = A->y.y, c = A->z.z;
  const double row[4][4] = {
      {1 + a + b + c, A->y.z - A->z.y, A->z.x - A->x.z, A->x.y - A->y.x},
      {A->y.z - A->z.y, 1 + a - b - c, A->x.y + A->y.x, A->z.x + A->x.z},
      {A->z.x - A->x.z, A->x.y + A->y.x, 1 - a + b - c, A->y.z + A->z.y},
      {A->x.y - A->y.x, A->z.x + A->x.z, A->y.z + A->z.y, 1 - a - b + c},
  };
  int most = 0;
  for (int i = 1; i < 4; i++)
    if (row[i][i] > row[most][most]) most = i;

  // the diagonal is 4 q_i^2
  const double scale = 0.5 / sqrt(row[most][most]);
  for (int i = 0; i < 4; i++) q[i] = scale * row[most][i];
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
