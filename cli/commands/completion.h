// cli/commands/completion.h: shell completion for `dmoc`, generated from the tables of --help:
// commands, their options and option values, folders and files.
#ifndef CLI_COMMANDS_COMPLETION_H
#define CLI_COMMANDS_COMPLETION_H
#include <stdio.h>

// A shell, and the function that writes its script.
typedef struct cli_shell {
  const char *name;
  void (*write)(FILE *f);
} cli_shell;

enum { CLI_SHELLS = 3 };
extern const cli_shell cli_shells[CLI_SHELLS]; // bash, zsh, fish
#endif
