// lib/mechanics/system.h: what moves (a Lagrangian), what acts on it (forces), and the rule that
// discretizes both.
//
// Forces are f = B u - damping v, with one entry in each column of B: inputs at joints. Beside them
// stand general forces f(q,v,u) with inputs of their own (lib/mechanics/force.h).
//
// A rule turns one step of length h from q0 to q1 into a discrete Lagrangian and two discrete
// forces: a polynomial q(t) through q0, q1 and so many nodes within the step, and a quadrature,
//
//   Ld = h sum_s weight_s L(q(at_s h), q'(at_s h)),   stationary in the nodes within the step
//
// Without such nodes q(t) is the straight way, v = (q1-q0)/h, and forces act at its ends,
//
//   F- = left h sum_s weight_s f(q(at_s h), v, u),    F+ the same with 1-left
//
// Points that mirror about the middle make it symmetric, and so of second order; no number of them
// gives a higher one. With r nodes within the step, forces act where the virtual displacement is,
// Lagrange's polynomials share them out, and the order is 2r + 2 where the quadrature is exact for
// polynomials of degree 2r + 1. The nodes are no unknowns of a step: lib/discrete/interval.h
// eliminates them. Holonomic constraints hold at them as well. A new rule is a row of
// DM_LAGRANGIAN_RULES. Compositions (lib/discrete/composition.h) reach orders 4 and 6 otherwise.
//
// Source: [marsden-west-2001], section 2.2.6; [ober-bloebaum-saake-2015].
#ifndef DM_MECHANICS_SYSTEM_H
#define DM_MECHANICS_SYSTEM_H
#include "lib/mechanics/force.h"
#include "lib/mechanics/holonomic.h"
#include "lib/mechanics/lagrangian.h"

#include <stdbool.h>

DM_BEGIN_C

enum { DM_MAX_POINTS = 4, DM_MAX_INNER = 2 };

typedef struct dm_rule {
  int points;                   // quadrature points of the discrete Lagrangian
  double weight[DM_MAX_POINTS]; // sum 1
  double at[DM_MAX_POINTS];     // in [0,1], as a fraction of the step
  double left;                  // share of a force's impulse that acts at the left end
  int inner;                    // nodes within the step; 0: the straight way
  double node[DM_MAX_INNER];    // their places in (0,1), as a fraction of the step
} dm_rule;

// Coordinates are dynamic or kinematic: the motion of a kinematic one is prescribed, it has no
// equation, and its value at the end of a step is an input. In every state x = (q,p) it holds its
// finite-difference velocity (q1-q0)/h in the place of a momentum; in every u [nu + nk] the next
// values of the kinematic coordinates, in their order, follow the nu forces: those at joints, then
// those of the general forces, in the order in which these were added.
typedef struct dm_system {
  dm_lagrangian L;
  // what moves in continuous time, without what lib/discrete/stiff_damping.h adds to L for the sake
  // of steps; NULL: L
  const dm_lagrangian *physical;
  const double *lag; // [L.nq] s: where a coordinate is, its state was so long ago; NULL: no lag
  dm_holonomic hol;  // hol.nc constraints; 0: none
  dm_rule rule;
  dm_forces force;       // general forces; force.count 0: none
  int nu, nk;            // inputs, force.nu of general forces; kinematic coordinates
  const bool *kinematic; // [L.nq] NULL: none
  const bool *length;    // [L.nq] is it in m? Else it is an angle, or a number; NULL: none is
  double extent; // m: how far the robot reaches, coordinates apart; 0: not known, or a point
  const double *damping;    // [L.nq]  N s/m or N m s; NULL: none
  const double *inertia;    // [L.nq]  of what damping slows; 0, NULL: not known
  const int *input_coord;   // [nu - force.nu] coordinate on which input i acts
  const double *input_gear; // [nu - force.nu] its force there for u = 1; NULL: 1
} dm_system;

// Entries of u: forces, then the next values of kinematic coordinates.
static inline int dm_system_inputs(const dm_system *s) {
  return s->nu + s->nk;
}

// A length of the robot at q [nq], by which what is in m is compared: its extent, or the farthest of
// coordinates that are lengths. 0: neither has one.
double dm_system_length(const dm_system *s, const double *q);

// The sizes [2n] of (q,v) in a motion by steps of h > 0: 1 of an angle, the extent of a length or 1 where there is
// none, and rates by which they pass in a hundred steps.
void dm_system_motion_sizes(const dm_system *s, double h, double *size);

// The rate at which damping alone slows coordinate i, damping over inertia [1/s]; 0 where there is
// none, the inertia is not known, or the motion is prescribed.
double dm_system_decay(const dm_system *s, int i);

// Add a general force; its inputs follow those at joints and those of the general forces before it.
void dm_system_add_force(dm_system *s, dm_force force);

// The rules, a row each: the word of problem files, then members of dm_rule. Of discrete
// Lagrangians points, weights and nodes within the step, of forces the share at the left end.
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

// The same as tables, for readers and error messages. `midpoint` puts half of a force's impulse at
// either end, `left` all at the left, as in paper 001.
extern const struct dm_rule_name {
  const char *name;
  dm_rule rule;
} dm_lagrangian_rules[], dm_force_rules[]; // ended by a NULL name

// Set the rule from names, with alpha in [0,1] the place of the midpoint rule's point (1/2 is
// second order; other rules ignore no alpha but 1/2: they return DM_BAD_INPUT). Where the rule has
// nodes within the step, these share forces out, and no force rule but `midpoint` is taken.
// Returns DM_OK, or DM_BAD_INPUT with the known names in msg.
dm_status dm_rule_set(dm_rule *rule, const char *lagrangian, double alpha, const char *force,
                      dm_message *msg);

// Check that a system can be stepped: the sizes agree, a rule is set, all numbers are finite, damping,
// inertia and lag are not negative, and inputs act on coordinates that exist. Cost O(L.nq + nu).
// Returns DM_OK, or DM_BAD_INPUT with a sentence in msg that names the member and its index.
dm_status dm_system_check(const dm_system *s, dm_message *msg);

DM_END_C
#endif
