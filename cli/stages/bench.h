// cli/stages/bench.h: the bench that a problem's `verify:` sets up for the gains of its job.
#ifndef CLI_STAGES_BENCH_H
#define CLI_STAGES_BENCH_H
#include "cli/stages/job.h"
#include "control/loop/bench.h"
#include "problems/readers/task/robustness.h"

typedef struct cli_bench {
  pb_machine machine;
  fb_limits limits; // of states, which nothing keeps
  fb_bench *b;
} cli_bench;

// Open it, where it is to stay; the job's law sees through it until it is closed. `always`: with a
// mismatch even where the problem asks for none. Returns DM_UNAVAILABLE where there is no such
// plant, or what failed, with nothing to close.
dm_status cli_bench_open(cli_bench *g, cli_job *job, pb_plant kind, bool always);
void cli_bench_close(cli_bench *g);

// The rate and its interval of 95 %, into a JSON object; returns the interval as text.
const char *cli_put_rate(cli_json *o, int held, int samples, char text[32]);

// Sweeps of each axis alone and the region of starts that hold, where the problem asks for them, on
// a plant: robustness.csv, region.csv.
int cli_robustness(cli_job *job, pb_plant kind);

// Read them back: axis and part as numbers, level, held, samples, low, high; direction, held,
// failed.
enum { CLI_ROBUSTNESS_COLUMNS = 7, CLI_REGION_COLUMNS = 3 };
dm_status cli_robustness_read(double **table, int *rows, const char *path, const pb_problem *p,
                              dm_message *msg);
const char *cli_robustness_name(const pb_problem *p, int part); // of that number
dm_status cli_region_read(double **table, int *rows, const char *path, dm_message *msg);
#endif
