// lib/discrete/repeated_rows.h: redundant constraint rows, which follow from the other rows along
// the whole motion.
//
// Examples are a planar loop closed by a point constraint in space, and a plate on three parallel
// cranks. The impulses of redundant rows are not unique, and the linear systems of a step are
// singular. Removing the rows does not change the motion; a rigid model does not determine how the
// rows share the forces.
#ifndef DM_DISCRETE_REPEATED_ROWS_H
#define DM_DISCRETE_REPEATED_ROWS_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// Find the redundant rows of s->hol. The function projects random positions on the constraints,
// with all coordinates free, until it has six positions with a remaining degree of freedom, or has
// tried 24. The largest rank of Dh at these positions is the rank of the motion. The rows that a
// pivoted QR factorization drops at one position are redundant if the other rows have this rank at
// every position.
//   repeated  out [nc]; all false if no row is redundant or fewer than two positions are found
//   count     out: number of redundant rows
// Returns DM_OK or DM_NO_MEMORY. Allocates. Cost: up to 24 projections (lib/discrete/assembly.h).
dm_status dm_repeated_rows(const dm_system *s, bool *repeated, int *count);

// Where along a motion a row nearly follows from the others.
typedef struct dm_weak_row {
  int row;      // of s->hol; -1: unknown, since no position could be evaluated
  double knot;  // between two knots if it is not whole
  double share; // of the largest independent part of the weakest row along the motion, in [0, 1]
} dm_weak_row;

// Find the position of a motion q [(N+1) x n] at which the rows of s->hol are nearest to
// dependence: the last pivot of a pivoted QR factorization of Dh with rows of length 1, compared
// with its largest value along the motion. Looks at knots and at positions between them, since a
// motion steps over a singular one. Returns DM_OK or DM_NO_MEMORY. Allocates.
dm_status dm_weakest_row(const dm_system *s, int N, const double *q, dm_weak_row *out);

DM_END_C
#endif
