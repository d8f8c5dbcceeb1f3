// problems/readers/model/springs.h: `model: {springs: [...], potentials: [...]}`, by names.
#ifndef PB_MODEL_SPRINGS_H
#define PB_MODEL_SPRINGS_H
#include "lib/multibody/spring.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_spring_keys[], pb_potential_keys[]; // of one of them

// Compile both lists; NULL: none; and the springs on joints of the robot's file, t->rest, behind
// them; *out NULL where there is no spring. To be freed by dm_springs_free; m, compiled from t, must
// outlive them. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_springs_read(const pb_reader *r, const pb_node *springs, const pb_node *potentials,
                          const pb_tree *t, const dm_model *m, dm_springs **out);

// Refuse a node where a spring's energy is not defined at q [nq], naming the spring. c may be NULL.
dm_status pb_springs_check(const pb_reader *r, const pb_node *node, const char *path,
                           const dm_springs *c, const double *q);
#endif
