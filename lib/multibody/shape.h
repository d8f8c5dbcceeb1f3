// lib/multibody/shape.h: convex shapes that bodies and the world have, and the signed distance D(x) of
// a point x in a shape's own frame: below zero inside.
//
//   half-space  D = z                            all below the plane z = 0 is inside
//   sphere      D = |x| - radius
//   capsule     D = |x - c| - radius             c the nearest point of the axis, |z| <= half[2]
//   cylinder    of the plane (rho, z), a box     rho = |(x, y)| <= radius, |z| <= half[2]
//   box         D = |max(|x_i| - half_i, 0)|     or inside the largest of |x_i| - half_i
//
// D is convex and has gradients of length 1; second derivatives jump where the nearest point passes
// an edge. A capsule's or cylinder's half[2] may be INFINITY.
//
// A swept sphere is a point or a segment with a radius; its clearance from a shape is the least D
// along it, less the radius. A segment right through a shape is as deep as can be, and its D then has
// no slope.
#ifndef DM_MULTIBODY_SHAPE_H
#define DM_MULTIBODY_SHAPE_H
#include "lib/base/status.h"

DM_BEGIN_C

// The kinds: DM_SHAPE_NAME; the word of problem files; the fields that it must have, and those that
// it may. A kind more is a row, and its distance in shape.c.
#define DM_SHAPE_KINDS(X)                                                                          \
  X(HALF_SPACE, half_space, "half-space", "axis", "body point")                                    \
  X(SPHERE, sphere, "sphere", "radius", "body point")                                              \
  X(CAPSULE, capsule, "capsule", "radius points", "body")                                          \
  X(CYLINDER, cylinder, "cylinder", "radius axis", "body point length")                            \
  X(BOX, box, "box", "size", "body point rpy")

#define DM_SHAPE_KIND(NAME, name, word, must, may) DM_SHAPE_##NAME,
typedef enum dm_shape_kind { DM_SHAPE_KINDS(DM_SHAPE_KIND) DM_SHAPE_KIND_COUNT } dm_shape_kind;
#undef DM_SHAPE_KIND

typedef struct dm_shape {
  dm_shape_kind kind;
  double radius;  // m
  double half[3]; // half of its length along z, or of its sizes         [m]
} dm_shape;

// D at x [3], of order 1 its gradient D_x [3], of order 2 its Hessian D_xx [3 x 3]; NULL below their
// order. Where D has no derivative (at the middle of a sphere, say) these are not finite.
double dm_shape_distance(const dm_shape *s, int order, const double x[3], double *D_x,
                         double *D_xx);

// The least D along the segment from x[0..2] to x[3..5], with its gradient [6] and its Hessian
// [6 x 6] by both ends: where the nearest point is within the segment it follows them, by the implicit
// function theorem. About ten evaluations of D's slope.
double dm_shape_distance_segment(const dm_shape *s, int order, const double x[6], double *D_x,
                                 double *D_xx);

DM_END_C
#endif
