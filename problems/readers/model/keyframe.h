// problems/readers/model/keyframe.h: states that a robot's file has by name, for `start:` and `goal:`.
#ifndef PB_MODEL_KEYFRAME_H
#define PB_MODEL_KEYFRAME_H
#include "problems/readers/model/assembly.h"
#include "problems/readers/model/tree_builder.h"

// The keyframes of a robot's file as states of its model, from outside, into the reader. Returns DM_OK or
// DM_NO_MEMORY.
dm_status pb_keyframes_know(pb_reader *r, const pb_tree *t, const dm_model *model);

// What a start or goal says by the name of a keyframe: its q and v where the section has none of its own.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT at an unknown name.
dm_status pb_keyframe_read(const pb_reader *r, const char *path, const pb_node *section,
                           pb_end *end);
#endif
