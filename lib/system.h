// lib/system.h: what moves (a Lagrangian), what acts on it (forces), and the rule that
// discretizes both.
//
// Forces are f(q,v,u) = B u - damping v, with one entry in each column of B.
//
// A rule turns one step of length h from q0 to q1 into a discrete Lagrangian and two discrete
// forces, with v = (q1-q0)/h:
//
//   Ld = h sum_s weight_s L(q0 + at_s (q1-q0), v)
//   F- = left h f,  F+ = (1-left) h f
#ifndef DM_LIB_SYSTEM_H
#define DM_LIB_SYSTEM_H
#include "lib/lagrangian.h"
#include "lib/model.h"

enum { DM_MAX_POINTS = 2 };

typedef struct dm_rule {
  int points;                   // quadrature points of the discrete Lagrangian
  double weight[DM_MAX_POINTS]; // sum 1
  double at[DM_MAX_POINTS];     // in [0,1], as a fraction of the step
  double left;                  // share of a force's impulse that acts at the left end
} dm_rule;

typedef struct dm_system {
  dm_lagrangian L;
  dm_rule rule;
  int nu;
  const double *damping;    // [L.nq]  N s/m or N m s; NULL: none
  const int *input_coord;   // [nu]    coordinate on which input i acts
  const double *input_gear; // [nu]    its force there for u = 1; NULL: 1
} dm_system;

// The rules by name, for readers and error messages: discrete Lagrangians `midpoint` and
// `trapezoid`, force rules `midpoint` (half of the impulse at either end) and `left` (all at the
// left, as in paper 001).
extern const struct dm_rule_name {
  const char *name;
  dm_rule rule;
} dm_lagrangian_rules[], dm_force_rules[]; // ended by a NULL name

// Set the rule from names, with alpha in [0,1] the place of the midpoint rule's point (1/2 is
// second order; other rules ignore no alpha but 1/2: they return DM_BAD_INPUT).
// Returns DM_OK, or DM_BAD_INPUT with the known names in msg.
dm_status dm_rule_set(dm_rule *rule, const char *lagrangian, double alpha, const char *force,
                      dm_message *msg);

// The tree m under its own damping and inputs, by the midpoint rule for both.
dm_system dm_system_of(const dm_model *m);
#endif
