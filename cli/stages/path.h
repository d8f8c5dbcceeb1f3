// cli/stages/path.h: how a motion follows the path that a problem gives its outputs: the places s on
// it, and in result.json `path`, how far it is off at knots and between them.
#ifndef CLI_STAGES_PATH_H
#define CLI_STAGES_PATH_H
#include "cli/stages/job.h"

// The places s [N+1] of job->x on the path, for free; NULL: the problem has none, or no memory.
double *cli_path_places(const cli_job *job);

// How job->x follows its path at knots, into result.json. Does nothing where there is none. Returns
// CLI_DONE, or CLI_FAULT after saying why.
int cli_path_report(cli_job *job);

// The same of a plant that followed job->x in `parts` pieces a step, with states y
// [(N parts + 1) x 2n] at their ends; and tells both.
int cli_path_follow(cli_job *job, int parts, const double *y);
#endif
