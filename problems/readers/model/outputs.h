// problems/readers/model/outputs.h: `outputs:`, named numbers of a robot that a task may speak of, by
// names.
#ifndef PB_MODEL_OUTPUTS_H
#define PB_MODEL_OUTPUTS_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"

extern const pb_key pb_output_keys[]; // of one output

// Compile the outputs of a list (NULL: none) into robot->outputs, whose tree and system are read.
//   keep_out     the section with shapes (problems/readers/model/keep_out.h), or NULL: each pair that
//                stays apart is an output FIRST-SECOND behind those of the list
//   coordinates  every coordinate is an output besides, behind these,
//   speeds       and its speed, behind those
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_outputs_read(pb_reader *r, const pb_node *list, const pb_node *keep_out,
                          bool coordinates, bool speeds, pb_robot *robot);

// Ask for these rows [robot->outputs.all] of a robot's outputs: pb_robot_asked_outputs are they from now on.
// Returns DM_OK or DM_NO_MEMORY.
dm_status pb_outputs_ask(pb_robot *robot, const bool *row);

// The frames of n links of a robot in the world as outputs, whether or not its file has others:
// LINK.position and LINK.rotation of each. out is to be freed by pb_outputs_free; robot must outlive it.
//   body  in tree->body                                                              [n]
// Returns DM_OK, or DM_NO_MEMORY with out zeroed.
dm_status pb_link_outputs_new(pb_outputs *out, const pb_robot *robot, int n, const int *body,
                              dm_message *msg);
#endif
