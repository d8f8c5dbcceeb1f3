// control/loop/bench.h: a test bench for a law: a plant, the disturbances, the input limits and the
// distribution of starts.
//
//   law -> u, cut -> [mismatch: noise, another machine -> plant] -> [mismatch: delay, noise] -> law
//
//   fb_bench_new(&bench, law, &system, &machines, &set);
//   fb_monte_carlo_run(bench->law, bench->s, &bench->plant, &bench->set, rows, ..);
//   fb_bench_free(bench);
//
// While a bench exists, the law measures through it; freeing the bench restores the law's sensor.
#ifndef FB_LOOP_BENCH_H
#define FB_LOOP_BENCH_H
#include "control/loop/model_mismatch.h"
#include "control/loop/monte_carlo.h"

DM_BEGIN_C

typedef struct fb_bench_settings {
  // Starts, tolerance, and the robot's own input limits; arrays are borrowed.
  fb_monte_carlo_settings samples;
  const fb_mismatch_settings *mismatch; // differences from the model; NULL: none
  double limit; // forces are cut at this multiple of their largest planned size; INFINITY: no cut
} fb_bench_settings;

// No samples, no mismatch, no limits.
fb_bench_settings fb_bench_default(void);

typedef struct fb_bench {
  fb_tvlqr *law;                       // borrowed; it measures through the bench until the bench is
                                       // freed
  const dm_system *s;                  // of the model
  fb_monte_carlo_settings set;         // for fb_monte_carlo_run on `plant`
  fb_plant plant;                      // with all disturbances and the current limits; do not free
  const fb_plant *bare;                // the model itself as a plant; do not free
  fb_mismatch *noise;                  // NULL: no mismatch
  fb_sensor sensor;                    // through the mismatch
  const fb_sensor *inner;              // the law's previous sensor
  const double *robot_min, *robot_max; // [nu] the robot's own limits; NULL: none
  double *u_min, *u_max;               // [nu] these limits with the cut
} fb_bench;

// Set up a bench for a law.
//   law       runs in the loop; its sensor becomes the inner one
//   s         the model's system; borrowed
//   machines  provides the plants; self must outlive the bench
// Returns DM_OK, DM_NO_MEMORY, DM_UNAVAILABLE if the plant does not exist, or the status of the
// step that failed. On all but DM_OK, *out is NULL and the law keeps its sensor.
dm_status fb_bench_new(fb_bench **out, fb_tvlqr *law, const dm_system *s,
                       const fb_perturbed_models *machines, const fb_bench_settings *set);

// Free the bench and restore the law's sensor. NULL is accepted.
void fb_bench_free(fb_bench *g);

// Cut forces at this multiple of the largest planned size of each, where it is not zero, and all
// inputs at the robot's limits; INFINITY: at the robot's limits only. Commands to kinematic
// coordinates are positions, to which the cut does not apply.
void fb_bench_limit(fb_bench *g, double times);

DM_END_C
#endif
