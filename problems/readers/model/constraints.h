// problems/readers/model/constraints.h: `model: {constraints: [...]}`, holonomic constraints by
// names.
#ifndef PB_MODEL_CONSTRAINTS_H
#define PB_MODEL_CONSTRAINTS_H
#include "lib/mechanics/system.h"
#include "lib/multibody/constraint.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_constraint_keys[]; // of one constraint

// Compile those of the robot's file, t->held, and the constraints of a list (NULL: none); *out NULL
// where there is none. What the robot's file holds in a plane where the tree moves in that anyway is
// held without the rows that would say so again. Rows that follow from the others along the whole motion
// (lib/discrete/repeated_rows.h) are left out, with a warning. To be freed by dm_constraints_free; m, compiled from
// t, must outlive them. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_constraints_read(pb_reader *r, const pb_node *list, const pb_tree *t,
                              const dm_model *m, dm_constraints **out);

// Refuse a node if q [nq] violates a constraint of s (each with a name) by more than 1e-6 of its size
// (dm_assembly_rows), naming the worst.
dm_status pb_constraints_check(const pb_reader *r, const pb_node *node, const char *path,
                               const dm_system *s, const double *q);
#endif
