// cli/results/commit.h: what is to be done to a folder's files, written down before it is done, so
// that whoever finds it half done does the rest.
//
// The file `commit` in a staging place has a line for each: `into FOLDER` (first, if at all: all
// that follows is of that folder in it), `remove NAME`, `put NAME`: rename the staged file to its
// place. It appears whole, after all that it speaks of is on the disk, and goes when the last line
// is done. Each line may be done again.
#ifndef CLI_RESULTS_COMMIT_H
#define CLI_RESULTS_COMMIT_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stdio.h>

enum { CLI_PATH = 4352 }; // more than any path there is

// dir/name; empty where that is longer than any path.
void cli_commit_join(char path[CLI_PATH], const char *dir, const char *name);

// A file of the folder as it stands in the staging place, which has no folders.
void cli_commit_staged(char path[CLI_PATH], const char *stage, const char *name);

// Whether a name is one of a file in a folder, and leads nowhere above or outside it.
bool cli_commit_inside(const char *name);

// Write lines: begin, fprintf to the file, end. NULL, false: errno says why.
FILE *cli_commit_begin(const char *stage);
bool cli_commit_end(FILE *f, const char *stage, bool to_disk);

// Whether there is something to be done.
bool cli_commit_pending(const char *stage);

// Do all lines, those done before among them, and with to_disk wait until that will last. Returns
// DM_OK, or DM_IO with the reason in msg.
dm_status cli_commit_do(const char *dir, const char *stage, bool to_disk, dm_message *msg);

// Close a file, and bring it to the disk before; false where a byte of it was lost, errno says why
// (0: the output ended early).
bool cli_commit_close(FILE *f, bool to_disk);
#endif
