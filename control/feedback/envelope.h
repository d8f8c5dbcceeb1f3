// control/feedback/envelope.h: the region where a law acts, and the fallback outside it.
//
//   lost    once a measured |q - q_d|_i > bound_i, or dx'P_k dx > cost, and from then on until a
//           new run
//   u = -D v if lost, cut to limits; D = 0: no force
//
// Far from the plan, linear gains may add energy as readily as they remove it; a robot that does
// not return is safer without them. Entries that are not finite carry no information on the robot's
// state.
//
// P_k are the Riccati matrices of the gains (control/feedback/tvlqr.h), dx'P_k dx the cost-to-go
// under the linear law: it weights positions and momenta according to the closed-loop dynamics, and
// decreases from step to step where the linearization is accurate. In terms of the measurement, dx
// = J dy, it is dy'(J'P_k J) dy.
//
// Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_ENVELOPE_H
#define FB_FEEDBACK_ENVELOPE_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef struct fb_envelope {
  const double *bound;   // [n] per coordinate, > 0; INFINITY: none [m or rad]
  const double *damping; // [nu] D [N s/m or N m s/rad]
  const int *along;      // [nu] the coordinate of the speed v
  double cost;           // bound of dx'P dx, > 0; 0: not monitored; INFINITY: monitored without a
                         // bound
} fb_envelope;

// The excursion of a run.
typedef struct fb_excursion {
  int left;     // the step at which it left the envelope; -1: it did not
  double reach; // max |q - q_d|_i / bound_i, sqrt(dx'P dx / cost) over the steps so far
  double cost;  // max dx'P dx over the same steps, if it is monitored
} fb_excursion;

DM_END_C
#endif
