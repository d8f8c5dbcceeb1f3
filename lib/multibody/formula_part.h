// lib/multibody/formula_part.h: parts of a robot given by formulas (lib/base/tape.h):
//
//   potential    L - V(q)
//   force        F(q, v, u, y) on a coordinate, or as the input of a load, with outputs y(q, v) and with inputs u of
//                formulas, which nothing else has (lib/multibody/formula_force.h)
//   lagrangian   L(q, v) in place of that of the tree, whose bodies then only name coordinates
//
// All derivatives are those of the tapes, to the third for energies.
//
// Source: docs/theory.md section 25.
#ifndef DM_MULTIBODY_FORMULA_PART_H
#define DM_MULTIBODY_FORMULA_PART_H
#include "lib/mechanics/lagrangian.h"
#include "lib/multibody/formula.h"

DM_BEGIN_C

typedef struct dm_formulas dm_formulas;

// Compile formulas of a model with the Lagrangian L, which is copied; its data, names, tapes, variables, loads and
// outputs must outlive them. Returns DM_OK; DM_NO_MEMORY; or DM_BAD_INPUT with a sentence in msg (a force on a coordinate
// that does not exist or is prescribed, or with an output of inputs, a potential of velocities or inputs, a Lagrangian of
// inputs, two of them, or that of dm_loads_new or dm_outputs_new).
dm_status dm_formulas_new(dm_formulas **out, const dm_model *m, const dm_lagrangian *L, int n,
                          const dm_formula *list, dm_message *msg);
void dm_formulas_free(dm_formulas *c); // accepts NULL

// The number of formulas (0 for NULL), and formula i.
int dm_formulas_count(const dm_formulas *c);
const dm_formula *dm_formulas_get(const dm_formulas *c, int i);

// Whether the tree's Lagrangian is replaced.
bool dm_formulas_replace(const dm_formulas *c);

// Whether some of them are energies, and L with all potentials, or the Lagrangian by formula with them; c must outlive it.
bool dm_formulas_bend(const dm_formulas *c);
dm_lagrangian dm_formulas_lagrangian(const dm_formulas *c);

// Whether some of them are forces, and the interface to these; c must outlive it. Its inputs are those of formulas.
bool dm_formulas_act(const dm_formulas *c);
dm_force dm_formulas_force(const dm_formulas *c);

// The first formula without a finite value at (q, v) with inputs u [nu, NULL: zero], and why in text; or -1.
int dm_formulas_undefined(const dm_formulas *c, const double *q, const double *v, const double *u,
                          char *text, size_t size);

DM_END_C
#endif
