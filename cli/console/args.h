// cli/console/args.h: the words of a command line.
#ifndef CLI_CONSOLE_ARGS_H
#define CLI_CONSOLE_ARGS_H
#include "cli/console/command.h"

#include <stdio.h>

// Read the words after the command's name. An option must stand in the command's usage string (or
// be one of --json, --quiet, --help, which all commands take); the operand is its first word.
// Returns CLI_DONE, or CLI_INPUT after saying what is wrong, with the nearest known word.
int cli_args_read(cli_args *args, int n, char *const *word);

// Which of an option's choices a value is, 0, 1, .. in the order of its row; -1 after saying on stderr
// which there are.
int cli_args_pick(const cli_args *args, const char *name, const char *value);

// An option as a user meets it, for help, manual and completion.
typedef struct cli_option {
  const char *name, *value; // "--from"; its value's name, NULL: it has none
  const char *what;         // what it means, a line
  const char *choices;      // words that the value is one of, separated by spaces; or NULL
  bool common, again;       // all commands take it; it may be given more than once
} cli_option;

// Option i = 0, 1, .. of those that a command takes, in the order of its help; false after the last.
bool cli_args_option(const cli_command *c, int i, cli_option *option);

// Write a command's help: usage, what it does, its options.
void cli_args_help(FILE *f, const cli_command *c);
#endif
