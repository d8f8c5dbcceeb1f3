// lib/discrete/repeated_rows.h: constraint rows that follow from the other rows along the whole motion.
//
// Examples are a planar loop that a point closes in space, and a plate on three parallel cranks. Their
// impulses are not unique, and the linear systems of a step are singular. Without the repeated rows the
// motion is the same; a rigid model does not determine how the rows share the forces.
#ifndef DM_DISCRETE_REPEATED_ROWS_H
#define DM_DISCRETE_REPEATED_ROWS_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// Find the repeated rows of s->hol. The function projects random positions onto the constraints, with all
// coordinates free, until it has six positions that leave a degree of freedom, or has tried 24. The largest
// rank of Dh there is the rank of the motion. The rows that a pivoted QR factorization leaves over at one
// position are repeated if the other rows have this rank at every position.
//   repeated  out [nc]; all false if no row is repeated or fewer than two positions are found
//   count     out: the number of repeated rows
// Returns DM_OK or DM_NO_MEMORY. Allocates. Costs up to 24 projections (lib/discrete/assembly.h).
dm_status dm_repeated_rows(const dm_system *s, bool *repeated, int *count);

DM_END_C
#endif
