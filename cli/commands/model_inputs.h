// cli/commands/model_inputs.h: an input of a robot, with the limits of its motor, for `info`.
#ifndef CLI_COMMANDS_MODEL_INPUTS_H
#define CLI_COMMANDS_MODEL_INPUTS_H
#include "cli/console/json.h"
#include "problems/readers/model/robot.h"

// Input i, on a coordinate or of a load, as JSON and as a line of text.
cli_json *cli_describe_input(const pb_robot *robot, int i);
void cli_print_input(const pb_robot *robot, int i);
#endif
