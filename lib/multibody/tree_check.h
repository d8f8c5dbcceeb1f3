// lib/multibody/tree_check.h: what is wrong with the description of a tree, in words, before it becomes a
// model.
#ifndef DM_MULTIBODY_TREE_CHECK_H
#define DM_MULTIBODY_TREE_CHECK_H
#include "lib/multibody/tree_parts.h"

// Whether coordinate c, or the one it copies, is locked. value: out, that of c then; or NULL.
bool dm_tree_locked(const dm_tree *t, int c, double *value);

// Check a tree's numbers, indices and names. Returns DM_OK, or DM_BAD_INPUT with a sentence that begins
// with the part.
dm_status dm_tree_check(const dm_tree *t, dm_message *msg);
#endif
