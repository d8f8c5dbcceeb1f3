// lib/multibody/formula.h: a formula (lib/base/tape.h) as a part of a robot (lib/multibody/formula_part.h).
#ifndef DM_MULTIBODY_FORMULA_H
#define DM_MULTIBODY_FORMULA_H
#include "lib/base/tape.h"
#include "lib/multibody/load.h"
#include "lib/multibody/output.h"

DM_BEGIN_C

typedef enum dm_formula_role {
  DM_FORMULA_POTENTIAL,
  DM_FORMULA_FORCE,
  DM_FORMULA_LAGRANGIAN
} dm_formula_role;

typedef struct dm_formula {
  const char *name;
  dm_formula_role role;
  int coord;            // of a force on a coordinate
  const dm_load *along; // of a force that multiplies this load; NULL: on a coordinate
  const dm_tape *f;     //
  const int *
      variable; // [f->nx] i: q_i; nq + i: v_i; 2 nq + k: input k of formulas; -1 - i: row i of `output`
  int noutputs;            // of a force; all forces with outputs have the same
  const dm_output *output; // [noutputs] of positions and velocities
} dm_formula;

DM_END_C
#endif
