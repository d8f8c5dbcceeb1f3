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

DM_END_C
#endif
