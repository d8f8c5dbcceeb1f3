// lib/multibody/shape.h: convex shapes of bodies and of the world, and the signed distance D(x) of
// a point x in the frame of a shape, negative inside.
//
//   half-space  D = z                            inside is the half-space below the plane z = 0
//   sphere      D = |x| - radius
//   capsule     D = |x - c| - radius             c is the nearest point of the axis, |z| <= half[2]
//   cylinder    a box in the plane (rho, z)      rho = |(x, y)| <= radius, |z| <= half[2]
//   box         D = |max(|x_i| - half_i, 0)|     outside; inside the largest of |x_i| - half_i
//
// D is convex and its gradient has norm 1. Second derivatives are discontinuous if the nearest
// point passes an edge. half[2] of a capsule or cylinder may be INFINITY.
//
// A swept sphere is a point or a segment with a radius. Its clearance from a shape is the least D
// along it minus the radius. For a segment that passes entirely through a shape, this depth is
// constant and the gradient of D vanishes.
#ifndef DM_MULTIBODY_SHAPE_H
#define DM_MULTIBODY_SHAPE_H
#include "lib/base/status.h"

DM_BEGIN_C

// The kinds: DM_SHAPE_NAME; the keyword in problem files; the required fields; the optional fields.
// To add a kind, add a row, and its distance in shape.c.
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
  double half[3]; // half of its length along z, or of its edges         [m]
} dm_shape;

// The distance D at x [3]; order 1 also writes its gradient D_x [3], order 2 its Hessian D_xx [3 x
// 3]; arguments above the order may be NULL. At points without a derivative (the center of a
// sphere, for example) the derivatives are not finite.
double dm_shape_distance(const dm_shape *s, int order, const double x[3], double *D_x,
                         double *D_xx);

// The derivative of the Hessian along y [3], at x outside of the shape.
//   D_xx_y  out: [3 x 3]
void dm_shape_hessian_along(const dm_shape *s, const double x[3], const double y[3],
                            double D_xx_y[9]);

// The least D along the segment from x[0..2] to x[3..5], with its gradient [6] and Hessian [6 x 6]
// with respect to both ends. If the nearest point is inside the segment, the implicit function
// theorem gives its dependence on the ends. Cost: about ten gradients of D.
double dm_shape_distance_segment(const dm_shape *s, int order, const double x[6], double *D_x,
                                 double *D_xx);

DM_END_C
#endif
