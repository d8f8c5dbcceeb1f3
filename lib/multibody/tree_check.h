// lib/multibody/tree_check.h: checks the description of a tree before it becomes a model.
#ifndef DM_MULTIBODY_TREE_CHECK_H
#define DM_MULTIBODY_TREE_CHECK_H
#include "lib/multibody/tree_parts.h"

// Whether coordinate c, or the coordinate that it copies, is locked.
//   value  out: the position of c if it is locked [m or rad]; or NULL
bool dm_tree_locked(const dm_tree *t, int c, double *value);

// Check a tree's numbers, indices and names. Returns DM_OK, or DM_BAD_INPUT with a sentence that begins
// with the part.
dm_status dm_tree_check(const dm_tree *t, dm_message *msg);
#endif
