// problems/readers/model/lock.h: read `model.lock`: joints held at a value, for example fingers.
#ifndef PB_MODEL_LOCK_H
#define PB_MODEL_LOCK_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

// Lock joints of a tree at the values of a mapping from joint names (NULL: none), together with
// their mimic joints, and record their names in the reader. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT for a joint that does not exist, copies another, is part of a ball joint or
// kinematic, or for a value beyond the limits of the joint or of its mimic joints.
dm_status pb_lock_read(pb_tree *t, const pb_node *node);
#endif
