#include "control/loop/attraction.h"

#include "control/loop/binomial.h"
#include "lib/base/random.h"

#include <assert.h>
#include <math.h>

// where starts are drawn: on rays, or in an ellipsoid
typedef struct start_region {
  const fb_monte_carlo_settings *set;
  uint64_t seed;
  const double *low, *high; // rays, per sample: midway between low and |high|; NULL: an ellipsoid
  double size;              // of the ellipsoid
  int first;                // first sample
} start_region;

// the spread of entry i of (q,v)
static double get_spread(const start_region *g, int n, int i) {
  return i < n ? g->set->spread_q[i] : g->set->spread_v[i - n];
}

// the start error d [2n] of sample s after `again` rejected draws, see
// fb_monte_carlo_settings.redraw
static void redraw_start(const void *from, int n, int s, int again, double *d) {
  const start_region *g = from;

  // a ray has only one start
  for (int i = 0; g->low && again > 0 && i < 2 * n; i++) d[i] = NAN;
  if (g->low && again > 0) return;

  // a direction, isotropic in the m entries that have a spread: normal numbers over their norm
  const uint64_t first = 2 * (uint64_t)n * (uint64_t)again;
  double square = 0;
  int m = 0;
  for (int i = 0; i < 2 * n; i++) {
    d[i] = get_spread(g, n, i) > 0 ? dm_random_normal(g->seed, s, first + (uint64_t)i) : 0;
    square += d[i] * d[i];
    m += get_spread(g, n, i) > 0;
  }

  // distance along it: the middle of a bracket; in an ellipsoid, whose volume grows as r^m, the
  // m-th root of a uniform number distributes starts uniformly
  double inside = (1 + dm_random_uniform(g->seed, s, (uint64_t)again)) / 2;
  double root = m ? 1. / m : 0;
  double size = g->low ? (g->low[s] + fabs(g->high[s])) / 2 : g->size * pow(inside, root);
  for (int i = 0; square > 0 && i < 2 * n; i++) d[i] *= size * get_spread(g, n, i) / sqrt(square);
}

static void draw_start(const void *from, int n, int s, double *d) {
  redraw_start(from, n, s, 0, d);
}

static dm_status run_starts(const fb_runner *runner, const start_region *g, int samples,
                            fb_sample *rows) {
  // the caller's settings except the starts
  fb_monte_carlo_settings set = *g->set;
  set.samples = samples;
  set.first = g->first;
  set.draw = draw_start;
  set.redraw = redraw_start;
  set.from = g;
  return runner->run(runner->self, &set, rows);
}

dm_status fb_attraction_search(const fb_runner *runner, const fb_monte_carlo_settings *set,
                               const fb_attraction_settings *region, double *radius,
                               fb_sample *rows) {
  double *low = radius, *high = radius + region->directions;
  assert(runner->run && region->directions >= 0 && region->halvings >= 0);

  // the first try of each direction is at the largest size, the upper end of every bracket
  start_region g = {.set = set, .seed = set->seed + 1, .low = low, .high = high};
  for (int i = 0; i < region->directions; i++) low[i] = high[i] = region->max_size;
  for (int k = 0; k <= region->halvings; k++) {
    dm_status s = run_starts(runner, &g, region->directions, rows);
    if (s != DM_OK) return s;

    // bisection; if the first try fails, the bracket is [0, most]. A start outside the position
    // limits is not admissible: it ends the bracket, marked by a minus sign, but does not count as
    // a failure
    for (int i = 0; i < region->directions; i++) {
      double middle = (low[i] + fabs(high[i])) / 2;
      if (rows[i].succeeded)
        low[i] = middle;
      else if (k > 0 || rows[i].outside >= 0)
        high[i] = rows[i].outside >= 0 ? -middle : middle;
      if (k == 0 && !rows[i].succeeded) low[i] = 0;
    }
  }
  for (int i = 0; i < region->directions; i++)
    if (high[i] < 0) high[i] = INFINITY;
  return DM_OK;
}

double fb_attraction_below(int n, const double *radius, double size) {
  int below = 0;
  for (int i = 0; i < n; i++) below += radius[i] < size;
  return (double)below / n;
}

// the reach of a direction: the largest size that succeeded, or the smallest that failed; if no
// start failed but the position limits end it, the largest size tried
static double get_reach(const fb_attraction_settings *region, const double *radius, bool failed,
                        int i) {
  const double end = radius[region->directions + i];
  if (isinf(end)) return region->max_size;
  return failed ? end : radius[i];
}

// the largest reach that at most a share 1 - rate of all reaches lie below
static double find_reach_quantile(const fb_attraction_settings *region, const double *radius,
                                  bool failed) {
  const int n = region->directions;
  double best = 0;
  for (int i = 0; i < n; i++) {
    const double reach = get_reach(region, radius, failed, i);
    int below = 0;
    for (int j = 0; j < n; j++) below += get_reach(region, radius, failed, j) < reach;
    if ((double)below / n <= 1 - region->rate) best = fmax(best, reach);
  }
  return best;
}

double fb_attraction_needs(double rate, double confidence) {
  // all n succeed with probability rate^n at most; the first try may err by (1 - confidence) / 2
  return ceil(log((1 - confidence) / 2) / log(rate));
}

dm_status fb_attraction_assess(const fb_runner *runner, const fb_monte_carlo_settings *set,
                               const fb_attraction_settings *region, const double *radius,
                               fb_attraction_claim *out, fb_sample *rows) {
  enum { TRIES = 16 };
  assert(runner->run && out && region->rate > 0 && region->rate <= 1);

  // the first size: all but a share 1 - rate of the directions reach it; if it is 0 because the
  // brackets are wide, use the sizes that failed
  double size = find_reach_quantile(region, radius, false);
  if (!(size > 0)) size = find_reach_quantile(region, radius, true);

  double error = 1 - region->confidence;
  *out = (fb_attraction_claim){.samples = region->samples};
  for (int k = 0; k < TRIES && size > 0; k++, size *= 0.8) {
    // independent samples: another seed, and sample numbers after those of the directions
    start_region g = {
        .set = set, .seed = set->seed + 2 + (uint64_t)k, .size = size, .first = region->directions};
    dm_status s = run_starts(runner, &g, region->samples, rows);
    if (s != DM_OK) return s;

    // try k = 1, 2, .. may err by (1 - c) / 2^k, so the total error is less than 1 - c
    error /= 2;
    out->tries = k + 1;
    out->succeeded = fb_monte_carlo_verdict(rows, region->samples).succeeded;
    out->rate_bound = fb_binomial_lower_bound(out->succeeded, region->samples, 1 - error);
    if (out->rate_bound < region->rate) continue;
    out->size = size;
    return DM_OK;
  }
  return DM_OK;
}
