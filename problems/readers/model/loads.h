// problems/readers/model/loads.h: read `model: {dampers: [...], wrenches: [...]}`, and inputs that
// are wrenches or cable tensions, by name.
#ifndef PB_MODEL_LOADS_H
#define PB_MODEL_LOADS_H
#include "lib/multibody/load.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_damper_keys[], pb_wrench_keys[]; // keys of one entry
extern const pb_key pb_input_keys[];                    // keys of one input, on a joint or a load

// The sections of a wrench and of an input.
typedef struct pb_wrench {
  const char *name, *body, *frame;
  double point[3], force[3], torque[3];
} pb_wrench;

typedef struct pb_input {
  const char *joint, *actuator; // a joint, or an actuator of the robot's file on no joint
  pb_wrench wrench;             // for cables and steering only the name is used
  const pb_node *path, *across;
  bool free;               // an input of formulas, by its name alone
  double effort, min, max; // NAN: not given
} pb_input;

// Read the section of an input: on a joint, by an actuator of the robot's file, a wrench on a body,
// the tension along a path, steering, or a name for formulas. Refuses keys of another form. Returns DM_OK, DM_BAD_INPUT
// or DM_NO_MEMORY.
dm_status pb_input_read(const pb_reader *r, const pb_node *node, pb_input *out);

// Whether a load of the robot's file acts on anything that can move.
bool pb_file_load_moves(const pb_tree *t, const pb_file_load *x);

// Find the load of the robot's file that a node names as an actuator. path is the path of the node.
dm_status pb_actuator_read(const pb_tree *t, const char *path, const pb_node *node,
                           const pb_file_load **out);

// A part reader (parts.h): the loads of the robot's file, dampers, wrenches and, in their order, the inputs that
// are not on joints, into out->loads.
dm_status pb_loads_read(const pb_part_source *from, dm_robot *out);
#endif
