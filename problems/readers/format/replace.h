// problems/readers/format/replace.h: replace values in the tree of a problem file before it is read
// (used by sweeps).
#ifndef PB_FORMAT_REPLACE_H
#define PB_FORMAT_REPLACE_H
#include "lib/base/status.h"

DM_BEGIN_C

struct pb_reader;
struct pb_node;

// path: keys and list entries (indices from 0; names, or joints of entries without a name; x, y, z
// for three entries) separated by dots, "model.bodies.0.mass", "model.springs.heel.stiffness",
// "goal.outputs.tool.z"; text: the new value. A key or a name may contain dots. A missing key is
// added. flag: the option of the command line that gives the value, which messages name instead of
// a line of the file; or NULL.
typedef struct pb_replace {
  const char *path, *text, *flag;
} pb_replace;

// Replace a value in the tree of a file; the readers validate it later.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT if the path passes through a scalar or beyond the
// end of a list.
dm_status pb_replace_in(const struct pb_reader *r, const struct pb_node *root,
                        const pb_replace *with);

// The node at a path, or NULL.
const struct pb_node *pb_node_at(const struct pb_node *root, const char *path);

DM_END_C
#endif
