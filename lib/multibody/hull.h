// lib/multibody/hull.h: the convex hull of points in space, as triangles.
//
//   1. a tetrahedron of points far apart; every other point goes to a side that it is above
//   2. of a side with points the farthest one, p: the sides that p is above, from that one over their
//      neighbors, are replaced by triangles from p to the edges around them
//   3. the points of the replaced sides go to the new sides; on until no side has points
//
// Distances below 1e-12 of the size count as zero, so that points in a plane make few sides. Cost:
// O(n log n) for points in general position.
//
// Source: [barber-1996] in docs/sources.md.
#ifndef DM_MULTIBODY_HULL_H
#define DM_MULTIBODY_HULL_H
#include "lib/base/status.h"

DM_BEGIN_C

// The sides of the hull of points x [n x 3], corners by their numbers, seen from outside against the
// clock.
//   out    [2 n - 4 or less x 3] room for 2 n; *sides of them are written
// Returns DM_OK, DM_BAD_INPUT if the points lie in a plane or a number is not finite, DM_NO_MEMORY.
dm_status dm_hull_find(int n, const double *x, int (*out)[3], int *sides);

DM_END_C
#endif
