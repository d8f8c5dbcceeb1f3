// lib/mechanics/contact_output.h: the rows of contacts of an output map (lib/mechanics/output_map.h):
// functions of the impulses F of contacts at a knot (lib/mechanics/contact_laws.h), of the time t of the knot,
// one step h inside and half a step at the ends of a motion, and of F' and t' at the next knot:
//
//   contact impulse  w F_a     contact force  w F_a / t     rate of a force  w (F'_a / t' - F_a / t) / h
//
// With both directions as unknowns, F = F+ - F-, z = (F+, F-, t), nz = 2 nr + 1. If the map has rates,
// z = (F+, F-, F'+, F'-, t', h, t), nz = 4 nr + 3.
//
// Source: docs/theory.md section 25.
#ifndef DM_MECHANICS_CONTACT_OUTPUT_H
#define DM_MECHANICS_CONTACT_OUTPUT_H
#include "lib/mechanics/output_map.h"

DM_BEGIN_C

// The impulses of contacts at knot k of a motion of N steps of length h.
typedef struct dm_contact_knot {
  const double *impulse, *next; // [nr]; at knot k + 1, NULL: unknown, and rates are NAN
  double time, next_time;       // s, of both knots
  double h;                     // s
} dm_contact_knot;

dm_contact_knot dm_contact_knot_of(const double *impulse, int nr, int k, int N, double h);

// Write y [ny] for rows of contacts; other rows are not written. No allocation.
void dm_contact_outputs_now(const dm_output_map *m, const dm_contact_knot *at, double *y);

// The rows of a map as a function of z, its arguments DM_U and DM_STEP, the time t, for nr rows of contacts;
// other rows are not written. `self` is borrowed.
typedef struct dm_contact_outputs {
  const dm_output_map *y;
  int nr;
  bool rates; // does the map have rates?
} dm_contact_outputs;

dm_contact_outputs dm_contact_outputs_of(const dm_output_map *y, int nr);

// The number of entries of z.
static inline int dm_contact_outputs_entries(const dm_contact_outputs *w) {
  return w->rates ? 4 * w->nr + 3 : 2 * w->nr + 1;
}

dm_function dm_contact_outputs_function(const dm_contact_outputs *self);

DM_END_C
#endif
