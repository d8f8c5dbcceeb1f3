#include "lib/spatial.h"

#include <math.h>

const dm_pose dm_identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};

dm_pose dm_pose_rpy(const double rpy[3], const double p[3]) {
  double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]),
         sy = sin(rpy[2]);
  return (dm_pose){
      dm_v(cy * cp, sy * cp, -sp), dm_v(cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr),
      dm_v(cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr), dm_v(p[0], p[1], p[2])};
}

// Huygens and Steiner for a shift r of the origin by which every point moves to r + x:
// sum of m ((r.r + 2 r.x) 1 - r r' - r x' - x r') over the body
static void shift(dm_inertia *I, dm_vec r) {
  double rr = dm_dot(r, r), rc = dm_dot(r, I->c), m = I->m, d = m * rr + 2 * rc;
  dm_vec c = I->c;
  I->xx += d - m * r.x * r.x - 2 * r.x * c.x;
  I->yy += d - m * r.y * r.y - 2 * r.y * c.y;
  I->zz += d - m * r.z * r.z - 2 * r.z * c.z;
  I->xy -= m * r.x * r.y + r.x * c.y + r.y * c.x;
  I->xz -= m * r.x * r.z + r.x * c.z + r.z * c.x;
  I->yz -= m * r.y * r.z + r.y * c.z + r.z * c.y;
  I->c = dm_add(c, dm_mul(m, r));
}

dm_inertia dm_inertia_move(const dm_inertia *I, const dm_pose *T) {
  // R J R' by columns: J R' has rows J's image of R's rows
  dm_vec rx = dm_v(T->x.x, T->y.x, T->z.x), ry = dm_v(T->x.y, T->y.y, T->z.y),
         rz = dm_v(T->x.z, T->y.z, T->z.z);
#define J(r)                                                                                       \
  dm_v(I->xx *r.x + I->xy * r.y + I->xz * r.z, I->xy * r.x + I->yy * r.y + I->yz * r.z,            \
       I->xz * r.x + I->yz * r.y + I->zz * r.z)
  dm_vec jx = J(rx), jy = J(ry), jz = J(rz);
#undef J
  dm_inertia out = {.m = I->m,
                    .c = dm_rotate(T, I->c),
                    .xx = dm_dot(rx, jx),
                    .yy = dm_dot(ry, jy),
                    .zz = dm_dot(rz, jz),
                    .xy = dm_dot(rx, jy),
                    .xz = dm_dot(rx, jz),
                    .yz = dm_dot(ry, jz)};
  shift(&out, T->p);
  return out;
}

dm_inertia dm_inertia_about(double mass, const double centre[3], const double inertia[6]) {
  dm_inertia I = {.m = mass,
                  .xx = inertia[0],
                  .yy = inertia[1],
                  .zz = inertia[2],
                  .xy = inertia[3],
                  .xz = inertia[4],
                  .yz = inertia[5]};
  shift(&I, dm_v(centre[0], centre[1], centre[2]));
  return I;
}
