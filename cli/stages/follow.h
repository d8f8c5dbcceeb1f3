// cli/stages/follow.h: check whether a plant can follow the plan of a run, and report it in
// result.json, the summary, and plant.csv.
#ifndef CLI_STAGES_FOLLOW_H
#define CLI_STAGES_FOLLOW_H
#include "cli/stages/call.h"
#include "control/loop/follow.h"
#include "optim/task/between_knots.h"

// The motion of a plant under the inputs of a plan.
typedef struct cli_following {
  // its name; NULL: nothing was followed, because the plan's states have no velocities
  const char *plant;
  int parts;        // substeps per step
  double *y;        // states (q,v) at the ends of substeps  [(N parts + 1) x 2n]
  double *u;        // inputs that led to them  [N parts x nu]
  fb_following f;   // gaps to the plan, and limit violations
  fb_excess output; // the worst violation of an output limit; its index is the limit's
  fb_excess
      change[2]; // of a limit of accelerations, of jerks: differences of the plant's velocities
  oc_between *between; // output limits between knots; NULL: none to enforce
} cli_following;

// Follow the motion on the continuous plant or, if that does not exist, on the map with much
// shorter steps. Returns CLI_DONE, whatever the result, or CLI_FAULT after reporting why; free w in
// any case.
int cli_follow(const cli_call *call, cli_following *w);
void cli_following_free(cli_following *f);

// Report the result in result.json, the summary and warnings, and begin plant.csv. Returns
// CLI_DONE, or CLI_INPUT after reporting why.
int cli_follow_report(cli_call *call, const cli_following *f);

// Report output limits between knots after `rounds` rounds of narrowing: `between` in result.json,
// and a line. Does nothing if none are to be enforced.
void cli_between_report(cli_call *call, const cli_following *f, int rounds);

// The kinds of limits, with words and units.
typedef enum cli_limit { CLI_POSITION, CLI_SPEED, CLI_INPUT_LIMIT, CLI_LIMIT_KINDS } cli_limit;
extern const char *const cli_limit_names[CLI_LIMIT_KINDS];

// The relative violation of a limit that causes a warning: one divided by the number of steps.
double cli_limit_tolerance(const cli_call *call);

// An excess as a new JSON object, NULL if no such limit exists; or added to an object under its
// kind.
cli_json *cli_excess_json(const cli_call *call, cli_limit kind, const fb_excess *e);
void cli_put_excess(const cli_call *call, cli_json *o, cli_limit kind, const fb_excess *e);

// Write "speed of 'elbow' is 0.1 rad/s beyond its limit 2 at 0.3 s" to text; returns text.
const char *cli_describe_excess(const cli_call *call, cli_limit kind, const fb_excess *e,
                                char *text, size_t size);
#endif
