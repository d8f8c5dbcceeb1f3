// problems/readers/format/replace.h: values of a problem file replaced before it is read, as a
// sweep does.
#ifndef PB_FORMAT_REPLACE_H
#define PB_FORMAT_REPLACE_H
#include "lib/base/status.h"

DM_BEGIN_C

struct pb_reader;
struct pb_node;

// path: keys and places in lists (from 0; of three x, y, z as well) with dots between,
// "model.bodies.0.mass", "goal.outputs.tool.z"; text: what is to stand there. A key may have dots itself. A key that is not there is put there.
typedef struct pb_replace {
  const char *path, *text;
} pb_replace;

// Replace in the tree of a file; what is right there its readers say.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT where the path leads through a value, or out of a
// list.
dm_status pb_replace_in(const struct pb_reader *r, const struct pb_node *root,
                        const pb_replace *with);

// The node at a path, or NULL.
const struct pb_node *pb_node_at(const struct pb_node *root, const char *path);

DM_END_C
#endif
