// control/feedback/rate_limit.h: limits on the rate of a law's inputs.
//
//   u_k in [u_k-1 - r h, u_k-1 + r h]     r [nu], per s; u_-1 is the plan's
//
// u_k-1 is the applied input, limits included, so the law continues from a cut input. The plan
// itself must satisfy the limit, or the law cannot follow it.
#ifndef FB_FEEDBACK_RATE_LIMIT_H
#define FB_FEEDBACK_RATE_LIMIT_H
#include "lib/base/linkage.h"

DM_BEGIN_C

// Find the change of the inputs u [N x nu], steps h apart, that exceeds its limit by the largest
// factor, if that is more than 1 + 1e-6: returns the knot k of u_k+1 - u_k, with the input in *i;
// -1: all changes are within their limits.
int fb_rate_limit_broken(int N, int nu, double h, const double *u, const double *limit, int *i);

DM_END_C
#endif
