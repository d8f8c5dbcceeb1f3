// lib/discrete/stiff_damping.h: a system whose stiff damping steps of length h follow.
//
// The midpoint rule multiplies the velocity of a damped coordinate by (1 - x)/(1 + x), x = h d/2M:
// where the step is long beside M/d, by almost -1, and velocities ring. With an inertia A more,
//
//   M + A = h d (1 - left + left exp(-y)) / (1 - exp(-y)),      y = h d / M
//
// (h d/2 coth(y/2) for the midpoint rule) the factor is that of the flow, exp(-y). So L + v.A v/2
// stands in the place of L: in steps, in their derivatives, and in p = L_v of every state. Places
// of rest, terminal velocities, forces and constraints are what they were, and the map is
// variational as before. What moves in continuous time has no A (lib/mechanics/continuous.h).
//
// Its position then goes by the mean of two speeds where by the flow the second alone would count
// for much: over a step the two differ by A/d times the change of speed. So a state's q lags,
//
//   (q,p) = (Q - lag V, L_v(q,V)),      lag = A/d
//
// of what is at Q and has V; what meets the world, plants and measurements, converts
// (lib/mechanics/continuous.h), and the map of one coordinate under a constant force is the flow.
// Constraints hold for q alone: coordinates that stand in one have no lag.
//
// M is a constant of the coordinate, the least inertia that a force on it alone moves
// (dm_model.inertia). Only coordinates with y > 1 get A: all others keep their bits, and so does
// every system once steps are short enough.
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
  double *delay;     // [n] s: the lag of each
  const double *lag; // delay; NULL where all are 0
  int count;         // how many of A are not 0
} dm_stiff_damping;

// The same system for steps of length h, > 0 [s]; s is copied, and what it points at must outlive
// out. Constraints are evaluated in one place for what stands in them. Returns DM_OK or
// DM_NO_MEMORY.
dm_status dm_stiff_damping_new(dm_stiff_damping **out, const dm_system *s, double h);
void dm_stiff_damping_free(dm_stiff_damping *w);

// s, the system that w was made of, with A; s itself where nothing is added. w must outlive it. It
// costs as much as s, and does not allocate.
dm_system dm_stiff_damping_system(const dm_stiff_damping *w, const dm_system *s);

DM_END_C
#endif
