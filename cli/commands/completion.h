// cli/commands/completion.h: what shells complete after `dmoc`, from the tables that --help is made
// of: commands, the options of each, words of their values, folders and files.
#ifndef CLI_COMMANDS_COMPLETION_H
#define CLI_COMMANDS_COMPLETION_H
#include <stdio.h>

// A shell, and what writes its script.
typedef struct cli_shell {
  const char *name;
  void (*write)(FILE *f);
} cli_shell;

enum { CLI_SHELLS = 3 };
extern const cli_shell cli_shells[CLI_SHELLS]; // bash, zsh, fish
#endif
