// cli/commands/manual.h: the manual page dmoc(1), from the tables that --help is made of.
#ifndef CLI_COMMANDS_MANUAL_H
#define CLI_COMMANDS_MANUAL_H
#include <stdio.h>

// Write the page in the language of man(7): every command with its usage and its options, what all
// commands take, exit statuses, environment and files.
void cli_manual_write(FILE *f);
#endif
