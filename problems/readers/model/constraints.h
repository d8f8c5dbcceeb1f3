// problems/readers/model/constraints.h: `model: {constraints: [...]}`, holonomic constraints by
// names.
#ifndef PB_MODEL_CONSTRAINTS_H
#define PB_MODEL_CONSTRAINTS_H
#include "lib/multibody/constraint.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_constraint_keys[]; // of one constraint

// Compile the constraints of a list; NULL: none, *out NULL. To be freed by dm_constraints_free;
// m must outlive them. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_constraints_read(const pb_reader *r, const pb_node *list, const dm_model *m,
                              dm_constraints **out);

// Refuse a node where q [nq] violates a constraint (each with a name) by more than 1e-6, naming the
// worst.
dm_status pb_constraints_check(const pb_reader *r, const pb_node *node, const char *path,
                               const dm_holonomic *hol, const double *q);
#endif
