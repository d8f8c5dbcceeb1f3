// lib/mechanics/symmetry.h: the conserved components of a system's momentum map: those that are
// nonzero for it and that no force, constraint or contact changes.
//
//   mu(q,v)       angular momentum x, y, z about the world's origin, and its component against
//                 gravity; linear momentum x, y, z
//   conserved     d mu_i/dt = 0 along the motion without constraints, and mu_i(q, M^-1 R') = 0 for
//                 the row R of each constraint and contact, at a few states (q,v) near a given one,
//                 with inputs
//
// The test is numerical, at random states on the constraints, where a component that is not
// conserved is not zero by accident.
//
// Source: Noether's theorem; docs/theory.md section 16.
#ifndef DM_MECHANICS_SYMMETRY_H
#define DM_MECHANICS_SYMMETRY_H
#include "lib/mechanics/momentum_map.h"
#include "lib/mechanics/system.h"
#include "lib/mechanics/unilateral.h"

DM_BEGIN_C

enum { DM_MOMENTA = 7 };

// Find the conserved components.
//   g        contacts; NULL: none
//   gravity  its direction in the world; zeros: no component against it             [3]
//   q        position near which states are sampled                         [s->L.nq]
//   driven   inputs act; actuators between bodies change no component
//   kept     out                                                                  [DM_MOMENTA]
// Returns DM_OK or DM_NO_MEMORY, with kept untouched. If the system is undefined at a sampled
// state, no component is reported as conserved. Cost: three accelerations, and one solve with M per
// row.
dm_status dm_kept_momenta(const dm_system *s, const dm_unilateral *g, const dm_momentum_map *map,
                          const double gravity[3], const double *q, bool driven,
                          bool kept[DM_MOMENTA]);

DM_END_C
#endif
