// lib/mechanics/family_misfit.h: how far a family of systems (lib/mechanics/family.h) is from one of them.
//
// Source: docs/theory.md section 28.
#ifndef DM_MECHANICS_FAMILY_MISFIT_H
#define DM_MECHANICS_FAMILY_MISFIT_H
#include "lib/mechanics/family.h"
#include "lib/mechanics/scale.h"

DM_BEGIN_C

// The largest relative difference between the family at z = (q,p) [n+np] and v [n+np] with inputs u and the
// system of these p. L's slopes, momenta and forces are compared in units of energy, each with its own size;
// a constraint and its Jacobian with the largest entry of the row. The difference does not depend on units.
//   of  the sizes of coordinates and velocities
// Returns DM_OK with *misfit; DM_NO_MEMORY; or what one of both returns. Allocates.
dm_status dm_family_misfit(const dm_family *w, const dm_system *there, const dm_scale *of,
                           const double *z, const double *v, const double *u, double *misfit);

DM_END_C
#endif
