// lib/multibody/formula_force.h: forces by formulas (lib/multibody/formula_part.h). Formula p has the value F_p(x) of
// variables x: entries of z = (q, v, u), and rows y(q, v) of outputs. It acts on a coordinate, g_p = e_i, or it is the
// input of a load with the generalized force g_p(q) (lib/multibody/load.h):
//
//   f         = sum_p F_p g_p                                      F_z = F_x x_z
//   f_z       = sum_p g_p F_z + F_p g_p,z                          c_p = mu.g_p
//   (mu.f)_zz = sum_p c_p (x_z' F_xx x_z + F_x x_zz) + c_p,z F_z' + F_z c_p,z' + F_p c_p,zz
//
// A load is conjugate to the velocity of its point, so that the power of a force is its product with this velocity.
//
// Source: docs/theory.md section 25.
#ifndef DM_MULTIBODY_FORMULA_FORCE_H
#define DM_MULTIBODY_FORMULA_FORCE_H
#include "lib/multibody/formula.h"

typedef struct dm_formula_forces dm_formula_forces;

// Compile the forces among formulas [n], which must outlive it; other roles are passed over. nu: the number of inputs.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg.
dm_status dm_formula_forces_new(dm_formula_forces **out, const dm_model *m, int nu, int n,
                                const dm_formula *list, dm_message *msg);
void dm_formula_forces_free(dm_formula_forces *c); // accepts NULL

// Their interface; c must outlive it. Cost: a tape per formula, and the loads and outputs that they have.
dm_force dm_formula_forces_force(const dm_formula_forces *c);

// The first of them without a finite value at (q, v) with inputs u [nu, NULL: zero], and why in text; or -1.
// scratch: that of the force.
int dm_formula_forces_undefined(const dm_formula_forces *c, void *scratch, const double *q,
                                const double *v, const double *u, char *text, size_t size);
#endif
