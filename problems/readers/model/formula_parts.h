// problems/readers/model/formula_parts.h: parts of a robot by formulas (lib/multibody/formula_part.h):
//
//   model:
//     potentials: [{name: magnet, formula: -0.1 exp(-(q.pole/0.2)^2)}]
//     forces:
//       - {name: drag, joint: slider, formula: "-0.3 v.slider smoothabs(v.slider, 0.01)"}
//       - {name: air, body: wing, point: [0, 0, 0.1], formula: "-0.05 norm(velocity, 0.01) velocity"}
//   inputs:       [{name: throttle, min: 0, max: 1}]       # u.throttle of forces
//
// or the whole Lagrangian, of coordinates without bodies:
//
//   model: {coordinates: {x: m, angle: rad}, lagrangian: 0.5 v.x^2 + ..}
#ifndef PB_MODEL_FORMULA_PARTS_H
#define PB_MODEL_FORMULA_PARTS_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_force_keys[]; // keys of one entry of `model.forces`

// A part reader (parts.h): formulas of `potentials`, `forces` and `lagrangian`, into out->formulas.
dm_status pb_formulas_read(const pb_part_source *from, dm_robot *out);

// Add the coordinates of `model.coordinates` to a tree without bodies, each as a body of unit inertia that its formula
// replaces. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT at the entry that is refused.
dm_status pb_coordinates_read(pb_tree *t, const pb_node *coordinates);
#endif
