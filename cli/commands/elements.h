// cli/commands/elements.h: list the elements of robot files, from the tables with which readers
// check files.
#ifndef CLI_COMMANDS_ELEMENTS_H
#define CLI_COMMANDS_ELEMENTS_H
#include <stdio.h>

// Write a table for each format: every element, its attributes, and whether dmoc reads, ignores or
// refuses them. tests/house/keys.py keeps docs/robot-files.md in step with these tables.
void cli_elements_write(FILE *f);
#endif
