// control/loop/excess.h: by how much, where and when a motion exceeds its limits.
//
//   by = max(low - x, x - high)     share = by / size     worst: the largest share
//
// Values are added one after another; the worst so far is kept.
#ifndef FB_LOOP_EXCESS_H
#define FB_LOOP_EXCESS_H
#include "lib/mechanics/bounds.h"

#include <stdbool.h>

DM_BEGIN_C

// The worst of the values added so far: among values that have a limit, the one furthest beyond it,
// or, if none is beyond, the nearest to it, in units of its size (see fb_excess_add).
typedef struct fb_excess {
  double by;    // value minus limit, outward: > 0 beyond it; -INFINITY: no value has a limit
  double share; // by divided by the size
  double value, limit, t; // at time t [s]
  int index, sample;      // of the value; of its sample, if there are several
} fb_excess;

// The initial state, without a value.
fb_excess fb_excess_none(void);

// Add n values at time t with limits low [n] and high [n] (NULL: none). The size is the range if
// both limits exist, else the limit, else 1; for `speed` it is the limit.
// A value that is not a number exceeds its limit by INFINITY.
void fb_excess_add(fb_excess *worst, int n, const double *x, const double *low, const double *high,
                   double t);

// The same for |x| with limit [n] (NULL: none).
void fb_excess_add_size(fb_excess *worst, int n, const double *x, const double *limit, double t);

// The same for each value separately: worst [n], each with its own index.
void fb_excess_add_each(fb_excess *worst, int n, const double *x, const double *low,
                        const double *high, double t);
void fb_excess_add_each_size(fb_excess *worst, int n, const double *x, const double *limit,
                             double t);

// Find the size used for the share: the range if both ends are finite, else the size of the limit,
// else 1.
double fb_excess_size(double low, double high);

// The worse of two; of two equal ones, the one from the earlier sample.
fb_excess fb_excess_worse(const fb_excess *a, const fb_excess *b);

// One value over many samples: the worst sample, and how many exceeded the limit by more than
// rounding.
typedef struct fb_excess_count {
  fb_excess worst;
  int samples;
} fb_excess_count;

// The initial state; add the samples of `from` to those of `to`. The sum does not depend on the
// order.
fb_excess_count fb_excess_count_none(void);
void fb_excess_count_add(fb_excess_count *to, const fb_excess_count *from);

// Whether the limit is exceeded by more than this share of the size.
bool fb_excess_beyond(const fb_excess *e, double share);

DM_END_C
#endif
