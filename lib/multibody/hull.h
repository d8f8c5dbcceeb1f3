// lib/multibody/hull.h: the convex hull of points in space, as triangles (quickhull).
//
//   1  start with a tetrahedron of distant points; assign every other point to a face that it is
//      above
//   2  for a face with points, take the farthest one, p; find the connected faces below p and
//      replace them by triangles from p to their horizon
//   3  reassign the points of the replaced faces to the new faces; repeat until no face has points
//
// Distances below 1e-12 of the size of the point set count as zero, so that coplanar points do not
// create extra faces. Cost: O(n log n) for points in general position.
//
// Source: [barber-1996] in docs/sources.md.
#ifndef DM_MULTIBODY_HULL_H
#define DM_MULTIBODY_HULL_H
#include "lib/base/status.h"

DM_BEGIN_C

// Compute the faces of the convex hull of points x [n x 3]. The corners of a face are indices of
// points, counterclockwise as seen from outside.
//   out    [at most 2 n - 4 x 3] with room for 2 n; *sides faces are written
// Returns DM_OK; DM_BAD_INPUT if the points lie in a plane or a number is not finite; DM_NO_MEMORY.
dm_status dm_hull_find(int n, const double *x, int (*out)[3], int *sides);

DM_END_C
#endif
