// cli/stages/path.h: the distance of a motion from the path that a problem prescribes for its
// outputs: the path parameter s, and in result.json `path`, the deviations at knots and between
// them.
#ifndef CLI_STAGES_PATH_H
#define CLI_STAGES_PATH_H
#include "cli/stages/call.h"

// The path parameters s [N+1] of the motion, to be freed; NULL: no path, or out of memory.
double *cli_path_places(const cli_call *call);

// Write the deviation of the motion from its path at knots to result.json. Does nothing without a
// path. Returns CLI_DONE, or CLI_FAULT after reporting why.
int cli_path_report(cli_call *call);

// The same for a plant that followed the motion with `parts` substeps per step, with states y [(N
// parts + 1) x 2n] at their ends; adds a line for both to the summary.
int cli_path_follow(cli_call *call, int parts, const double *y);
#endif
