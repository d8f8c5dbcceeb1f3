// cli/stages/follow.h: whether the plan of a job is one that the plant can follow: in result.json,
// the summary, and plant.csv.
#ifndef CLI_STAGES_FOLLOW_H
#define CLI_STAGES_FOLLOW_H
#include "cli/stages/job.h"
#include "control/loop/follow.h"
#include "optim/transcription/between_knots.h"

// What a plant makes of a plan.
typedef struct cli_following {
  // its name; NULL: the plan's own states have no velocities, nothing was followed
  const char *plant;
  int parts;           // pieces of a step that were looked at
  double *y;           // states (q,v) at their ends          [(N parts + 1) x 2n]
  double *u;           // inputs that led there               [N parts x nu]
  fb_following f;      // how near it ended, and by how much it passed limits
  fb_excess output;    // the limit on an output that it passed most, its index that of the limit
  oc_between *between; // how limits on outputs are kept between knots; NULL: none is to be
} cli_following;

// Follow job->x on the continuous plant, or, where there is none, on the map in much shorter steps.
// Returns CLI_DONE, whatever comes out, or CLI_FAULT after saying why; w is to be freed after
// either.
int cli_follow(const cli_job *job, cli_following *w);
void cli_following_free(cli_following *f);

// Say it: in result.json, in the summary, in warnings; plant.csv is begun. Returns CLI_DONE, or
// CLI_INPUT after saying why.
int cli_follow_report(cli_job *job, const cli_following *f);

// How limits on outputs are kept between knots, after so many rounds of narrowing them: `between` in
// result.json, and a line. Nothing where none is to be.
void cli_between_report(cli_job *job, const cli_following *f, int rounds);

// A kind of limit: what it is of, in words and units.
typedef enum cli_limit { CLI_POSITION, CLI_SPEED, CLI_INPUT_LIMIT, CLI_LIMIT_KINDS } cli_limit;
extern const char *const cli_limit_names[CLI_LIMIT_KINDS];

// The limits of a job's problem.
fb_limits cli_limits_of(const cli_job *job);

// What passes a limit by this share of its size is worth a warning: one part in the number of
// steps.
double cli_limit_tolerance(const cli_job *job);

// An excess as an object of its own, NULL where nothing has such a limit; and by its kind into
// another.
cli_json *cli_excess_json(const cli_job *job, cli_limit kind, const fb_excess *e);
void cli_put_excess(const cli_job *job, cli_json *o, cli_limit kind, const fb_excess *e);

// "speed of 'elbow' is 0.1 rad/s beyond its limit 2 at 0.3 s" into text; returns it.
const char *cli_describe_excess(const cli_job *job, cli_limit kind, const fb_excess *e, char *text,
                                size_t size);
#endif
