// lib/mechanics/system.h: a Lagrangian, the forces that act, and the rule that discretizes both.
//
// Forces are f = B u - damping v, with one entry in each column of B for joint inputs, plus general
// forces f(q,v,u) with their own inputs (lib/mechanics/force.h).
//
// A rule turns one step of length h from q0 to q1 into a discrete Lagrangian and two discrete
// forces, with a polynomial q(t) through q0, q1 and `inner` nodes, and a quadrature,
//
//   Ld = h sum_s weight_s L(q(at_s h), q'(at_s h)),   stationary with respect to the inner nodes
//
// Without inner nodes q(t) is a straight line, v = (q1-q0)/h, and forces act at its ends,
//
//   F- = left h sum_s weight_s f(q(at_s h), v, u),    F+ the same with 1-left
//
// Points symmetric about the middle give a symmetric rule of second order; more points on the
// straight line do not raise the order. With r inner nodes, forces are distributed by the Lagrange
// polynomials of the virtual displacement, and the order is 2r + 2 if the quadrature is exact for
// polynomials of degree 2r + 1. Inner nodes are not unknowns of a step: lib/discrete/interval.h
// eliminates them. Holonomic constraints hold at the inner nodes as well. To add a rule, add a row
// of DM_LAGRANGIAN_RULES. Compositions (lib/discrete/composition.h) are another way to orders 4 and
// 6.
//
// Source: [marsden-west-2001], section 2.2.6; [ober-bloebaum-saake-2015].
#ifndef DM_MECHANICS_SYSTEM_H
#define DM_MECHANICS_SYSTEM_H
#include "lib/mechanics/contact_laws.h"
#include "lib/mechanics/force.h"
#include "lib/mechanics/holonomic.h"
#include "lib/mechanics/lagrangian.h"

#include <stdbool.h>

DM_BEGIN_C

enum { DM_MAX_POINTS = 4, DM_MAX_INNER = 2 };

typedef struct dm_rule {
  int points;                   // quadrature points of the discrete Lagrangian
  double weight[DM_MAX_POINTS]; // sum 1
  double at[DM_MAX_POINTS];     // in [0,1], fractions of the step
  double left;                  // fraction of a force's impulse that acts at the left end
  int inner;                    // number of inner nodes; 0: straight line
  double node[DM_MAX_INNER];    // their positions in (0,1), fractions of the step
} dm_rule;

// Coordinates are dynamic or kinematic. The motion of a kinematic coordinate is prescribed: it has
// no equation of motion, and its value at the end of a step is an input. In a state x = (q,p) its
// entry of p is its finite-difference velocity (q1-q0)/h. In an input vector u [nu + nk], the nu
// forces come first: those at joints, then those of the general forces in the order in which these
// were added; the next values of the kinematic coordinates follow.
typedef struct dm_system {
  dm_lagrangian L;
  // the Lagrangian of continuous motion, without the inertia that lib/discrete/stiff_damping.h adds
  // for steps; NULL: L
  const dm_lagrangian *physical;
  const double *lag; // [L.nq] s: the state is the position this time ago; NULL: no lag
  dm_holonomic hol;  // hol.nc constraints; 0: none
  // contacts and dry friction at knots, for programs and knot steps; others refuse them. NULL: none
  const dm_contact_laws *contacts;
  dm_rule rule;
  dm_forces force;        // general forces; force.count 0: none
  int nu, nk;             // inputs, the last force.nu of general forces; kinematic coordinates
  const bool *kinematic;  // [L.nq] NULL: none
  const bool *length;     // [L.nq] true: in m; false: an angle or dimensionless; NULL: none is in m
  double extent;          // m: reach of the robot at zero coordinates; 0: unknown, or a point
  const double *damping;  // [L.nq]  N s/m or N m s; NULL: none
  const double *inertia;  // [L.nq] inertia that damping acts on; 0, NULL: unknown
  const int *input_coord; // [nu - force.nu] coordinate on which input i acts
  const double *input_gear; // [nu - force.nu] force for u = 1; NULL: 1
} dm_system;

