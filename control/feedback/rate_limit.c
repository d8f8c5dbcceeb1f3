#include "control/feedback/rate_limit.h"

#include <math.h>
#include <stddef.h>

int fb_rate_limit_broken(int N, int nu, double h, const double *u, const double *limit, int *i) {
  double most = 1 + 1e-6;
  int knot = -1;
  for (int k = 0; k + 1 < N; k++)
    for (int j = 0; j < nu; j++) {
      const double *now = u + (size_t)k * (size_t)nu + j;
      const double times = fabs(now[nu] - now[0]) / (limit[j] * h);
      if (!(times > most)) continue;
      most = times;
      knot = k;
      *i = j;
    }
  return knot;
}
