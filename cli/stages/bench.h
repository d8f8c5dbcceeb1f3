// cli/stages/bench.h: the bench that a problem's `verify:` sets up for the gains of its job: a plant
// (control/loop/plant.h), the perturbed models and sensors of its mismatch, the law's estimator
// between them, and the settings of its samples (control/loop/bench.h).
#ifndef CLI_STAGES_BENCH_H
#define CLI_STAGES_BENCH_H
#include "cli/stages/job.h"
#include "control/loop/bench.h"
#include "problems/readers/model/machines.h"

typedef enum cli_bench_how {
  CLI_BENCH_ASKED, // with what the problem asks for
  CLI_BENCH_ALWAYS // with a mismatch also where it asks for none
} cli_bench_how;

typedef struct cli_bench {
  pb_machine machine;       // makes perturbed models from the robot's file
  dm_contacts *stops;       // of verify.limits: stop; NULL: none
  fb_limits limits;         // of states: samples tell how far they pass them
  fb_start_refusal refused; // why samples had no start within them
  fb_bench *b;
} cli_bench;

// Open it, where it is to stay; the job's law sees through it until it is closed. Returns
// DM_UNAVAILABLE where there is no such plant, or what failed, with nothing to close.
dm_status cli_bench_open(cli_bench *g, cli_job *job, pb_plant kind, cli_bench_how how);
void cli_bench_close(cli_bench *g);

// The mechanical stops that `verify.limits: stop` asks for; *out is NULL where it does not. Returns as
// pb_stops_new.
dm_status cli_stops_new(dm_contacts **out, const pb_problem *p);

// The limits of positions and speeds that `verify:` goes by.
fb_limits cli_verify_limits(const pb_problem *p);

// Say that starts cannot be drawn within the limits of positions: of which key, of which joint.
//   of   the key whose starts these are, and how far they go, such as "verify.spread"
// Returns CLI_INPUT.
int cli_refuse_starts(cli_job *job, const fb_start_refusal *why, const char *of);

// The bounds of `verify.tolerance` on outputs; NULL: there are none.
const fb_output_bounds *cli_output_bounds(const pb_problem *p);

// The rate held / samples and Clopper and Pearson's interval of 95 % [clopper-1934] into a JSON
// object: held, rate, rate_low, rate_high. Returns the interval as text, in percent.
const char *cli_put_rate(cli_json *o, int held, int samples, char text[32]);
#endif