// Number of entries of u: forces, then the next values of kinematic coordinates.
static inline int dm_system_inputs(const dm_system *s) {
  return s->nu + s->nk;
}

// A length scale of the robot at q [nq], in m: its extent, or the largest absolute value of a
// coordinate in m. 0: neither exists.
double dm_system_length(const dm_system *s, const double *q);

// The scales [2n] of (q,v) in a motion with steps h > 0: for positions, 1 for an angle, and the
// extent or 1 for a length; for velocities, the position scale per hundred steps.
void dm_system_motion_sizes(const dm_system *s, double h, double *size);

// The decay rate of coordinate i due to damping alone, damping over inertia [1/s]; 0 if there is no
// damping, the inertia is unknown, or the motion is prescribed.
double dm_system_decay(const dm_system *s, int i);

// Append a general force; its inputs follow those at joints and those of the previous general
// forces.
void dm_system_add_force(dm_system *s, dm_force force);

// The rules, one row each: the keyword in problem files, then members of dm_rule. For discrete
// Lagrangians points, weights and inner nodes; for forces the fraction at the left end.
#define DM_SQRT_1_12 0.28867513459481288225
#define DM_SQRT_1_20 0.22360679774997896964
#define DM_LAGRANGIAN_RULES(X)                                                                     \
  X("midpoint", .points = 1, .weight = {1}, .at = {0.5})                                           \
  X("trapezoid", .points = 2, .weight = {0.5, 0.5}, .at = {0, 1})                                  \
  X("gauss-2", .points = 2, .weight = {0.5, 0.5}, .at = {0.5 - DM_SQRT_1_12, 0.5 + DM_SQRT_1_12})  \
  X("simpson", .points = 3, .weight = {1. / 6, 4. / 6, 1. / 6}, .at = {0, 0.5, 1})                 \
  X("lobatto-3", .points = 3, .weight = {1. / 6, 4. / 6, 1. / 6}, .at = {0, 0.5, 1}, .inner = 1,   \
    .node = {0.5})                                                                                 \
  X("lobatto-4", .points = 4, .weight = {1. / 12, 5. / 12, 5. / 12, 1. / 12},                      \
    .at = {0, 0.5 - DM_SQRT_1_20, 0.5 + DM_SQRT_1_20, 1}, .inner = 2,                              \
    .node = {0.5 - DM_SQRT_1_20, 0.5 + DM_SQRT_1_20})
#define DM_FORCE_RULES(X)                                                                          \
  X("midpoint", .left = 0.5)                                                                       \
  X("left", .left = 1)

// The same as tables, for parsers and messages. `midpoint` applies half of a force's impulse at
// each end, `left` all of it at the left end, as in paper 001.
extern const struct dm_rule_name {
  const char *name;
  dm_rule rule;
} dm_lagrangian_rules[], dm_force_rules[]; // terminated by a NULL name

// Set the rule by names. alpha in [0,1] is the position of the midpoint rule's point (1/2 gives
// second order); for other rules, alpha must be 1/2. With inner nodes, the nodes distribute the
// forces, and the force rule must be `midpoint`. Returns DM_OK, or DM_BAD_INPUT with the known
// names in msg.
dm_status dm_rule_set(dm_rule *rule, const char *lagrangian, double alpha, const char *force,
                      dm_message *msg);

// Check that a system can be stepped: sizes agree, a rule is set, all numbers are finite, damping,
// inertia and lag are nonnegative, and inputs act on existing coordinates. Cost O(L.nq + nu).
// Returns DM_OK, or DM_BAD_INPUT with a sentence in msg that names the member and its index.
dm_status dm_system_check(const dm_system *s, dm_message *msg);

DM_END_C
#endif
