// lib/multibody/steering.h: steering: a force across the velocity, that turns a motion and does no
// work, as a magnetic field does to a charge or a spinning rotor to its frame,
//
//   f = u S v,  S = sum factor (e_b e_a' - e_a e_b')      over planes of two coordinates a, b
//
// u > 0 turns from a towards b. A load of this kind stands in lib/multibody/load.h. A step from q0 to
// q1 has v = (q1-q0)/h all along, and either impulse of the force is a multiple of S (q1-q0): its work,
// the product with q1 - q0, is zero to rounding, whatever u and h are. By the rules midpoint and
// trapezoid, where both ends have half, steps keep the energy of a particle under no other force; a
// rule with nodes within the step does so to its order.
//
// Source: docs/theory.md section 10.
#ifndef DM_MULTIBODY_STEERING_H
#define DM_MULTIBODY_STEERING_H
#include "lib/mechanics/force.h"

DM_BEGIN_C

// A plane of two coordinates, and its entry in S: N s/m where u is a number.
typedef struct dm_plane {
  int coord[2];
  double factor;
} dm_plane;

// Add u S v of n coordinates (order 1), and its derivatives (order 2), to what stands in out.
//   input  its column in f_u, of nu; -1: u is no input
void dm_steering_add(int nplanes, const dm_plane *plane, int n, int order, double u, int input,
                     int nu, const double *v, dm_force_jet *out);

// Add the second derivatives of mu.f, which are by v and u alone.
void dm_steering_contract(int nplanes, const dm_plane *plane, int input, int nu, const double *mu,
                          dm_force_hessian *out);

DM_END_C
#endif
