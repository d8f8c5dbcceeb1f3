// cli/results/inputs.h: the files that a result was made from, copied into its folder (inputs/), so
// that what is done with it later does not depend on them.
#ifndef CLI_RESULTS_INPUTS_H
#define CLI_RESULTS_INPUTS_H
#include "cli/console/json.h"
#include "cli/results/folder.h"
#include "problems/readers/task/problem.h"

// Begin copies of all files that the problem was read from, and say in result which of them is the
// problem file (`problem_copy`). Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_inputs_put(cli_folder *out, const pb_problem *p, cli_json *result, dm_message *msg);

// Whether one of the files that the problem's copies are of is another now; one that is gone is
// not. path: of the problem file itself.
bool cli_inputs_changed(const pb_problem *p, const char *path);
#endif
