// cli/commands/keys.h: the keys of problem files, from the tables that readers read by.
#ifndef CLI_COMMANDS_KEYS_H
#define CLI_COMMANDS_KEYS_H
#include <stdio.h>

// Write a table of all keys: the path of each, its value, its unit, and what it is when left out. The
// tables of docs/problem-format.md are made from it (tests/house/keys.py).
void cli_keys_write(FILE *f);
#endif
