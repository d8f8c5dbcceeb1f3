// lib/multibody/capsule.h: a small capsule about points, those of a box or of a mesh, and how far it
// stands out of their convex hull.
//
// Of all capsules |x - c(t)| <= r, c(t) = (1-t) a + t b, about points v_i the smallest has the least
//
//   V = pi r^2 (|b - a| + 4/3 r)        r = max_i min_t |v_i - c(t)|
//
// For an axis along a direction u through the middle of the points V depends on its length alone: the
// best of 64 directions and of x, y, z is taken, and improved by random moves of a and b, shorter and
// shorter ones. It is a small one and need not be the smallest of all.
//
// A convex body's largest distance from another within it is the largest difference of their supports
// over directions. A capsule's are those of its ends, and so
//
//   excess = r - min over both ends of their depth in the hull
//
// with the depth the distance from the hull's nearest side, below zero outside of it.
#ifndef DM_MULTIBODY_CAPSULE_H
#define DM_MULTIBODY_CAPSULE_H
#include "lib/base/status.h"

DM_BEGIN_C

typedef struct dm_capsule {
  double end[2][3]; // of its axis; both the same: a sphere                                  [m]
  double radius;    // m
  double excess;    // the largest distance of its surface from the points' convex hull      [m]
} dm_capsule;

// Find a small capsule about n points x [n x 3] m; each is within it. It is a sphere where its axis
// would be shorter than a thousandth of its radius. Of more than 512 points those that are the
// furthest in 512 directions stand for their hull, and the excess may be stated larger than it is; it
// is never stated smaller. Returns DM_OK; DM_BAD_INPUT where the points lie in a plane, or are fewer
// than four, with out untouched; DM_NO_MEMORY. Allocates. Cost: 512 n products, and less than 0.1 s.
dm_status dm_capsule_about(int n, const double *x, dm_capsule *out);

DM_END_C
#endif
