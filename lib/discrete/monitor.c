#include "lib/discrete/monitor.h"

#include <assert.h>
#include <math.h>

const char *const dm_monitor_names[DM_MONITORS] = {
    "energy",     "energy.step", "moment.x",   "moment.y",   "moment.z", "moment.vertical",
    "momentum.x", "momentum.y",  "momentum.z", "constraint", "form",     "form.cloud"};

void dm_series_add(dm_series *w, int k, int steps, double y) {
  assert(w && k >= 0 && k <= steps);
  int tenth = (int)((long long)k * DM_WINDOWS / (steps + 1));

  // range
  if (!w->count++) w->first = w->low = w->high = y;
  w->low = fmin(w->low, y);
  w->high = fmax(w->high, y);

  // sums for the mean of the tenth and for the line
  double t = k, off = y - w->first;
  w->counts[tenth]++;
  w->sums[tenth] += off;
  w->t += t;
  w->tt += t * t;
  w->y += off;
  w->ty += t * off;
  w->yy += off * off;
}

void dm_monitors_add(dm_series series[DM_MONITORS], int k, int steps,
                     const double value[DM_MONITORS]) {
  for (int i = 0; i < DM_MONITORS; i++)
    if (!isnan(value[i])) dm_series_add(&series[i], k, steps, value[i]);
}

dm_series_summary dm_series_summarize(const dm_series *w, double h) {
  assert(w && w->count > 0 && h > 0);
  dm_series_summary out = {
      .start = w->first, .mean = w->first + w->y / w->count, .low = w->low, .high = w->high};

  // in short runs some tenths have no knot
  for (int i = 0; i < DM_WINDOWS; i++)
    if (w->counts[i]) out.window[out.windows++] = w->first + w->sums[i] / w->counts[i];

  // least-squares line, slope = cov(t,y) / var(t), and the root of the remaining variance of y
  // means, variance of t and covariance of t and y
  double n = w->count, mean = w->y / n, middle = w->t / n;
  double tt = w->tt / n - middle * middle;
  double ty = w->ty / n - middle * mean;

  double slope = tt > 0 ? ty / tt : 0;
  double left = w->yy / n - mean * mean - slope * ty;

  // times were in steps
  out.slope = slope / h;
  out.scatter = sqrt(fmax(left, 0));

  return out;
}
