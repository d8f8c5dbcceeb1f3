// cli/console/args.h: parse the command line.
#ifndef CLI_CONSOLE_ARGS_H
#define CLI_CONSOLE_ARGS_H
#include "cli/console/command.h"

#include <stdio.h>

// Read the words after the command's name. Options must be in the command's usage string (or be
// --json, --quiet, --help, which all commands accept); the operand is its first word. Returns
// CLI_DONE, or CLI_INPUT after reporting the error, with the nearest known word.
int cli_args_read(cli_args *args, int n, char *const *word);

// The index of a value among an option's choices, in the order of its row; -1 after listing the
// choices on stderr.
int cli_args_pick(const cli_args *args, const char *name, const char *value);

// An option for help, manual and completion.
typedef struct cli_option {
  const char *name, *value; // "--from"; name of its value, NULL: none
  const char *what;         // description in one line
  const char *choices;      // allowed words, separated by spaces; or NULL
  bool common, again;       // accepted by all commands; may be repeated
} cli_option;

// Get option i = 0, 1, .. of a command, in the order of its help; returns false after the last.
bool cli_args_option(const cli_command *c, int i, cli_option *option);

// Write a command's help: usage, description, options.
void cli_args_help(FILE *f, const cli_command *c);
#endif
