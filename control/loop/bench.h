// control/loop/bench.h: where a law is tried: a plant, with all that is set against the law, the
// limits of its inputs, and how starts are drawn.
//
//   law -> u, cut -> [mismatch: noise, another machine -> plant] -> [mismatch: delay, noise] -> law
//
//   fb_bench_new(&bench, law, &system, &machines, &set);
//   fb_monte_carlo_run(bench->law, bench->s, &bench->plant, &bench->set, rows, ..);
//   fb_bench_free(bench);
//
// While a bench stands the law sees through it; afterwards as it did before.
#ifndef FB_LOOP_BENCH_H
#define FB_LOOP_BENCH_H
#include "control/loop/model_mismatch.h"
#include "control/loop/monte_carlo.h"

DM_BEGIN_C

typedef struct fb_bench_settings {
  // Starts, tolerance, and the robot's own limits of inputs; arrays are borrowed.
  fb_monte_carlo_settings samples;
  const fb_mismatch_settings *mismatch; // what differs from the model; NULL: nothing
  double limit; // forces are cut at so many times the largest planned of each; INFINITY: they are
                // not
} fb_bench_settings;

// No samples, nothing that differs, no limits.
fb_bench_settings fb_bench_default(void);

typedef struct fb_bench {
  fb_tvlqr *law;                       // borrowed; it sees through the bench until that is freed
  const dm_system *s;                  // the model's
  fb_monte_carlo_settings set;         // for fb_monte_carlo_run on `plant`
  fb_plant plant;                      // with all that is set against the law, limits as they are
                                       // now; not to be freed
  const fb_plant *bare;                // the model itself as a plant; not to be freed
  fb_mismatch *noise;                  // NULL: nothing stands between
  fb_sensor sensor;                    // through it
  const fb_sensor *inner;              // what the law saw through before
  const double *robot_min, *robot_max; // [nu] the robot's own limits; NULL: none
  double *u_min, *u_max;               // [nu] those and the cut
} fb_bench;

// Set a law's bench up.
//   law       what runs; its sensor is taken as the inner one
//   s         the model's system; borrowed
//   machines  where plants come from; self must outlive the bench
// Returns DM_OK, DM_NO_MEMORY, DM_UNAVAILABLE where there is no such plant, or what failed. On all
// but DM_OK *out is NULL and the law sees as before.
dm_status fb_bench_new(fb_bench **out, fb_tvlqr *law, const dm_system *s,
                       const fb_perturbed_models *machines, const fb_bench_settings *set);

// Take the bench down: the law sees as it did before. NULL is accepted.
void fb_bench_free(fb_bench *g);

// Cut forces at so many times the largest planned of each, where that is not zero, and all inputs
// at the robot's limits; INFINITY: at those alone. What a kinematic coordinate is told is a place,
// which has no such size.
void fb_bench_limit(fb_bench *g, double times);

DM_END_C
#endif
