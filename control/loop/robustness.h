// control/loop/robustness.h: a study of how much a law withstands: each thing that may differ from
// the model alone, one axis after the other, from nothing to more than is asked for.
//
//   masses, moments, lengths, damping   level -times .. times of the half-width, part by part
//   response of motors                  the same, all motors alike
//   any other                           level 0 .. times of the size
//   all at once                         only at levels that are asked for
//
// A level at which something is drawn (a start, noise) is worth `samples` runs, another one run.
//
//   count = fb_robustness_plan(&r, NULL);              // then again, into a list of so many levels
//   fb_robustness_run(&r, bench, &list[i], rows, ..);  // each, in any order, by anybody
//   fb_robustness_sum(list, count, axes, &model);
//
// Source: docs/theory.md section 24.
#ifndef FB_LOOP_ROBUSTNESS_H
#define FB_LOOP_ROBUSTNESS_H
#include "control/loop/bench.h"

DM_BEGIN_C

// Levels of an axis: from, and to where there are several.
typedef struct fb_levels {
  double from, to;
  int count; // 0: as the settings say
} fb_levels;

typedef struct fb_robustness_settings {
  int points, samples;       // levels of an axis, >= 2; runs of a level
  double times;              // the largest level, of the sizes asked for
  double start;              // of the spread of starts, along all axes but that of starts
  fb_levels levels[FB_AXES]; // in the place of points and times
} fb_robustness_settings;

// 11 levels of 50 samples, to twice the size, from starts of the whole spread.
fb_robustness_settings fb_robustness_default(void);

// What may differ, and by how much at level 1. All is borrowed.
typedef struct fb_robustness {
  const dm_model *tree;  // the robot's links
  const dm_model *model; // its coordinates: the same but where ball joints have quaternions
  const fb_mismatch_settings *mismatch;
  const double *spread_q, *spread_v; // [n] of starts                     rad or m, rad/s or m/s
  double limit;                      // of forces, times the largest planned; INFINITY: none
  fb_robustness_settings set;
} fb_robustness;

// One level of one axis alone.
typedef struct fb_robustness_level {
  fb_axis axis;
  int part;      // of the model: the link or, of damping, the coordinate; else 0
  double level;  // times the size
  int samples;   // runs that it is worth
  int succeeded; // of them, once it ran
  bool ran;
} fb_robustness_level;

// Whether an axis is an error of the model, part by part: masses to damping.
bool fb_robustness_of_model(fb_axis axis);

// The size of an axis at level 1, of all at once 1 where it has levels; 0: it is not studied.
double fb_robustness_size(const fb_robustness *r, fb_axis axis);

// The name of part i of an axis; "" where nothing of it can differ; NULL: there are no more.
const char *fb_robustness_part(const fb_robustness *r, fb_axis axis, int i);

// All levels there are, axis by axis; list NULL: how many. Returns how many.
int fb_robustness_plan(const fb_robustness *r, fb_robustness_level *list);

// Run one level on a bench, which must have a mismatch: `succeeded` and `ran` are set.
//   rows      [level.samples] out: its samples
//   spread    [2n] scratch
//   progress  as of fb_monte_carlo_run
// Returns as fb_monte_carlo_run.
dm_status fb_robustness_run(const fb_robustness *r, fb_bench *g, fb_robustness_level *level,
                            fb_sample *rows, double *spread, bool (*progress)(void *, int done),
                            void *user);

// Samples and how many of them succeeded, of each axis over its levels that ran; and of the model's
// errors together. An axis that is not studied has no samples.
typedef struct fb_robustness_count {
  int samples, succeeded;
} fb_robustness_count;

void fb_robustness_sum(const fb_robustness_level *list, int count,
                       fb_robustness_count axes[FB_AXES], fb_robustness_count *model);

DM_END_C
#endif
