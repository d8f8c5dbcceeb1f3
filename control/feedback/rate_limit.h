// control/feedback/rate_limit.h: how fast the inputs that a law gives may change.
//
//   u_k in [u_k-1 - r h, u_k-1 + r h]     r [nu], per s; u_-1 is the plan's
//
// u_k-1 is the input as it was applied, limits included: a law that has been cut goes on from there.
// The plan itself has to keep it, or the law cannot follow.
#ifndef FB_FEEDBACK_RATE_LIMIT_H
#define FB_FEEDBACK_RATE_LIMIT_H
#include "lib/base/linkage.h"

DM_BEGIN_C

// The change of the inputs u [N x nu], steps h apart, that is the most times its limit, where that is
// more than 1 + 1e-6: returns the knot k of u_k+1 - u_k, with its input in *i; -1: there is none.
int fb_rate_limit_broken(int N, int nu, double h, const double *u, const double *limit, int *i);

DM_END_C
#endif
