// lib/mechanics/symmetry.h: which parts of the momentum map a system keeps: those of which it has
// any, and which no force, constraint or contact changes.
//
//   mu(q,v)       moment x, y, z about the world's origin, that upwards against gravity; momentum x, y, z
//   kept          d mu_i/dt = 0 along the motion without constraints, and
//                 mu_i(q, M^-1 R') = 0 for the row R of each constraint and contact,
//                 at a few places (q,v) about a given one, under inputs
//
// It is found by trial: at places taken at random, on the constraints, what is not kept is zero by no
// accident.
//
// Source: Noether's theorem; docs/theory.md section 16.
#ifndef DM_MECHANICS_SYMMETRY_H
#define DM_MECHANICS_SYMMETRY_H
#include "lib/mechanics/momentum_map.h"
#include "lib/mechanics/system.h"
#include "lib/mechanics/unilateral.h"

DM_BEGIN_C

enum { DM_MOMENTA = 7 };

// Which of the seven above are kept.
//   g        contacts; NULL: none
//   gravity  its direction in the world; zeros: there is no moment against it        [3]
//   q        the place about which it is tried                                      [s->L.nq]
//   driven   inputs act; of actuators between bodies no part is lost by that
//   kept     out                                                                  [DM_MOMENTA]
// Returns DM_OK or DM_NO_MEMORY, kept untouched. Where the system has no value at a place tried,
// nothing is kept. Cost: three accelerations, and a solution with M for each row.
dm_status dm_kept_momenta(const dm_system *s, const dm_unilateral *g, const dm_momentum_map *map,
                          const double gravity[3], const double *q, bool driven,
                          bool kept[DM_MOMENTA]);

DM_END_C
#endif
