// lib/discrete/monitor.h: what is watched along a motion, and statistics of each figure over the
// run: where it began, its mean and range, its means over tenths of the run, the slope of the
// straight line through it and the scatter about that line. A conserved figure has no slope; one
// whose error is bounded has a slope that falls as the run gets longer.
//
//   energy, energy.step             J; of the knot; -dLd/dh of the step taken from it
//   moment.x .y .z .vertical        N m s, about the world's origin; against gravity
//   momentum.x .y .z                N s
//   constraint                      the largest residual, m or rad
//   form, form.cloud                the symplectic form over that of the start
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

// Sums over one figure so far; zeroed: none. Values are less the first one, times in steps.
typedef struct dm_series {
  int count, counts[DM_WINDOWS]; // knots seen; in each tenth
  double first, low, high, sums[DM_WINDOWS];
  double t, tt, y, ty, yy;
} dm_series;

// Add the value y at knot k of a run of so many steps. No allocation.
void dm_series_add(dm_series *w, int k, int steps, double y);

// The same of all monitors, value [DM_MONITORS]; NAN: there is none at this knot.
void dm_monitors_add(dm_series series[DM_MONITORS], int k, int steps,
                     const double value[DM_MONITORS]);

typedef struct dm_series_summary {
  double start, mean, low, high;
  int windows;               // that have a knot
  double window[DM_WINDOWS]; // means over these
  double slope, scatter;     // of the line by least squares, per s; root mean square about it
} dm_series_summary;

// What a series of at least one value comes to; h [s] is the step.
dm_series_summary dm_series_summarize(const dm_series *w, double h);

DM_END_C
#endif
