#include "lib/multibody/turn.h"

#include "lib/base/dense.h"

#include <math.h>

// the angle between two attitudes, for quaternions of any length > 0
static double find_ball_turn(const double *a, const double *b) {
  double apart = 0, along = 0;
  for (int i = 0; i < 4; i++) {
    apart += (b[i] - a[i]) * (b[i] - a[i]);
    along += (b[i] + a[i]) * (b[i] + a[i]);
  }

  // a quaternion moves by half the angle of its rotation
  return 4 * atan2(sqrt(apart), sqrt(along));
}

static void keep_larger(dm_turn *most, double angle, int coord, int knot) {
  if (isnan(angle)) angle = INFINITY;
  if (angle > most->angle) *most = (dm_turn){angle, coord, knot};
}

dm_turn dm_turn_largest(const dm_model *m, int N, const double *q) {
  dm_turn most = {.angle = -1, .coord = -1};
  for (int k = 0; k < N; k++) {
    const double *from = dm_row(q, k, m->nq), *to = from + m->nq;

    for (int i = 0; i < m->nq; i++)
      if (m->kind[i] == DM_TURN) keep_larger(&most, fabs(to[i] - from[i]), i, k);

    for (int b = 0; m->quaternion && b < m->nball; b++) {
      int i = m->quaternion[b];
      keep_larger(&most, find_ball_turn(from + i, to + i), i, k);
    }
  }
  if (most.coord < 0) most.angle = 0;
  return most;
}
