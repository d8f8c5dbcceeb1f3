// problems/readers/model/outputs.h: read `outputs:`, named scalar functions of a robot that a task
// may refer to.
#ifndef PB_MODEL_OUTPUTS_H
#define PB_MODEL_OUTPUTS_H
#include "problems/readers/format/expression.h"
#include "problems/readers/model/robot.h"

extern const pb_key pb_output_keys[]; // keys of one output

// An expression of another section, which becomes an output.
typedef struct pb_extra_formula {
  const char *name, *path; // of the output; of the key, for messages
  const pb_node *node;
} pb_extra_formula;

typedef struct pb_extra_formulas {
  int n;
  const pb_extra_formula *list;
} pb_extra_formulas;

// Compile the outputs of a list (NULL: none) into robot->outputs; the robot's tree and system must
// be read already. Rows are in this order: the list, extra, pairs, coordinates, speeds.
//   extra        expressions of other sections
//   keep_out     the section with shapes (problems/readers/model/keep_out.h), or NULL: each pair
//                that must stay apart is an output FIRST-SECOND
//   coordinates  whether every coordinate is an output
//   speeds       whether every coordinate's speed is an output
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_outputs_read(pb_reader *r, const pb_node *list, const pb_extra_formulas *extra,
                          const pb_node *keep_out, bool coordinates, bool speeds, pb_robot *robot);

// The outputs of a list (NULL: none) that forces may have, for a tree without its parts: those of positions and
// velocities, without shapes. Entries with an error are left out, as pb_outputs_read refuses them. The arrays of `out`
// are in the arena, with room for `more`. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_outputs_of_state(const pb_reader *r, const pb_node *list, dm_model *tree, int more,
                              int *n, dm_output **out, pb_expression **expression);

// Select the requested rows [robot->outputs.all] of a robot's outputs for pb_robot_asked_outputs.
// Returns DM_OK or DM_NO_MEMORY.
dm_status pb_outputs_ask(pb_robot *robot, const bool *row);

// Make outputs of the poses of n links in the world, independent of the outputs in the robot's
// file: LINK.position and LINK.rotation of each. Free out with pb_outputs_free; robot must outlive
// it.
//   body  indices in tree->body  [n]
// Returns DM_OK, or DM_NO_MEMORY with out zeroed.
dm_status pb_link_outputs_new(pb_outputs *out, const pb_robot *robot, int n, const int *body,
                              dm_message *msg);
#endif
