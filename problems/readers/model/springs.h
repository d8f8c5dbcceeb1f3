// problems/readers/model/springs.h: `model: {springs: [...], potentials: [...]}`, by names.
#ifndef PB_MODEL_SPRINGS_H
#define PB_MODEL_SPRINGS_H
#include "lib/multibody/spring.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_spring_keys[], pb_potential_keys[]; // of one of them

// Compile both lists; NULL: none; *out NULL where there is nothing in either. To be freed by
// dm_springs_free; m must outlive them. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_springs_read(const pb_reader *r, const pb_node *springs, const pb_node *potentials,
                          const dm_model *m, dm_springs **out);

// Refuse a node where a spring's energy is not defined at q [nq], naming the spring. c may be NULL.
dm_status pb_springs_check(const pb_reader *r, const pb_node *node, const char *path,
                           const dm_springs *c, const double *q);
#endif
