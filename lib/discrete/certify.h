// lib/discrete/certify.h: what a motion is worth: how far it is from one that the map itself makes.
//
//   gap         |step(x_k, u_k) - x_k+1|   every knot stepped once, by an integrator that shares
//                                          nothing with the program that found the motion
//   drift       |roll(x_0, u)_k - x_k|     the whole motion from its start, without feedback
//   residual    |h(q_k)|                   its constraints
//
// A motion that a solver calls optimal may miss the map where its tolerances are loose: the gap
// says by how much. The drift grows with the motion's own instability, so that a large one beside a
// small gap says that the motion needs feedback.
#ifndef DM_DISCRETE_CERTIFY_H
#define DM_DISCRETE_CERTIFY_H
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

// Larger gaps than this are no rounding: such a motion is not one of the system.
#define DM_CERTIFIED 1e-8

typedef struct dm_certificate {
  double gap;      // the largest, relative to scale + |value|; INFINITY: a step could not be taken
  int gap_knot;    // the knot that was stepped
  double drift;    // max |q - q_roll| at all knots, rad or m; INFINITY: it could not be rolled out
  int drift_knot;  // that could not be stepped beyond; -1: none
  double residual; // the largest |h|; 0 without constraints                                rad or m
  int row, residual_knot; // of that constraint, at this knot; row -1: there are none
} dm_certificate;

// Certify a motion x of the system s.
//   scale  by which gaps are measured (lib/mechanics/scale.h); NULL: 1 of each coordinate and momentum
// Returns DM_OK, whatever the figures; DM_NO_MEMORY, or what a constraint failed with. Cost: two
// steps a knot, and the constraints there.
dm_status dm_certify(const dm_trajectory *x, const dm_system *s, const dm_scale *scale,
                     dm_certificate *out);

DM_END_C
#endif
