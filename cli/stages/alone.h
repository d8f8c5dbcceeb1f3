// cli/stages/alone.h: write a single output file of a command atomically, inside or outside of
// result folders, using a temporary name.
#ifndef CLI_STAGES_ALONE_H
#define CLI_STAGES_ALONE_H
#include "cli/console/command.h"

#include <stdio.h>

// Write the file at path: `write` receives the open file and returns an exit status after reporting
// errors. An empty file counts as a failure. Returns that status, or CLI_INPUT after reporting why
// the file cannot be written.
int cli_alone_write(const cli_args *args, const char *path, int (*write)(const void *self, FILE *f),
                    const void *self);
#endif
