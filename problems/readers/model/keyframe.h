// problems/readers/model/keyframe.h: named states of a robot's file, for `start:` and `goal:`.
#ifndef PB_MODEL_KEYFRAME_H
#define PB_MODEL_KEYFRAME_H
#include "problems/readers/model/assembly.h"
#include "problems/readers/model/tree_builder.h"

// Store the keyframes of a robot's file in the reader, as states of its model seen from outside.
// Returns DM_OK or DM_NO_MEMORY.
dm_status pb_keyframes_know(pb_reader *r, const pb_tree *t, const dm_model *model);

// Fill q and v of a start or goal from the keyframe it names, where the section has no values of
// its own. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for an unknown name.
dm_status pb_keyframe_read(const pb_reader *r, const char *path, const pb_node *section,
                           pb_end *end);
#endif
