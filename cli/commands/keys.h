// cli/commands/keys.h: list the keys of problem files, from the tables of the readers.
#ifndef CLI_COMMANDS_KEYS_H
#define CLI_COMMANDS_KEYS_H
#include <stdio.h>

// Write a table of all keys: path, value, unit, default and meaning. The tables of
// docs/problem-format.md are generated from it (tests/house/keys.py).
void cli_keys_write(FILE *f);
#endif
