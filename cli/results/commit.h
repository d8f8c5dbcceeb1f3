// cli/results/commit.h: atomic commits to a result folder. All operations are recorded before they
// are executed, so that if the process is killed, the next command that writes to the folder
// completes them.
//
// The staging folder holds the new files under flat names, the file `commit` and the file `key`. A
// line of `commit` is one of
//
//   key INODE SECONDS NANOSECONDS   the first line: inode and ctime of the file `key`
//   remove NAME
//   put STAGED NAME                 rename the staged file to its final name
//
// `commit` appears atomically, after all files that it names are on disk, and is removed after its
// last line was executed. Every line may be repeated.
//
// A folder from elsewhere may contain any `commit`. It is executed only if the user owns it and its
// key matches: only the system sets a ctime, and no archive, copy or program can choose one. Names
// are restricted as below, and no link is followed, so that nothing outside of the folder can
// change in any case.
#ifndef CLI_RESULTS_COMMIT_H
#define CLI_RESULTS_COMMIT_H
#include "problems/readers/format/file.h"

#define CLI_STAGE ".dmoc-new" // the staging folder of a result folder

enum { CLI_PATH = PB_PATH, CLI_NAME = 256 };

// Whether a result folder can contain a file of this name: NAME, inputs/NAME, FOLDER/NAME or
// FOLDER/inputs/NAME, made of letters, digits, '_', '-', '.' and '@', with no component starting
// with '.'.
bool cli_commit_inside(const char *name);

// The flat name of a file in the staging folder.
void cli_commit_staged(char staged[CLI_NAME], const char *name);

// Write a commit: begin, fprintf lines to the file, end. Return NULL or false with errno on
// failure.
FILE *cli_commit_begin(const pb_folder *stage, bool to_disk);
bool cli_commit_end(FILE *f, const pb_folder *stage, bool to_disk);

// Whether a result folder contains an unfinished commit.
bool cli_commit_pending(const pb_folder *folder);

// Execute all lines, including those done before; with to_disk, wait until they are on disk.
// Returns DM_OK, or DM_IO with the reason in msg: the commit does not belong to this folder
// (nothing is done), or a line failed.
dm_status cli_commit_do(const pb_folder *folder, const pb_folder *stage, bool to_disk,
                        dm_message *msg);

// Close a file after syncing it to disk; returns false with errno if data was lost (0: the output
// ended early).
bool cli_commit_close(FILE *f, bool to_disk);
#endif
