// control/loop/attraction.h: from how far do gains bring a machine back?
//
// Starts are told in spreads: an ellipsoid of size r is sum (d_i / spread_i)^2 <= r^2 over (q,v).
// Along random directions from the motion's start the largest size that holds is bracketed by
// bisection; of an ellipsoid something is claimed by samples of their own, uniform in it, and the
// bound of control/loop/binomial.h: with confidence c at least the rate of its starts hold. Sizes
// are tried from the one that the directions tell downwards; try k may err by (1 - c) / 2^k, so
// that all together err by less than 1 - c.
#ifndef FB_LOOP_ATTRACTION_H
#define FB_LOOP_ATTRACTION_H
#include "control/loop/monte_carlo.h"

DM_BEGIN_C

typedef struct fb_attraction_settings {
  int directions, halvings, samples;
  double most;             // size that is tried first
  double rate, confidence; // of the claim
} fb_attraction_settings;

typedef struct fb_attraction_claim {
  double size;       // of the ellipsoid; 0: nothing can be claimed
  int held, samples; // of the last try
  double at_least;   // the bound of its rate
  int tries;
} fb_attraction_claim;

// How samples are run: fb_monte_carlo_run, by one process or shared by many.
typedef struct fb_runner {
  dm_status (*run)(void *self, const fb_monte_carlo_settings *set, fb_sample *rows);
  void *self;
} fb_runner;

// Bracket the size along each direction. What fails below the bracket is not seen.
//   set     its samples, seed, spreads are set here; the rest is for all that run
//   radius  out [2 x directions]: the largest that held, 0 .. most; then the least that failed,
//           most where none did
//   rows    [directions] scratch
// Returns as the runner. Cost: halvings + 1 runs of a sample for each direction.
dm_status fb_attraction_search(const fb_runner *runner, const fb_monte_carlo_settings *set,
                               const fb_attraction_settings *region, double *radius,
                               fb_sample *rows);

// How many samples a claim takes at least, whatever they say: so many that all hold.
double fb_attraction_needs(double rate, double confidence);

// The largest ellipsoid of which the claim can be made. Its samples are others than the directions'
// in all that is drawn by (seed, sample), the machines included: the size was found with those.
//   radius  [2 x directions] as found above
//   rows    [samples] out: of the last try
dm_status fb_attraction_assess(const fb_runner *runner, const fb_monte_carlo_settings *set,
                               const fb_attraction_settings *region, const double *radius,
                               fb_attraction_claim *out, fb_sample *rows);

// The share of the radii that lies below size.
double fb_attraction_below(int n, const double *radius, double size);

DM_END_C
#endif
