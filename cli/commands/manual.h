// cli/commands/manual.h: the manual page dmoc(1), from the tables of --help.
#ifndef CLI_COMMANDS_MANUAL_H
#define CLI_COMMANDS_MANUAL_H
#include <stdio.h>

// Write the page in man(7) markup: every command with usage and options, common options, exit
// statuses, environment and files.
void cli_manual_write(FILE *f);
#endif
