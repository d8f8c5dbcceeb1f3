// lib/discrete/certify.h: verifies a motion against the discrete map.
//
//   gap         |step(x_k, u_k) - x_k+1|   one step from every knot, by an integrator independent
//               of the program that found the motion
//   drift       |roll(x_0, u)_k - x_k|     open-loop simulation from the start
//   residual    |h(q_k)|                   constraints
//
// A motion that a solver reports as optimal may violate the map if its tolerances are loose; the
// gap measures this violation. The drift grows with the instability of the motion: a large drift
// with a small gap means that the motion needs feedback.
#ifndef DM_DISCRETE_CERTIFY_H
#define DM_DISCRETE_CERTIFY_H
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

// Larger gaps are not rounding: the motion is not a motion of the system.
#define DM_CERTIFIED 1e-8

typedef struct dm_certificate {
  double gap;      // the largest, relative to scale + |value|; INFINITY: a step failed
  int gap_knot;    // start of that step
  double drift;    // max |q - q_roll| over all knots, rad or m; INFINITY: the simulation failed
  int drift_knot;  // knot at which it failed; -1: none
  double residual; // the largest |h|; 0 without constraints                                rad or m
  int row, residual_knot; // its constraint and knot; row -1: no constraints
} dm_certificate;

// Certify a motion x of the system s.
//   scale  scale of the gaps (lib/mechanics/scale.h); NULL: 1 for each coordinate and momentum
// Returns DM_OK for any result; DM_NO_MEMORY, or the status of a failed constraint evaluation.
// Cost: two steps and one evaluation of the constraints per knot.
dm_status dm_certify(const dm_trajectory *x, const dm_system *s, const dm_scale *scale,
                     dm_certificate *out);

DM_END_C
#endif
