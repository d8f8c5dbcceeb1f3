// cli/commands/elements.h: the elements of robot files, from the tables that readers check by.
#ifndef CLI_COMMANDS_ELEMENTS_H
#define CLI_COMMANDS_ELEMENTS_H
#include <stdio.h>

// Write a table for each format: elements, their attributes, what becomes of them. docs/robot-files.md is made
// from it (tests/house/elements.py).
void cli_elements_write(FILE *f);
#endif
