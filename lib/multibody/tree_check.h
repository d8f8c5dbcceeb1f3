// lib/multibody/tree_check.h: checks the description of a tree before compilation.
#ifndef DM_MULTIBODY_TREE_CHECK_H
#define DM_MULTIBODY_TREE_CHECK_H
#include "lib/multibody/tree_parts.h"

// Returns true if coordinate c, or the coordinate that it mimics, is locked.
//   value  out: the position of c if it is locked [m or rad]; may be NULL
bool dm_tree_locked(const dm_tree *t, int c, double *value);

// Check the numbers, indices and names of a tree. Returns DM_OK, or DM_BAD_INPUT with a sentence
// that starts with the name of the part.
dm_status dm_tree_check(const dm_tree *t, dm_message *msg);
#endif
