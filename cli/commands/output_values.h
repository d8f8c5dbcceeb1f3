// cli/commands/output_values.h: the outputs of a robot at a state, as info and eval show them.
#ifndef CLI_COMMANDS_OUTPUT_VALUES_H
#define CLI_COMMANDS_OUTPUT_VALUES_H
#include "cli/console/command.h"
#include "cli/console/json.h"
#include "problems/readers/model/robot.h"

// The outputs of a robot's file with their values at q = 0, as an array, or as lines on stdout.
// Without memory there are none.
cli_json *cli_output_values_describe(const pb_robot *robot);
void cli_output_values_print(const pb_robot *robot);

// Show what args->output names at q [nq] moving with v [nq] (NULL: not) under the inputs u [nu] (NULL:
// not known): an output, one of its rows,
// a link (its frame in the world), or all; with derivatives, of second order where args->hessian
// says so. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT after saying why.
int cli_output_values_show(const cli_args *args, const pb_robot *robot, const double *q,
                           const double *v, const double *u);
#endif
