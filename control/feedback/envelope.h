// control/feedback/envelope.h: where a law is meant to act, and what acts in its place beyond.
//
//   lost    once a measured |q - q_d|_i > bound_i, or dx'P_k dx > cost, and from then on until a
//           new run
//   u = -D v where it is lost, cut to limits; D = 0: no force
//
// Linear gains far from their plan add energy as readily as they take it: what does not come back
// is better left without them. Entries that are not finite tell nothing of where the robot is.
//
// P_k are the Riccati matrices of the gains (control/feedback/tvlqr.h), dx'P_k dx what is left to pay
// by the linear law: it weighs places and momenta as the law's own dynamics do, and falls from step
// to step where these are true. In what is measured, dx = J dy, it is dy'(J'P_k J) dy.
//
// Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_ENVELOPE_H
#define FB_FEEDBACK_ENVELOPE_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef struct fb_envelope {
  const double *bound;   // [n] of each coordinate, > 0; INFINITY: none             m or rad
  const double *damping; // [nu] D                                        N s/m or N m s/rad
  const int *along;      // [nu] the coordinate whose speed that is of
  double cost;           // of dx'P dx, > 0; 0: it is not watched; INFINITY: watched without a bound
} fb_envelope;

// What a run has come to.
typedef struct fb_excursion {
  int left;     // the step at which it left the envelope; -1: it did not
  double reach; // max |q - q_d|_i / bound_i, sqrt(dx'P dx / cost) over the steps so far
  double cost;  // max dx'P dx over them, where it is watched
} fb_excursion;

DM_END_C
#endif
