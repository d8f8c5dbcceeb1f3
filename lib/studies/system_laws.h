// lib/studies/system_laws.h: the laws of lib/studies/laws.h for a system, for a Lagrangian of second order, and the
// energy of impacts.
#ifndef DM_STUDIES_SYSTEM_LAWS_H
#define DM_STUDIES_SYSTEM_LAWS_H
#include "lib/discrete/stepper.h"
#include "lib/mechanics/system.h"
#include "lib/second/second_order.h"
#include "lib/studies/laws.h"

DM_BEGIN_C

// A motion of a system: it begins at q [n] with v [n] and a random velocity of the size of dm_system_motion_sizes, both
// projected on the constraints; under zero inputs, prescribed coordinates rest.
typedef struct dm_law_motion {
  const dm_system *s;
  const dm_momentum_map *map;    // of its bodies; NULL: none
  const double *q, *v;           // [n]
  double h;                      // s
  int order;                     // of the composition: 2, 4, 6
  const dm_law_quantities *kept; // NULL: none
  const char *const *coord;      // [n] names; NULL: none
} dm_law_motion;

// Add the rows of a system. Order, symmetry and the form are judged with damping and general forces, the other laws of
// the conservative part; contacts are left out. Returns DM_OK, DM_NO_MEMORY, or the status of the steps with a sentence in
// msg.
dm_status dm_laws_of_system(dm_laws *laws, const dm_law_motion *motion, dm_message *msg);

// Add the rows of a discrete Lagrangian of order k, on the flow from q, v, a and jerk [n]. Flows of costs are unstable: if
// rounding grows too much in 12 steps, shorter steps are tried, and a row says so. Returns as above.
dm_status dm_laws_of_second(dm_laws *laws, dm_second_order *L, double h, const double *q,
                            const double *v, const double *a, const double *jerk,
                            const dm_law_quantities *kept, const char *const *coord,
                            dm_message *msg);

// Add a row for impacts: simulate steps from q, v, and compare the energy before and after each step in which a contact
// closes with the changes in other steps. No impact may add more.
//   made  the number of contacts that the stepper closed so far
dm_status dm_laws_of_impacts(dm_laws *laws, const dm_system *s, const dm_stepper *step,
                             const long *made, const double *q, const double *v, double h,
                             int steps);

DM_END_C
#endif
