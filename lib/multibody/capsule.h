// lib/multibody/capsule.h: a small capsule that encloses points (of a box or a mesh), and its
// largest distance from their convex hull.
//
// The smallest capsule |x - c(t)| <= r, c(t) = (1-t) a + t b, around points v_i minimizes
//
//   V = pi r^2 (|b - a| + 4/3 r)        r = max_i min_t |v_i - c(t)|
//
// For an axis along a direction u through the center of the points, V depends on the length of the
// axis only. The search takes the best of 64 directions and of x, y, z, and improves it by random
// moves of a and b with decreasing size. The result is a small capsule, not necessarily the
// smallest one.
//
// For convex bodies, the largest distance of the outer body from the inner one is the largest
// difference of their support functions. The support of a capsule is attained at its ends, so
//
//   excess = r - min over both ends of their depth in the hull
//
// where depth is the distance from the nearest face of the hull, negative outside the hull.
#ifndef DM_MULTIBODY_CAPSULE_H
#define DM_MULTIBODY_CAPSULE_H
#include "lib/base/status.h"

DM_BEGIN_C

typedef struct dm_capsule {
  double end[2][3]; // ends of the axis; equal for a sphere [m]
  double radius;    // m
  double excess;    // the largest distance of the capsule's surface from the convex hull [m]
} dm_capsule;

// Find a small capsule that encloses n points x [n x 3] m. It is a sphere if its axis would be
// shorter than a thousandth of its radius. If n > 512, the hull is computed from the extreme points
// in 512 directions; the reported excess may then be too large, but never too small. Returns DM_OK;
// DM_BAD_INPUT if the points lie in a plane or n < 4, with out untouched; DM_NO_MEMORY. Allocates.
// Cost: 512 n products, below 0.1 s.
dm_status dm_capsule_about(int n, const double *x, dm_capsule *out);

DM_END_C
#endif
