// lib/multibody/tree.h: how the description of a tree (lib/multibody/tree_parts.h) becomes a model
// (lib/multibody/model.h).
//
// Bodies, mimic joints and locked coordinates that do not move by themselves are resolved here, so that
// recursions never meet them.
#ifndef DM_MULTIBODY_TREE_H
#define DM_MULTIBODY_TREE_H
#include "lib/multibody/tree_parts.h"

DM_BEGIN_C

// Compile a tree. Copies all it needs.
//   tree  bodies with parents first; finite numbers, masses >= 0
//   out   the model, to be freed by dm_model_free
//   msg   what is wrong, by name, on failure (may be NULL)
// Returns DM_OK; DM_BAD_INPUT for a number or index out of range, a mimic of a mimic, no
// coordinate, or one that moves no inertia (its row of the mass matrix vanishes at random
// configurations); DM_NO_MEMORY.
dm_status dm_model_new(dm_model **out, const dm_tree *tree, dm_message *msg);

// The same of any tree with good numbers, to be looked at and not stepped: it may have no
// coordinate, or one that moves no inertia.
//   why  what keeps it from being stepped, empty where nothing does
// Returns as above, but DM_OK for what why says.
dm_status dm_model_draft(dm_model **out, const dm_tree *tree, dm_message *why, dm_message *msg);

// How one machine differs from its model, link by link: all that a joint carries rigidly is a link.
// NULL: not at all.
typedef struct dm_change {
  const double *mass; // [nj] factors, > 0, of its mass, the moments about its centre as they were
  const double *inertia;  // [nj] factors, > 0, of its moments of inertia about its centre
  const double *length;   // [nj] factors of the distances of its centre, and of the joints on it
  const double *damping;  // [nq] added to that of coordinates               [N s/m or N m s]
  const double *armature; // [nq] added to the diagonal of the mass matrix   [kg or kg m2]
  const double *friction; // [nq] added dry friction, -F atan(100 v): of a robot, not of its
                          // tree (lib/multibody/robot.h)                     [N or N m]
  // Factors of what identification finds, the parameters about the joint, each alone: `mass` of m
  // and so of m c, the moments as they were; `inertia` of the moments about the joint; `length` of
  // m c, joints where they were. What they make need not be a rigid body's.
  bool about_joint;
} dm_change;

// A model changed so, to be freed by dm_model_free; it borrows the names of m, a tree. What was
// compiled from m for points on bodies (tendons, constraints, loads) holds for it where no length
// is changed. Returns DM_OK; DM_BAD_INPUT for a factor that is not above 0, and where a coordinate moves a
// negative inertia at all configurations that are looked at; DM_NO_MEMORY.
dm_status dm_model_changed(dm_model **out, const dm_model *m, const dm_change *c);

DM_END_C
#endif
