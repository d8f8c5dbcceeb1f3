// problems/readers/model/springs.h: read `model: {springs: [...], potentials: [...]}`, by name.
#ifndef PB_MODEL_SPRINGS_H
#define PB_MODEL_SPRINGS_H
#include "lib/multibody/spring.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_spring_keys[], pb_potential_keys[]; // keys of one entry

// A part reader (parts.h): both lists, followed by the springs of the robot's file, into out->springs.
dm_status pb_springs_read(const pb_part_source *from, dm_robot *out);
#endif
