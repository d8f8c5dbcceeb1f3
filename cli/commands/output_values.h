// cli/commands/output_values.h: the outputs of a robot at a state, for info and eval.
#ifndef CLI_COMMANDS_OUTPUT_VALUES_H
#define CLI_COMMANDS_OUTPUT_VALUES_H
#include "cli/console/command.h"
#include "cli/console/json.h"
#include "problems/readers/model/robot.h"

// The outputs of a robot's file with their values at q = 0, as an array, or printed to stdout.
// Empty if out of memory.
cli_json *cli_output_values_describe(const pb_robot *robot);
void cli_output_values_print(const pb_robot *robot);

// Show the outputs named by args->output at q [nq], v [nq] (NULL: at rest) and the inputs u [nu]
// (NULL: unknown): an output, one of its rows, a link (its frame in the world), or all; with first
// derivatives, and second ones if args->hessian. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT after
// reporting why.
int cli_output_values_show(const cli_args *args, const pb_robot *robot, const double *q,
                           const double *v, const double *u);
#endif
