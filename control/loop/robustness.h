// control/loop/robustness.h: a robustness study of a law: each difference from the model alone, one
// axis after another, from zero to beyond the requested size.
//
//   masses, moments, lengths, damping   level -times .. times of the half-width, part by part
//   response of motors                  the same, one value for all motors
//   any other                           level 0 .. times of the size
//   all at once                         only at requested levels
//
// A level with random draws (a start, noise) takes `samples` runs, any other level one run.
//
//   count = fb_robustness_plan(&r, NULL);              // then again, with a list of that size
//   fb_robustness_run(&r, bench, &list[i], rows, ..);  // each, in any order, in any process
//   fb_robustness_sum(list, count, axes, &model);
//
// Source: docs/theory.md section 24.
#ifndef FB_LOOP_ROBUSTNESS_H
#define FB_LOOP_ROBUSTNESS_H
#include "control/loop/bench.h"

DM_BEGIN_C

// Levels of an axis: from .. to; only `from` if count is 1.
typedef struct fb_levels {
  double from, to;
  int count; // 0: use the settings
} fb_levels;

typedef struct fb_robustness_settings {
  int points, samples;       // default levels per axis, >= 2; runs per level
  double times;              // the largest level, as a multiple of the requested size
  double start;              // share of the spread of starts, on all axes except that of starts
  fb_levels levels[FB_AXES]; // replaces points and times
} fb_robustness_settings;

// 11 levels of 50 samples, up to twice the size, with the full spread of starts.
fb_robustness_settings fb_robustness_default(void);

// The possible differences, and their size at level 1. Everything is borrowed.
typedef struct fb_robustness {
  const dm_model *tree;  // the robot's links
  const dm_model *model; // its coordinates: the same, except that ball joints have quaternions
  const fb_mismatch_settings *mismatch;
  const double *spread_q, *spread_v; // [n] of starts [rad or m, rad/s or m/s]
  double limit;                      // of forces, times the largest planned; INFINITY: none
  fb_robustness_settings set;
} fb_robustness;

// One level of one axis.
typedef struct fb_robustness_level {
  fb_axis axis;
  int part;      // of the model: the link or, for damping, the coordinate; else 0
  double level;  // times the size
  int samples;   // number of runs
  int succeeded; // successful runs, after it ran
  bool ran;
} fb_robustness_level;

// Whether an axis is an error of the model, varied part by part: masses to damping.
bool fb_robustness_of_model(fb_axis axis);

// The size of an axis at level 1; for all at once, 1 if it has levels; 0: it is not studied.
double fb_robustness_size(const fb_robustness *r, fb_axis axis);

// The name of part i of an axis; "" if this part cannot differ; NULL: there are no more parts.
const char *fb_robustness_part(const fb_robustness *r, fb_axis axis, int i);

// List all levels, axis by axis; list NULL: only count them. Returns the number of levels.
int fb_robustness_plan(const fb_robustness *r, fb_robustness_level *list);

// Run one level on a bench, which must have a mismatch; sets `succeeded` and `ran`.
//   rows      [level.samples] out: the samples of the level
//   spread    [2n] scratch
//   progress  see fb_monte_carlo_run
// Returns the status of fb_monte_carlo_run.
dm_status fb_robustness_run(const fb_robustness *r, fb_bench *g, fb_robustness_level *level,
                            fb_sample *rows, double *spread, bool (*progress)(void *, int done),
                            void *user);

// Count samples and successes per axis over the levels that ran; and for the model's errors
// together. An axis that is not studied has no samples.
typedef struct fb_robustness_count {
  int samples, succeeded;
} fb_robustness_count;

void fb_robustness_sum(const fb_robustness_level *list, int count,
                       fb_robustness_count axes[FB_AXES], fb_robustness_count *model);

DM_END_C
#endif
