#include "control/loop/excess.h"

#include <math.h>
#include <stddef.h>

fb_excess fb_excess_none(void) {
  return (fb_excess){.by = -INFINITY, .share = -INFINITY, .index = -1, .sample = -1};
}

// one value against one limit, which it exceeds by `by`
static void compare_with_limit(fb_excess *worst, int i, double value, double limit, double by,
                               double size, double t) {
  // skip without a limit, or if not worse than before; a value that is not a number is worse
  if (isinf(limit)) return;
  if (isnan(by)) by = INFINITY;
  if (!(by / size > worst->share)) return;

  worst->by = by;
  worst->share = by / size;
  worst->value = value;
  worst->limit = limit;
  worst->t = t;
  worst->index = i;
}

double fb_excess_size(double low, double high) {
  if (isfinite(low) && isfinite(high) && high > low) return high - low;
  double limit = fabs(isfinite(low) ? low : high);
  return limit > 0 && isfinite(limit) ? limit : 1;
}

void fb_excess_add(fb_excess *worst, int n, const double *x, const double *low, const double *high,
                   double t) {
  for (int i = 0; i < n; i++) {
    double lo = low ? low[i] : -INFINITY;
    double hi = high ? high[i] : INFINITY;
    double size = fb_excess_size(lo, hi);
    compare_with_limit(worst, i, x[i], lo, lo - x[i], size, t);
    compare_with_limit(worst, i, x[i], hi, x[i] - hi, size, t);
  }
}

void fb_excess_add_size(fb_excess *worst, int n, const double *x, const double *limit, double t) {
  for (int i = 0; limit && i < n; i++)
    compare_with_limit(worst, i, x[i], limit[i], fabs(x[i]) - limit[i], limit[i], t);
}

void fb_excess_add_each(fb_excess *worst, int n, const double *x, const double *low,
                        const double *high, double t) {
  for (int i = 0; i < n; i++) {
    fb_excess_add(&worst[i], 1, x + i, low ? low + i : NULL, high ? high + i : NULL, t);
    if (worst[i].index >= 0) worst[i].index = i;
  }
}

void fb_excess_add_each_size(fb_excess *worst, int n, const double *x, const double *limit,
                             double t) {
  for (int i = 0; limit && i < n; i++) {
    fb_excess_add_size(&worst[i], 1, x + i, limit + i, t);
    if (worst[i].index >= 0) worst[i].index = i;
  }
}

fb_excess fb_excess_worse(const fb_excess *a, const fb_excess *b) {
  const bool earlier = b->share == a->share && b->sample < a->sample;
  return b->share > a->share || earlier ? *b : *a;
}

fb_excess_count fb_excess_count_none(void) {
  return (fb_excess_count){.worst = fb_excess_none()};
}

void fb_excess_count_add(fb_excess_count *to, const fb_excess_count *from) {
  to->worst = fb_excess_worse(&to->worst, &from->worst);
  to->samples += from->samples;
}

bool fb_excess_beyond(const fb_excess *e, double share) {
  return e->index >= 0 && e->share > share;
}
