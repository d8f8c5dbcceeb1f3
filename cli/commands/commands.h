// cli/commands/commands.h: the commands; main.c lists them with their usage. Each returns an exit
// status.
#ifndef CLI_COMMANDS_COMMANDS_H
#define CLI_COMMANDS_COMMANDS_H
#include "cli/console/command.h"

int cmd_run(const cli_args *args);
int cmd_check(const cli_args *args);
int cmd_simulate(const cli_args *args);
int cmd_optimize(const cli_args *args);
int cmd_descend(const cli_args *args);
int cmd_gains(const cli_args *args);
int cmd_verify(const cli_args *args);
int cmd_export(const cli_args *args);
int cmd_sweep(const cli_args *args);
int cmd_linearize(const cli_args *args);
int cmd_plot(const cli_args *args);
int cmd_info(const cli_args *args);
int cmd_eval(const cli_args *args);
#endif
