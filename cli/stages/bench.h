// cli/stages/bench.h: where the gains of a job are tried: a plant, with all that `verify:` sets
// against them, and the limits of its inputs.
#ifndef CLI_STAGES_BENCH_H
#define CLI_STAGES_BENCH_H
#include "cli/stages/job.h"
#include "control/loop/monte_carlo.h"
#include "problems/readers/model/machines.h"

typedef struct cli_bench {
  pb_machine machine;
  const fb_plant *bare; // the model itself as a plant
  fb_mismatch *noise;   // NULL: nothing stands between
  fb_plant plant;       // through it; not to be freed
  fb_sensor observer;
  const fb_sensor *inner; // what the schedule saw through before
  double *u_min, *u_max;  // [nu]
  fb_limits limits;       // of states, which nothing keeps
  fb_monte_carlo_settings set;
} cli_bench;

// Open it; the job's schedule sees through it until it is closed. `always`: with a disturbance even
// where the problem asks for none. Returns DM_UNAVAILABLE where there is no such plant, or what
// failed, with nothing to close.
dm_status cli_bench_open(cli_bench *g, cli_job *job, pb_plant kind, bool always);
void cli_bench_close(cli_bench *g, cli_job *job);

// Cut forces at so many times the largest planned of each, where that is not zero, and all inputs
// at the problem's limits.
void cli_bench_limit(cli_bench *g, const cli_job *job, double times);

// The rate and its interval of 95 %, into a JSON object; returns the interval as text.
const char *cli_put_rate(cli_json *o, int held, int samples, char text[32]);

// Sweeps of each axis alone and the region of starts that hold, where the problem asks for them, on
// a plant: robustness.csv, region.csv.
int cli_robustness(cli_job *job, pb_plant kind);
#endif
