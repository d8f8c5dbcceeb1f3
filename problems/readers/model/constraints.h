// problems/readers/model/constraints.h: read `model: {constraints: [...]}`, holonomic constraints
// by name.
#ifndef PB_MODEL_CONSTRAINTS_H
#define PB_MODEL_CONSTRAINTS_H
#include "lib/mechanics/system.h"
#include "lib/multibody/rolling.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

// One entry; rolling constraints (rolling.h) have entries of the same list.
typedef struct pb_constraint_section {
  const char *name, *type;
  const pb_node *bodies, *points, *length, *coordinates, *ratio, *body, *ground, *formula;
  double axis[3], shift, radius, point[3], normal[3];
} pb_constraint_section;

extern const pb_key pb_constraint_keys[]; // keys of one constraint

// Whether an entry of the list has a type of lib/multibody/rolling.h.
bool pb_constraint_rolls(const pb_node *entry);

// A part reader (parts.h): the constraints of the robot's file and of the list, into out->constraints. If the tree
// already keeps a constraint of the robot's file in a plane, its redundant rows are left out. Rows that follow
// from the others along the whole motion (lib/discrete/repeated_rows.h) are left out with a warning.
dm_status pb_constraints_read(const pb_part_source *from, dm_robot *out);

// Refuse a node if q [nq] violates a (named) constraint of s by more than 1e-6 of its size
// (dm_assembly_rows); the message names the worst one.
dm_status pb_constraints_check(const pb_reader *r, const pb_node *node, const char *path,
                               const dm_system *s, const double *q);
#endif
