// lib/discrete/repeated_rows.h: rows of constraints that say along the whole motion what others say: a
// loop of a plane that is closed by a point in space, a foot that two bars hold.
//
// Of those the impulses are not unique, and the systems of a step singular. Without them the motion is
// the same; what forces they have is what a rigid robot does not say.
#ifndef DM_DISCRETE_REPEATED_ROWS_H
#define DM_DISCRETE_REPEATED_ROWS_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// Which rows of s->hol follow from the others. From six of at most twenty-four random places brought onto
// the constraints, all coordinates free, from which the robot can move: the rank of Dh there is that of the motion, and the rows that a
// pivoted QR leaves over at one place are repeated if the others have this rank at each.
//   repeated  out [nc]: all false where nothing is repeated, or fewer than two places are found
// Returns how many are repeated, in *count; DM_OK or DM_NO_MEMORY. Allocates; costs some projections
// (lib/discrete/assembly.h).
dm_status dm_repeated_rows(const dm_system *s, bool *repeated, int *count);

DM_END_C
#endif
