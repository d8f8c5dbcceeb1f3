// cli/results/inputs.h: copies of the files from which a result was made, in its folder (inputs/),
// so that later commands do not depend on the originals.
#ifndef CLI_RESULTS_INPUTS_H
#define CLI_RESULTS_INPUTS_H
#include "cli/console/json.h"
#include "cli/results/folder.h"
#include "problems/readers/task/problem.h"

// Begin copies of all files of the problem, and record in result which of them is the problem file
// (`problem_copy`). Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_inputs_put(cli_folder *out, const pb_problem *p, cli_json *result, dm_message *msg);

// Whether one of the problem's files has changed since it was copied; a missing file has not
// changed. path: of the problem file itself.
bool cli_inputs_changed(const pb_problem *p, const char *path);
#endif
