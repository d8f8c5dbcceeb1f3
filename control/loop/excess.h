// control/loop/excess.h: how far a motion goes beyond its limits, where, and when.
//
//   by = max(low - x, x - high)     share = by / size     worst: the largest share
//
// Values are added one after the other, and the worst so far stays.
#ifndef FB_LOOP_EXCESS_H
#define FB_LOOP_EXCESS_H
#include "lib/base/linkage.h"

#include <stdbool.h>

DM_BEGIN_C

// Limits, each NULL where there are none, INFINITY where one is not there.
typedef struct fb_limits {
  const double *q_min, *q_max; // [n]                                        m or rad
  const double *v_max;         // [n] of |v|                                 m/s or rad/s
  const double *u_min, *u_max; // [nu]                                       N or N m
  // [n] how far a coordinate can move: between its limits, of a joint that turns a revolution at most;
  // INFINITY: any distance; NULL: not known                                 m or rad
  const double *range;
} fb_limits;

// The worst of the values added so far: of those that have a limit, the one that is furthest beyond
// it, or, where none is, nearest to it, in units of its size (see fb_excess_add).
typedef struct fb_excess {
  double by;    // value less limit, outwards: > 0 beyond it; -INFINITY: no value has a limit
  double share; // by over the size
  double value, limit, t; // at time t                                                 s
  int index, sample;      // which value; of which sample, where there are several
} fb_excess;

// No value yet: to begin with.
fb_excess fb_excess_none(void);

// Add n values at time t under low [n] and high [n] (NULL: none). Sizes are those of the range
// where both ends are there, else of the limit, else 1; of `speed` those of the limit.
// A value that is not a number is beyond its limit by INFINITY.
void fb_excess_add(fb_excess *worst, int n, const double *x, const double *low, const double *high,
                   double t);

// The same for |x| under limit [n] (NULL: none).
void fb_excess_add_size(fb_excess *worst, int n, const double *x, const double *limit, double t);

// The same of each value by itself: worst [n], the index of each its own.
void fb_excess_add_each(fb_excess *worst, int n, const double *x, const double *low,
                        const double *high, double t);
void fb_excess_add_each_size(fb_excess *worst, int n, const double *x, const double *limit,
                             double t);

// Find the size of which an excess is a share: the range where both ends are finite, else the
// size of the limit, else 1.
double fb_excess_size(double low, double high);

// The worse of two; of two that are equal the one of the earlier sample.
fb_excess fb_excess_worse(const fb_excess *a, const fb_excess *b);

// One value over many samples: the worst of them, and how many were beyond its limit by more than
// rounding.
typedef struct fb_excess_count {
  fb_excess worst;
  int samples;
} fb_excess_count;

// No sample yet; the samples of `from` beside those of `to`. The sum does not depend on the order.
fb_excess_count fb_excess_count_none(void);
void fb_excess_count_add(fb_excess_count *to, const fb_excess_count *from);

// Whether it is beyond its limit by more than this share of the size.
bool fb_excess_beyond(const fb_excess *e, double share);

DM_END_C
#endif
