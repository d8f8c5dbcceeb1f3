// lib/multibody/steering.h: steering: a force normal to the velocity, which changes the direction
// of motion and does no work, like a magnetic force on a charge or the gyroscopic force of a
// spinning rotor,
//
//   f = u S v,  S = sum factor (e_b e_a' - e_a e_b')      over planes of two coordinates a, b
//
// u > 0 rotates the motion from a towards b. lib/multibody/load.h provides it as a load. A step
// from q0 to q1 has the constant velocity v = (q1-q0)/h, and both impulses of the force are
// multiples of S (q1-q0), so that the work, the product with q1 - q0, is zero to rounding for any u
// and h. With the rules midpoint and trapezoid, which assign half of the force to each end, steps
// keep the energy of a particle without other forces; a rule with inner nodes keeps it to its
// order.
//
// Source: docs/theory.md section 10.
#ifndef DM_MULTIBODY_STEERING_H
#define DM_MULTIBODY_STEERING_H
#include "lib/mechanics/force.h"

DM_BEGIN_C

// A plane of two coordinates, and its factor in S: N s/m if u is dimensionless.
typedef struct dm_plane {
  int coord[2];
  double factor;
} dm_plane;

// Add u S v for n coordinates (order 1), and its derivatives (order 2), to out.
//   input  column in f_u, out of nu; -1: u is not an input
void dm_steering_add(int nplanes, const dm_plane *plane, int n, int order, double u, int input,
                     int nu, const double *v, dm_force_jet *out);

// Add the second derivatives of mu.f, which are those by v and u.
void dm_steering_contract(int nplanes, const dm_plane *plane, int input, int nu, const double *mu,
                          dm_force_hessian *out);

DM_END_C
#endif
