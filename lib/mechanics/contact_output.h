// lib/mechanics/contact_output.h: the rows of contacts of an output map (lib/mechanics/output_map.h):
// functions of the impulses F of contacts at a knot (lib/mechanics/contact_laws.h) and of the time h of
// the knot, one step inside and half a step at the ends of a motion:
//
//   contact impulse  w F_a           contact force  w F_a / h
//
// With both directions as unknowns, z = (F+, F-, h), nz = 2 nr + 1, and F = F+ - F-.
//
// Source: docs/theory.md section 25.
#ifndef DM_MECHANICS_CONTACT_OUTPUT_H
#define DM_MECHANICS_CONTACT_OUTPUT_H
#include "lib/mechanics/output_map.h"

DM_BEGIN_C

// Write y [ny] for rows of contacts, with impulses F [nr] and the time h of the knot; other rows are not
// written. No allocation.
void dm_contact_outputs_now(const dm_output_map *m, const double *F, double h, double *y);

// The rows of a map as a function of z, its arguments DM_U (F+, F-) and DM_STEP, for nr rows of contacts;
// other rows are not written. `self` is borrowed.
typedef struct dm_contact_outputs {
  const dm_output_map *y;
  int nr;
} dm_contact_outputs;

dm_function dm_contact_outputs_function(const dm_contact_outputs *self);

DM_END_C
#endif
