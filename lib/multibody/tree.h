// lib/multibody/tree.h: compiles the description of a tree (lib/multibody/tree_parts.h) into a
// model (lib/multibody/model.h).
//
// Fixed bodies, mimic joints and locked coordinates are resolved here, so that the recursions see
// independent joints only.
#ifndef DM_MULTIBODY_TREE_H
#define DM_MULTIBODY_TREE_H
#include "lib/multibody/tree_parts.h"

DM_BEGIN_C

// Compile a tree. Copies everything.
//   tree  bodies, parents first; finite numbers, masses >= 0
//   out   the model; free it with dm_model_free
//   msg   on failure, a sentence that names the part (may be NULL)
// Returns DM_OK; DM_BAD_INPUT for a number or index out of range, a mimic of a mimic, a tree
// without coordinates, or a coordinate that moves no inertia (its row of the mass matrix vanishes
// at random configurations); DM_NO_MEMORY.
dm_status dm_model_new(dm_model **out, const dm_tree *tree, dm_message *msg);

// Compile a tree with valid numbers for inspection only: it may have no coordinate, or a coordinate
// that moves no inertia.
//   why  the reason why the model cannot be simulated; empty if it can
// Returns the same as dm_model_new, except that the problem in `why` gives DM_OK.
dm_status dm_model_draft(dm_model **out, const dm_tree *tree, dm_message *why, dm_message *msg);

// Differences of one machine from its model, link by link. A link is everything fixed to one joint.
// A NULL member means no change.
typedef struct dm_change {
  const dm_inertia *body; // [nj] replaces its inertia about its joint; the factors then multiply it
  const double *mass;     // [nj] factors > 0 of its mass; moments about its center unchanged
  const double *inertia;  // [nj] factors > 0 of its moments of inertia about its center
  const double *length;   // [nj] factors of the distances of its center and of its child joints
  const double *damping;  // [nq] added damping                                        [N s/m or N m
                          // s]
  const double *armature; // [nq] added to the diagonal of the mass matrix   [kg or kg m2]
  // handled by the robot, not the tree (lib/multibody/robot.h): added dry friction, -F atan(100 v)
  // [nq] in N or N m, and errors of the parameters of parts [nparts]
  const double *friction;
  int nparts;
  const struct dm_part_error *part;
  // likewise: contacts with the world are higher by this, along their normal [m]; the relative error of all
  // coefficients of contacts and of the friction forces of joints
  double ground, grip;
  bool sticks; // likewise: dry friction that plans have stays dry; else it is smooth
  bool dry;    // likewise: smooth friction becomes dry, as that of plans
  // The factors apply to the parameters about the joint, as identification finds them,
  // independently: `mass` to m and to m c, with moments unchanged; `inertia` to the moments about
  // the joint; `length` to m c, with unchanged joints. The result need not be physically
  // consistent.
  bool about_joint;
} dm_change;

// Create a changed model; free it with dm_model_free. It borrows the names of m, a tree. Tendons,
// constraints and loads compiled for m are valid for it if no length changes. Returns DM_OK;
// DM_BAD_INPUT for a factor <= 0, for a body that is not finite or that replaces none (bare), or if a
// coordinate moves a negative inertia at all sampled configurations; DM_NO_MEMORY.
dm_status dm_model_changed(dm_model **out, const dm_model *m, const dm_change *c);

DM_END_C
#endif
