// problems/readers/task/simulation.h: `simulate:` as read: a motion from a start under given
// inputs.
#ifndef PB_TASK_SIMULATION_H
#define PB_TASK_SIMULATION_H
#include "lib/contact/contact_integrator.h"
#include "lib/discrete/composition.h"

DM_BEGIN_C

// A study of where in a step constraints are satisfied (lib/studies/two_point.h).
typedef struct pb_two_point {
  bool measured; // whether it is requested
  bool two;      // between knots instead of at them
  bool sought;   // if two: dmoc finds the start from q and v
  double *next;  // [n] the second configuration of the start; NULL: none
  double *first; // [nc] if two: multipliers of the first interval; else NULL
} pb_two_point;

// Steps of robots without contacts that are not those of the map, for comparison (lib/studies).
typedef enum pb_comparator {
  PB_NO_COMPARATOR,
  PB_ENERGY_MOMENTUM,
  PB_ITOH_ABE,
  PB_VARIABLE
} pb_comparator;

// The word of simulate.method.
const char *pb_comparator_name(pb_comparator comparator);

typedef struct pb_simulation {
  int steps;
  double h;                 // s
  double *q, *v;            // [n] start
  bool at_rest;             // rest before the start: p = D2(q,q), independent of v
  double *u;                // [steps x (nu + nk)] inputs over time; NULL: none
  int every;                // store every n-th knot
  double *a, *jerk;         // [n] second order: of the start; else NULL
  double *second;           // [k n] order k: the knot after the start; NULL: by Taylor's expansion
  int order;                // 2, 4, 6 (lib/discrete/composition.h)
  dm_del_settings del;      // of its steps
  pb_comparator comparator; // takes the steps
  double error;             // of steps of PB_VARIABLE
  bool watch, form;         // record conserved quantities; also the symplectic form
  bool kept;                // only momenta that nothing changes (lib/mechanics/symmetry.h)
  pb_two_point points;
  bool knot; // steps with one impulse per knot, the map of plans (lib/contact/knot_step.h)
  dm_contact_integrator_settings contact; // treatment of contacts, if the robot has any
} pb_simulation;

DM_END_C
#endif
