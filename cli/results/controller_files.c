#include "cli/results/registry.h"

// The controller as C code for a robot, written by control/codegen.

const cli_result_file cli_file_controller_source = {"controller.c", "export", .columns = NULL};

const cli_result_file cli_file_controller_header = {"controller.h", "export", .columns = NULL};

const cli_result_file cli_file_controller_replay = {"controller_replay.c", "export",
                                                    .columns = NULL};

const cli_result_file cli_file_controller_trace = {
    .name = "controller_trace.csv",
    .stage = "export",
    .part = CLI_PART_EXPORT,
    .columns = "A closed loop on the discrete map: the measurements and the law's answer, for "
               "controller_replay.c.",
};
