// lib/mechanics/family_misfit.h: interpolation error of a family of systems
// (lib/mechanics/family.h).
//
// Source: docs/theory.md section 28.
#ifndef DM_MECHANICS_FAMILY_MISFIT_H
#define DM_MECHANICS_FAMILY_MISFIT_H
#include "lib/mechanics/family.h"
#include "lib/mechanics/scale.h"

DM_BEGIN_C

// The largest relative difference between the family at z = (q,p) [n+np], v [n+np] and inputs u,
// and the system with these p. The gradient of L, momenta and forces are compared in units of
// energy, each relative to its own size; a constraint and its Jacobian relative to the largest
// entry of the row. The result does not depend on units.
//   of  sizes of coordinates and velocities
// Returns DM_OK with *misfit; DM_NO_MEMORY; or the status of either system. Allocates.
dm_status dm_family_misfit(const dm_family *w, const dm_system *there, const dm_scale *of,
                           const double *z, const double *v, const double *u, double *misfit);

DM_END_C
#endif
