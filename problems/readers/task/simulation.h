// problems/readers/task/simulation.h: a motion from a start under given inputs: `simulate:`.
#ifndef PB_TASK_SIMULATION_H
#define PB_TASK_SIMULATION_H
#include "lib/contact/contact_integrator.h"
#include "lib/discrete/composition.h"

DM_BEGIN_C

// A study of where constraints are held (lib/studies/two_point.h).
typedef struct pb_two_point {
  bool measured; // whether it is one
  bool two;      // between knots, instead of at them
  double *next;  // [n] the second configuration of the start; NULL: none
  double *first; // [nc] two: multipliers of the first interval; else NULL
} pb_two_point;

typedef struct pb_simulation {
  int steps;
  double h;            // s
  double *q, *v;       // [n] start
  bool at_rest;        // its knot stood twice: p = D2(q,q), whatever v
  double *u;           // [steps x (nu + nk)] inputs over time; NULL: none
  int every;           // keep each so many knots
  double *a, *jerk;    // [n] of second order: the start's; else NULL
  double *second;      // [k n] of order k: the knot after the start; NULL: by Taylor's expansion
  int order;           // 2, 4, 6 (lib/discrete/composition.h)
  dm_del_settings del; // of its steps
  bool watch, form;    // keep what is conserved; the symplectic form as well
  bool kept;           // of momenta those alone that nothing changes (lib/mechanics/symmetry.h)
  pb_two_point points;
  dm_contact_integrator_settings contact; // how its contacts are met, where the robot has any
} pb_simulation;

DM_END_C
#endif
