// control/loop/binomial.h: confidence bounds on a success rate from a number of successes.
//
// Source: [clopper-1934] in docs/sources.md; the incomplete beta function by the continued fraction
// of [dlmf] 8.17.
#ifndef FB_LOOP_BINOMIAL_H
#define FB_LOOP_BINOMIAL_H
#include "lib/base/linkage.h"

DM_BEGIN_C

// The probability that a beta variable with parameters a, b > 0 is at most x in [0,1]. Relative
// error about 1e-12.
double fb_binomial_beta(double a, double b, double x);

// The Clopper-Pearson interval: for any success probability p, the interval from n independent
// trials contains p with probability at least `confidence`; the rest is split equally between both
// sides.
//   successes   out of n trials; for n = 0 the interval is [0, 1]
void fb_binomial_interval(int successes, int n, double confidence, double *low, double *high);

// The one-sided bound: with the given confidence, p is at least this value.
double fb_binomial_lower_bound(int successes, int n, double confidence);

DM_END_C
#endif
