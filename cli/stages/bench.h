// cli/stages/bench.h: the test bench that a problem's `verify:` defines for the controller of a
// call: a plant (control/loop/plant.h), the perturbed models and sensors of its mismatch, the
// estimator between them, and the settings of its samples (control/loop/bench.h).
#ifndef CLI_STAGES_BENCH_H
#define CLI_STAGES_BENCH_H
#include "cli/stages/call.h"
#include "control/loop/bench.h"
#include "problems/readers/model/machines.h"

typedef enum cli_bench_how {
  CLI_BENCH_ASKED, // the mismatch that the problem requests
  CLI_BENCH_ALWAYS // a mismatch even if the problem requests none
} cli_bench_how;

typedef struct cli_bench {
  pb_machine machine;       // makes perturbed models from the robot's file
  dm_contacts *stops;       // for verify.limits: stop; NULL: none
  dm_limits limits;         // of states: samples record violations
  fb_start_refusal refused; // why samples have no start within the limits
  fb_bench *b;
} cli_bench;

// Initialize a bench, which must not be moved; the run's controller uses its sensors until it is
// closed. Returns DM_OK; DM_UNAVAILABLE if the plant does not exist; or another failure. After a
// failure there is nothing to close.
dm_status cli_bench_open(cli_bench *g, cli_call *call, pb_plant kind, cli_bench_how how);
void cli_bench_close(cli_bench *g);

// Make the mechanical stops for `verify.limits: stop`; otherwise *out is NULL. Returns as
// pb_stops_new.
dm_status cli_stops_new(dm_contacts **out, const pb_problem *p);

// The limits of positions and speeds that `verify:` uses.
dm_limits cli_verify_limits(const pb_problem *p);

// Report that starts cannot be drawn within the position limits: the key, and the joint.
//   of   the key that defines the starts and their range, such as "verify.spread"
// Returns CLI_INPUT.
int cli_refuse_starts(cli_call *call, const fb_start_refusal *why, const char *of);

// The bounds of `verify.tolerance` on outputs; NULL: none.
const fb_output_bounds *cli_output_bounds(const pb_problem *p);

// Write the rate held / samples and Clopper and Pearson's 95 % interval [clopper-1934] to a JSON
// object: held, rate, rate_low, rate_high. Returns the interval as text, in percent.
const char *cli_put_rate(cli_json *o, int held, int samples, char text[32]);
#endif
