// cli/follow.h: whether the plan of a job is one that the plant can follow: in result.json, the
// summary, and plant.csv.
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H
#include "cli/job.h"
#include "control/excess.h"

// Follow job->x on the continuous plant, or, where there is none, on the map in much shorter steps;
// plant.csv is begun. Returns CLI_DONE, whatever comes out; or CLI_INPUT, CLI_FAULT after saying
// why.
int cli_follow(cli_job *job);

// A kind of limit: what it is of, in words and units.
typedef enum cli_limit { CLI_POSITION, CLI_SPEED, CLI_INPUT_LIMIT, CLI_LIMIT_KINDS } cli_limit;
extern const char *const cli_limit_names[CLI_LIMIT_KINDS];

// The limits of a job's problem.
fb_limits cli_limits_of(const cli_job *job);

// What passes a limit by this share of its size is worth a warning: one part in the number of
// steps.
double cli_limit_tolerance(const cli_job *job);

// One of them into an object, null where nothing has such a limit.
void cli_put_excess(const cli_job *job, cli_json *o, cli_limit kind, const fb_excess *e);

// "speed of 'elbow' is 0.1 rad/s beyond its limit 2 at 0.3 s" into text; returns it.
const char *cli_say_excess(const cli_job *job, cli_limit kind, const fb_excess *e, char *text,
                           size_t size);

// plant.csv read back: t, q, v, u in columns. *table is to be freed.
dm_status cli_plant_read(double **table, int *rows, const char *path, const cli_names *names,
                         dm_message *msg);
#endif
