// problems/readers/format/file.h: where a file is read.
//
// A file that you name by a path is opened as it is, through links. A file in a folder that may come from
// a stranger is opened by its name, step by step from the descriptor of the folder: no name leads out
// of the folder, and no link in it is followed. Only regular files are read, and none larger than the
// reader takes.
#ifndef PB_FORMAT_FILE_H
#define PB_FORMAT_FILE_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stdio.h>

enum {
  PB_PATH = 4352,             // longer than any path of the system
  PB_LARGEST_FILE = 64 << 20, // bytes of a file that is read as a whole
  PB_LARGEST_TABLE = 1 << 30  // of a table of results
};

// An open folder; fd < 0: it is not open, and nothing is found in it.
typedef struct pb_folder {
  int fd;
  const char *path; // for messages; borrowed
} pb_folder;

// A file by its name in an open folder, or by its path.
typedef struct pb_file {
  int folder;         // its descriptor, borrowed; < 0: none
  int name;           // where the name begins in path
  char path[PB_PATH]; // empty: it is longer than any path, or the folder is not open
} pb_file;

pb_file pb_file_at(const char *path);
pb_file pb_file_in(const pb_folder *folder, const char *name);

// Open a folder. `below`: it stands in a folder that may come from a stranger, so that it is not opened
// where the last part of path is a link. path is borrowed.
// Returns DM_OK; or DM_IO with why in reason and fd -1.
dm_status pb_folder_open(pb_folder *folder, const char *path, bool below, dm_message *reason);
void pb_folder_close(pb_folder *folder); // leaves fd -1

// Open the folder that the last part of a name is in, from the descriptor of a folder: no part is a link,
// ".", ".." or empty. *last: that part, in name. Returns a descriptor, which is `folder` itself where the
// name has one part; or -1 with errno.
int pb_folder_enter(int folder, const char *name, const char **last);
void pb_folder_leave(int folder, int entered); // closes what was entered, and keeps errno

// Is there anything by that name, a link included?
bool pb_file_there(const pb_file *at);

// Open a regular file of at most `most` bytes for reading. Returns NULL with why in reason.
FILE *pb_file_open(const pb_file *at, long long most, dm_message *reason);
#endif
