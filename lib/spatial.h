// lib/spatial.h: motions, momenta and inertias in the world's frame.
//
// A motion is X = (w, v): angular velocity, and linear velocity of the point at the origin. A
// momentum or force is mu = (moment about the origin, force). Their pairing is power or energy.
//
//   bracket   [X,Y] = (w_X x w_Y, w_X x v_Y + v_X x w_Y)
//   its dual  X x* mu = (w x m + v x f, w x f),   so that [X,Y].mu = -Y.(X x* mu)
//
// Source: MATH section 3 in docs/theory.md; [featherstone-2008] in docs/sources.md.
#ifndef DM_LIB_SPATIAL_H
#define DM_LIB_SPATIAL_H

typedef struct dm_vec {
  double x, y, z;
} dm_vec;

// A motion (angular w, linear v) or a momentum (moment w, force v).
typedef struct dm_spatial {
  dm_vec w, v;
} dm_spatial;

// A rotation, by its columns, and a place [m].
typedef struct dm_pose {
  dm_vec x, y, z, p;
} dm_pose;

// Rigid inertia about the origin of a frame: mass [kg], first moment [kg m], and the symmetric
// rotational inertia [kg m2]. Sums of bodies and derivatives along motions are of the same form.
typedef struct dm_inertia {
  double m;
  dm_vec c;
  double xx, yy, zz, xy, xz, yz;
} dm_inertia;

static inline dm_vec dm_v(double x, double y, double z) {
  return (dm_vec){x, y, z};
}
static inline dm_vec dm_add(dm_vec a, dm_vec b) {
  return dm_v(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline dm_vec dm_sub(dm_vec a, dm_vec b) {
  return dm_v(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline dm_vec dm_mul(double s, dm_vec a) {
  return dm_v(s * a.x, s * a.y, s * a.z);
}
static inline double dm_dot(dm_vec a, dm_vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline dm_vec dm_cross(dm_vec a, dm_vec b) {
  return dm_v(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline dm_spatial dm_sadd(dm_spatial a, dm_spatial b) {
  return (dm_spatial){dm_add(a.w, b.w), dm_add(a.v, b.v)};
}
static inline dm_spatial dm_smul(double s, dm_spatial a) {
  return (dm_spatial){dm_mul(s, a.w), dm_mul(s, a.v)};
}
static inline double dm_pair(dm_spatial a, dm_spatial b) {
  return dm_dot(a.w, b.w) + dm_dot(a.v, b.v);
}
// [X,Y]
static inline dm_spatial dm_bracket(dm_spatial X, dm_spatial Y) {
  return (dm_spatial){dm_cross(X.w, Y.w), dm_add(dm_cross(X.w, Y.v), dm_cross(X.v, Y.w))};
}
// X x* mu
static inline dm_spatial dm_dual(dm_spatial X, dm_spatial mu) {
  return (dm_spatial){dm_add(dm_cross(X.w, mu.w), dm_cross(X.v, mu.v)), dm_cross(X.w, mu.v)};
}

// R a, with R the pose's rotation
static inline dm_vec dm_rotate(const dm_pose *T, dm_vec a) {
  return dm_v(T->x.x * a.x + T->y.x * a.y + T->z.x * a.z,
              T->x.y * a.x + T->y.y * a.y + T->z.y * a.z,
              T->x.z * a.x + T->y.z * a.y + T->z.z * a.z);
}
// R' a
static inline dm_vec dm_unrotate(const dm_pose *T, dm_vec a) {
  return dm_v(dm_dot(T->x, a), dm_dot(T->y, a), dm_dot(T->z, a));
}
// the point a of the frame T, seen from outside
static inline dm_vec dm_place(const dm_pose *T, dm_vec a) {
  return dm_add(T->p, dm_rotate(T, a));
}
// A B
static inline dm_pose dm_compose(const dm_pose *A, const dm_pose *B) {
  return (dm_pose){dm_rotate(A, B->x), dm_rotate(A, B->y), dm_rotate(A, B->z), dm_place(A, B->p)};
}

// I X: the momentum of a rigid inertia in motion X
static inline dm_spatial dm_momentum(const dm_inertia *I, dm_spatial X) {
  dm_vec Iw = dm_v(I->xx * X.w.x + I->xy * X.w.y + I->xz * X.w.z,
                   I->xy * X.w.x + I->yy * X.w.y + I->yz * X.w.z,
                   I->xz * X.w.x + I->yz * X.w.y + I->zz * X.w.z);
  return (dm_spatial){dm_add(Iw, dm_cross(I->c, X.v)),
                      dm_add(dm_mul(I->m, X.v), dm_cross(X.w, I->c))};
}
static inline void dm_inertia_add(dm_inertia *sum, const dm_inertia *I) {
  sum->m += I->m;
  sum->c = dm_add(sum->c, I->c);
  sum->xx += I->xx, sum->yy += I->yy, sum->zz += I->zz;
  sum->xy += I->xy, sum->xz += I->xz, sum->yz += I->yz;
}

extern const dm_pose dm_identity;

// The pose of a rotation by roll, pitch, yaw [rad] about the fixed axes x, y, z in turn (URDF's
// rpy), at p [m].
dm_pose dm_pose_rpy(const double rpy[3], const double p[3]);

// The inertia I, given in frame T, about the origin of the frame that T is given in.
dm_inertia dm_inertia_move(const dm_inertia *I, const dm_pose *T);

// The inertia about a frame's origin from mass, centre of mass [m] in the frame, and the
// rotational inertia about the centre (xx, yy, zz, xy, xz, yz) [kg m2].
dm_inertia dm_inertia_about(double mass, const double centre[3], const double inertia[6]);
#endif
