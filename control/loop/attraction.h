// control/loop/attraction.h: from how far do gains bring a machine back? A region of attraction of
// the motion's start, with a claim that has a confidence.
//
//   ellipsoid of size r:   sum_i (d_i / spread_i)^2 <= r^2      d [2n] the start error in (q,v)
//
//   1  along random directions the largest size that holds is bracketed by bisection
//   2  the first r is what all but a share 1 - rate of the directions reach
//   3  samples of their own, uniform in the ellipsoid, are run; with confidence at least a share
//      p of its starts holds (fb_binomial_lower_bound)
//   4  where p >= rate that is the claim; else r <- 0.8 r, and 3 again
//
// Starts outside the limits of positions (control/loop/position_limits.h) are none: in 1 they end a
// direction without a failure, in 3 they are drawn again, so that the claim is of the starts of the
// ellipsoid within the limits.
//
// Try k = 1, 2, .. of 3 may err by (1 - c) / 2^k, c the confidence, so that all together err by
// less than 1 - c.
//
// Source: docs/theory.md section 24; [clopper-1934] in docs/sources.md.
#ifndef FB_LOOP_ATTRACTION_H
#define FB_LOOP_ATTRACTION_H
#include "control/loop/monte_carlo.h"

DM_BEGIN_C

typedef struct fb_attraction_settings {
  int directions, halvings; // of the bisection: rays, and halvings of each bracket
  int samples;              // of a claim
  double max_size;          // size that is tried first along a direction, in spreads
  double rate, confidence;  // of the claim
} fb_attraction_settings;

typedef struct fb_attraction_claim {
  double size;            // of the ellipsoid; 0: nothing can be claimed
  int succeeded, samples; // of the last try
  double rate_bound;      // the bound of its rate
  int tries;
} fb_attraction_claim;

// How samples are run: fb_monte_carlo_run, by one process or shared by many.
typedef struct fb_runner {
  dm_status (*run)(void *self, const fb_monte_carlo_settings *set, fb_sample *rows);
  void *self;
} fb_runner;

// Bracket the size along each direction (1 above). A start that fails below a bracket is not seen.
//   set     its samples, seed, spreads are set here; the rest is for all that run
//   radius  out [2 x directions]: the largest that succeeded, 0 .. max_size; then the smallest
//           that failed, max_size where none did; INFINITY where a limit of a position ends the
//           direction before one does
//   rows    [directions] scratch
// Returns as the runner. Cost: halvings + 1 runs of a sample for each direction.
dm_status fb_attraction_search(const fb_runner *runner, const fb_monte_carlo_settings *set,
                               const fb_attraction_settings *region, double *radius,
                               fb_sample *rows);

// How many samples a claim takes at least: if all of so many hold, the first try makes it.
double fb_attraction_needs(double rate, double confidence);

// Find the largest ellipsoid of which the claim can be made (2 to 4). Its samples are others than
// the directions' in all that is drawn by (seed, sample), the machines included: the size was found
// with those.
//   radius  [2 x directions] as found above
//   rows    [samples] out: of the last try
// Returns as the runner. Cost: 16 tries at most, of so many samples each.
dm_status fb_attraction_assess(const fb_runner *runner, const fb_monte_carlo_settings *set,
                               const fb_attraction_settings *region, const double *radius,
                               fb_attraction_claim *out, fb_sample *rows);

// The share of the radii [n] that lies below size.
double fb_attraction_below(int n, const double *radius, double size);

DM_END_C
#endif
