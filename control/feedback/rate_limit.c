#include "control/feedback/rate_limit.h"

#include <math.h>
#include <stddef.h>

int fb_rate_limit_broken(int N, int nu, double h, const double *u, const double *limit, int *i) {
  for (int k = 0; k + 1 < N; k++)
    for (*i = 0; *i < nu; ++*i) {
      const double *now = u + (size_t)k * (size_t)nu + *i;
      if (fabs(now[nu] - now[0]) > (1 + 1e-6) * limit[*i] * h) return k;
    }
  return -1;
}
