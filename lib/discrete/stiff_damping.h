// lib/discrete/stiff_damping.h: adds inertia to a system so that steps of length h resolve stiff
// damping.
//
// The midpoint rule multiplies the velocity of a damped coordinate by (1 - x)/(1 + x), x = h d/2M:
// for steps much longer than M/d by almost -1, so that velocities oscillate. With an additional
// inertia A,
//
//   M + A = h d (1 - left + left exp(-y)) / (1 - exp(-y)),      y = h d / M
//
// (h d/2 coth(y/2) for the midpoint rule) the factor is the exact exp(-y). L + v.A v/2 replaces L
// in steps, in their derivatives, and in p = L_v of every state. Equilibria, terminal velocities,
// forces and constraints do not change, and the map remains variational. Continuous motion does not
// include A (lib/mechanics/continuous.h).
//
// The position then changes by the mean of two velocities, whereas the exact flow is closer to the
// second one; over a step, the difference is A/d times the change of velocity. The q of a state
// therefore lags behind the position Q,
//
//   (q,p) = (Q - lag V, L_v(q,V)),      lag = A/d
//
// where V is the velocity. Interfaces to plants and measurements convert between the two
// (lib/mechanics/continuous.h); then the map of one coordinate under a constant force is exact.
// Constraints refer to q: coordinates in a constraint have no lag.
//
// M is a constant for each coordinate, the least inertia felt by a force on it alone
// (dm_model.inertia). Only coordinates with y > 1 get A; others are bitwise unchanged, as is every
// system for sufficiently short steps.
//
// Source: [liniger-willoughby-1970]; docs/theory.md section 1.
#ifndef DM_DISCRETE_STIFF_DAMPING_H
#define DM_DISCRETE_STIFF_DAMPING_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_stiff_damping {
  dm_lagrangian L; // without A
  int n;
  double *added;     // [n] A, kg or kg m2
  double *delay;     // [n] s: lag of each coordinate
  const double *lag; // delay; NULL if all are 0
  int count;         // number of nonzero A
} dm_stiff_damping;

// Prepare a system for steps of length h > 0 [s]; s is copied, and its data must outlive out.
// Constraints are evaluated at one position to find their coordinates. Returns DM_OK or
// DM_NO_MEMORY.
dm_status dm_stiff_damping_new(dm_stiff_damping **out, const dm_system *s, double h);
void dm_stiff_damping_free(dm_stiff_damping *w);

// The system s from which w was made, with A; s itself if nothing is added. w must outlive it. Its
// evaluations cost the same as those of s, and do not allocate.
dm_system dm_stiff_damping_system(const dm_stiff_damping *w, const dm_system *s);

DM_END_C
#endif
