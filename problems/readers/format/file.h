// problems/readers/format/file.h: opening files safely.
//
// A file given by a path is opened directly, through links. A file in a folder from an untrusted
// source is opened component by component from the descriptor of the folder: no name leads out of
// the folder, and no link in it is followed. Only regular files up to a size limit are read.
#ifndef PB_FORMAT_FILE_H
#define PB_FORMAT_FILE_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stdio.h>

enum {
  PB_PATH = 4352,             // longer than any path the system accepts
  PB_LARGEST_FILE = 64 << 20, // bytes of a file that is read as a whole
  PB_LARGEST_TABLE = 1 << 30  // bytes of a table of results
};

// An open folder; fd < 0: not open, and no file is found in it.
typedef struct pb_folder {
  int fd;
  const char *path; // for messages; borrowed
} pb_folder;

// A file, by its name in an open folder or by its path.
typedef struct pb_file {
  int folder;         // borrowed descriptor; < 0: none
  int name;           // offset of the name in path
  char path[PB_PATH]; // empty: the path is too long, or the folder is not open
} pb_file;

pb_file pb_file_at(const char *path);
pb_file pb_file_in(const pb_folder *folder, const char *name);

// Open a folder; path is borrowed. `below`: the folder is inside an untrusted folder and is not
// opened if the last component of path is a link.
// Returns DM_OK, or DM_IO with the reason in `reason` and fd -1.
dm_status pb_folder_open(pb_folder *folder, const char *path, bool below, dm_message *reason);
void pb_folder_close(pb_folder *folder); // leaves fd -1

// Open the folder that contains the last component of a name, starting from the descriptor of a
// folder. No component may be a link, ".", ".." or empty. *last: the last component, inside name.
// Returns a descriptor, which is `folder` itself if the name has one component; or -1 with errno.
int pb_folder_enter(int folder, const char *name, const char **last);
void pb_folder_leave(int folder, int entered); // closes entered; keeps errno

// Whether a file or link of this name exists.
bool pb_file_there(const pb_file *at);

// Open a regular file of at most `most` bytes for reading. Returns NULL with the reason in
// `reason`.
FILE *pb_file_open(const pb_file *at, long long most, dm_message *reason);
#endif
