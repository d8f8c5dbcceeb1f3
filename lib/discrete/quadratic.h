// lib/discrete/quadratic.h: is a system quadratic? Then the energy-momentum method keeps its energy
// and its moment (lib/discrete/del.h).
//
//   L = v'M v/2 - q'K q/2 - k.q,   h_i(q) = q'C_i q/2 + c_i.q - d_i      M, K, C_i constant
//
// as particles on rods are, under weight and springs without a length of rest.
//
// Source: [gonzalez-1996]; docs/theory.md section 18.
#ifndef DM_DISCRETE_QUADRATIC_H
#define DM_DISCRETE_QUADRATIC_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// Compare second derivatives in a few random places. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT
// with a sentence in msg: a mass matrix, a potential energy, a constraint that is not so.
dm_status dm_quadratic_check(const dm_system *s, dm_message *msg);

DM_END_C
#endif
