// cli/stages/alone.h: one file that a command makes beside or within result folders: whole or not at
// all, under a temporary name until it is.
#ifndef CLI_STAGES_ALONE_H
#define CLI_STAGES_ALONE_H
#include "cli/console/command.h"

#include <stdio.h>

// Write the file at path: `write` gets it open, and returns an exit status after saying what went
// wrong. A file that stays empty is none. Returns that status, or CLI_INPUT after saying why the file
// cannot be.
int cli_alone_write(const cli_args *args, const char *path, int (*write)(const void *self, FILE *f),
                    const void *self);
#endif
