// cli/console/args.h: the words of a command line.
#ifndef CLI_CONSOLE_ARGS_H
#define CLI_CONSOLE_ARGS_H
#include "cli/console/command.h"

#include <stdio.h>

// Read the words after the command's name. An option must stand in the command's usage string (or
// be one of --json, --quiet, --help, which all commands take); the operand is its first word.
// Returns CLI_DONE, or CLI_INPUT after saying what is wrong, with the nearest known word.
int cli_args_read(cli_args *args, int n, char *const *word);

// Write a command's help: usage, what it does, its options.
void cli_args_help(FILE *f, const cli_command *c);
#endif
