// lib/mechanics/dry_friction.h: dry friction at coordinates, smooth, as test benches have it.
//
//   f_i = -F_i atan(100 v_i)        F_i pi/2 far above a hundredth of a rad/s or m/s
//
// Source: [wiebe-2024] in docs/sources.md.
#ifndef DM_MECHANICS_DRY_FRICTION_H
#define DM_MECHANICS_DRY_FRICTION_H
#include "lib/mechanics/force.h"

DM_BEGIN_C

typedef struct dm_dry_friction {
  int n;
  const double *size; // [n] F of each coordinate                          N or N m
} dm_dry_friction;

// The force, with exact first and second derivatives; it borrows d.
dm_force dm_dry_friction_force(const dm_dry_friction *d);

DM_END_C
#endif
