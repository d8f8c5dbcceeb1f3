// control/loop/binomial.h: what a count of successes says of the chance of success.
//
// Source: [clopper-1934] in docs/sources.md; the incomplete beta function by the continued fraction
// of [dlmf] 8.17.
#ifndef FB_LOOP_BINOMIAL_H
#define FB_LOOP_BINOMIAL_H
#include "lib/base/linkage.h"

DM_BEGIN_C

// The chance that a beta variable with parameters a, b > 0 is at most x in [0,1]. Relative error
// some 1e-12.
double fb_binomial_beta(double a, double b, double x);

// The interval of Clopper and Pearson: whatever the chance p of success is, intervals of so many of
// n independent trials contain p at least as often as `confidence`, half of the rest off either side.
//   successes   of n trials; n 0: [0, 1]
void fb_binomial_interval(int successes, int n, double confidence, double *low, double *high);

// The one-sided bound: p is at least this, with that confidence.
double fb_binomial_lower_bound(int successes, int n, double confidence);

DM_END_C
#endif
