// lib/discrete/monitor.h: quantities monitored along a motion, with statistics over the run: start,
// mean, range, means over tenths of the run, the slope of the least-squares line and the scatter
// about it. A conserved quantity has zero slope; a quantity with bounded error has a slope that
// decreases with the length of the run.
//
//   energy, energy.step             J; at the knot; -dLd/dh of the step from it
//   moment.x .y .z .vertical        N m s, angular momentum about the world's origin; about the
//   vertical
//   momentum.x .y .z                N s
//   constraint                      largest residual, m or rad
//   form, form.cloud                symplectic form relative to its initial value
//                                   (lib/studies/symplectic_form.h)
//
// Source: docs/theory.md section 18.
#ifndef DM_DISCRETE_MONITOR_H
#define DM_DISCRETE_MONITOR_H
#include "lib/base/linkage.h"

DM_BEGIN_C

enum { DM_WINDOWS = 10 };

typedef enum dm_monitor {
  DM_MONITOR_ENERGY,
  DM_MONITOR_ENERGY_STEP,
  DM_MONITOR_MOMENT,
  DM_MONITOR_VERTICAL = DM_MONITOR_MOMENT + 3,
  DM_MONITOR_MOMENTUM,
  DM_MONITOR_CONSTRAINT = DM_MONITOR_MOMENTUM + 3,
  DM_MONITOR_FORM,
  DM_MONITOR_CLOUD,
  DM_MONITORS
} dm_monitor;

extern const char *const dm_monitor_names[DM_MONITORS]; // as above

// Running sums of one quantity; start with zeros. Values are relative to the first one, times in
// steps.
typedef struct dm_series {
  int count, counts[DM_WINDOWS]; // knots in total; in each tenth
  double first, low, high, sums[DM_WINDOWS];
  double t, tt, y, ty, yy;
} dm_series;

// Add the value y at knot k of a run of `steps` steps. No allocation.
void dm_series_add(dm_series *w, int k, int steps, double y);

// The same for all monitors, value [DM_MONITORS]; NAN: no value at this knot.
void dm_monitors_add(dm_series series[DM_MONITORS], int k, int steps,
                     const double value[DM_MONITORS]);

typedef struct dm_series_summary {
  double start, mean, low, high;
  int windows;               // number of tenths that have a knot
  double window[DM_WINDOWS]; // means over these
  double slope, scatter;     // of the least-squares line, per s; root mean square about it
} dm_series_summary;

// Statistics of a series with at least one value; h [s] is the step.
dm_series_summary dm_series_summarize(const dm_series *w, double h);

DM_END_C
#endif
