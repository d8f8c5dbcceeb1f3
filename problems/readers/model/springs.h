// problems/readers/model/springs.h: read `model: {springs: [...], potentials: [...]}`, by name.
#ifndef PB_MODEL_SPRINGS_H
#define PB_MODEL_SPRINGS_H
#include "lib/multibody/spring.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_spring_keys[], pb_potential_keys[]; // keys of one entry

// Compile both lists (NULL: none), followed by the springs of the robot's file, t->spring; *out is
// NULL if there are none. Free with dm_springs_free; m, compiled from t, must outlive them. Returns
// DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_springs_read(const pb_reader *r, const pb_node *springs, const pb_node *potentials,
                          const pb_tree *t, const dm_model *m, dm_springs **out);

// Refuse a node if a spring's energy is not defined at q [nq]; the message names the spring. c may
// be NULL.
dm_status pb_springs_check(const pb_reader *r, const pb_node *node, const char *path,
                           const dm_springs *c, const double *q);
#endif
