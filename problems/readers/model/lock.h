// problems/readers/model/lock.h: `model.lock`: joints that stand still at a value, fingers and the
// like.
#ifndef PB_MODEL_LOCK_H
#define PB_MODEL_LOCK_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

// Lock joints of a tree at the values of a mapping from their names; those that copy them follow.
// NULL: none. The reader then knows their names. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for a
// joint that is not there, that copies another, is one of a ball joint's turns or kinematic, or a
// value beyond the limits of it or of what copies it.
dm_status pb_lock_read(pb_tree *t, const pb_node *node);
#endif
