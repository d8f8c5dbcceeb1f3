// cli/folder.h: files that appear whole or not at all.
//
// Each file is written under a temporary name beside its own; when all are complete, all are
// renamed. A failure on the way (a full disk) leaves what was there before.
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H
#include "lib/status.h"

#include <stdbool.h>
#include <stdio.h>

enum { CLI_FOLDER_MAX = 32, CLI_PATH = 1200 };

typedef struct cli_folder {
  char dir[1024]; // empty: nowhere
  bool made;      // by us
  int n;
  struct {
    const char *name; // borrowed
    char part[64];    // temporary name; empty: the file is to be removed
    FILE *f;
  } file[CLI_FOLDER_MAX];
} cli_folder;

// Make the folder, with those above it; NULL: files go nowhere. Returns DM_OK, or DM_IO with the
// reason in msg.
dm_status cli_folder_open(cli_folder *d, const char *dir, dm_message *msg);

// Begin a file; it is closed by commit or discard. NULL, with the reason in msg, where it cannot
// be.
FILE *cli_folder_file(cli_folder *d, const char *name, dm_message *msg);

// Begin a file whose text somebody else writes: its temporary path in the given room.
dm_status cli_folder_path(cli_folder *d, const char *name, char path[CLI_PATH], dm_message *msg);

// Remove a file at commit, unless it is begun after this: what it says is no longer so. One that
// was begun is dropped.
void cli_folder_remove(cli_folder *d, const char *name);

// Close and rename all; on DM_IO nothing is changed. The folder can be opened again.
dm_status cli_folder_commit(cli_folder *d, dm_message *msg);

// Drop all; the folder too where it was made for this and is empty. After a commit: nothing.
void cli_folder_discard(cli_folder *d);
#endif
