// cli/commands/commands.h: the commands of the program.
//
// A command is a row of type cli_command (cli/console/command.h) in its own source file, below its
// stages. To add a command, add such a source and its name to this list: option parsing, help and
// its entry in dmoc --help follow from the row.
#ifndef CLI_COMMANDS_COMMANDS_H
#define CLI_COMMANDS_COMMANDS_H
#include "cli/console/command.h"

// In the order of dmoc --help.
#define CLI_COMMANDS(X)                                                                            \
  X(run)                                                                                           \
  X(check)                                                                                         \
  X(simulate)                                                                                      \
  X(optimize)                                                                                      \
  X(descend)                                                                                       \
  X(excite)                                                                                        \
  X(gains)                                                                                         \
  X(verify)                                                                                        \
  X(export)                                                                                        \
  X(sweep)                                                                                         \
  X(tune)                                                                                          \
  X(identify)                                                                                      \
  X(linearize)                                                                                     \
  X(finish)                                                                                        \
  X(report)                                                                                        \
  X(convert)                                                                                       \
  X(plot)                                                                                          \
  X(info)                                                                                          \
  X(eval)

#define CLI_DECLARE_COMMAND(word) extern const cli_command cli_command_##word;
CLI_COMMANDS(CLI_DECLARE_COMMAND)
#undef CLI_DECLARE_COMMAND
#endif
