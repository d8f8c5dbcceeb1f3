// control/loop/attraction.h: from how far do the gains bring a machine back? A region of attraction
// around the motion's start, claimed with a given confidence.
//
//   ellipsoid of size r:   sum_i (d_i / spread_i)^2 <= r^2      d [2n] the start error in (q,v)
//
//   1  bisection brackets the largest size that succeeds along random directions
//   2  the first r is the size that all but a share 1 - rate of the directions reach
//   3  independent samples, uniform in the ellipsoid, are run; with the given confidence, at least
//      a share p of its starts succeeds (fb_binomial_lower_bound)
//   4  if p >= rate, that is the claim; else r <- 0.8 r, and 3 again
//
// Starts outside the position limits (control/loop/position_limits.h) are not admissible: step 1
// ends the direction there without a failure, step 3 draws them again. The claim therefore covers
// the starts of the ellipsoid within the limits.
//
// Try k = 1, 2, .. of step 3 may err by (1 - c) / 2^k, where c is the confidence, so the total
// error is less than 1 - c.
//
// Source: docs/theory.md section 24; [clopper-1934] in docs/sources.md.
#ifndef FB_LOOP_ATTRACTION_H
#define FB_LOOP_ATTRACTION_H
#include "control/loop/monte_carlo.h"

DM_BEGIN_C

typedef struct fb_attraction_settings {
  int directions, halvings; // for bisection: rays, and halvings of each bracket
  int samples;              // per claim
  double max_size;          // first size tried along a direction, in spreads
  double rate, confidence;  // of the claim
} fb_attraction_settings;

typedef struct fb_attraction_claim {
  double size;            // of the ellipsoid; 0: no claim is possible
  int succeeded, samples; // of the last try
  double rate_bound;      // lower bound on its success rate
  int tries;
} fb_attraction_claim;

// Runs samples: fb_monte_carlo_run, in one process or distributed over many.
typedef struct fb_runner {
  dm_status (*run)(void *self, const fb_monte_carlo_settings *set, fb_sample *rows);
  void *self;
} fb_runner;

// Bracket the size along each direction (step 1 above). A start that fails below a bracket is not
// seen.
//   set     samples, seed and spreads are set here; the rest applies to all runs
//   radius  out [2 x directions]: the largest size that succeeded, 0 .. max_size; then the smallest
//           that failed, max_size if none did; INFINITY if a position limit ends the direction
//           before a failure
//   rows    [directions] scratch
// Returns the status of the runner. Cost: halvings + 1 runs per direction.
dm_status fb_attraction_search(const fb_runner *runner, const fb_monte_carlo_settings *set,
                               const fb_attraction_settings *region, double *radius,
                               fb_sample *rows);

// The minimum number of samples for a claim: if all of them succeed, the first try makes it.
double fb_attraction_needs(double rate, double confidence);

// Find the largest ellipsoid for which the claim can be made (steps 2 to 4). Its samples are
// independent of those of the directions in everything drawn by (seed, sample), including the
// machines, because the size was found with those.
//   radius  [2 x directions] from fb_attraction_search
//   rows    [samples] out: the last try
// Returns the status of the runner. Cost: at most 16 tries of `samples` runs.
dm_status fb_attraction_assess(const fb_runner *runner, const fb_monte_carlo_settings *set,
                               const fb_attraction_settings *region, const double *radius,
                               fb_attraction_claim *out, fb_sample *rows);

// The share of the radii [n] below size.
double fb_attraction_below(int n, const double *radius, double size);

DM_END_C
#endif
