// cli/results/commit.h: how the files of a result folder are put in their places: what is to be done is
// written down before it is done, so that the next command that writes there does the rest where this
// one is killed.
//
// The staging folder holds the new files under flat names, the file `commit` and the file `key`. A
// line of `commit` is one of
//
//   key INODE SECONDS NANOSECONDS   the first: of the file `key`, and when it was changed last (ctime)
//   remove NAME
//   put STAGED NAME                 rename the staged file to its place
//
// `commit` appears whole, after all that it names is on the disk, and goes after the last line is done.
// Each line may be done again.
//
// A folder from elsewhere may hold any `commit`. It is carried out only if the user owns it and its key
// fits: the system alone sets a ctime, and no archive, copy or program can choose one. What it names is
// one of the names below, and no link is followed, so that nothing outside of the folder changes in any
// case.
#ifndef CLI_RESULTS_COMMIT_H
#define CLI_RESULTS_COMMIT_H
#include "problems/readers/format/file.h"

#define CLI_STAGE ".dmoc-new" // the staging folder of a result folder

enum { CLI_PATH = PB_PATH, CLI_NAME = 256 };

// Whether a result folder can have a file of that name: NAME, inputs/NAME, FOLDER/NAME or
// FOLDER/inputs/NAME, of letters, digits, '_', '-', '.' and '@', no part beginning with '.'.
bool cli_commit_inside(const char *name);

// The flat name of a file in the staging folder.
void cli_commit_staged(char staged[CLI_NAME], const char *name);

// Write lines: begin, fprintf to the file, end. NULL, false: errno says why.
FILE *cli_commit_begin(const pb_folder *stage, bool to_disk);
bool cli_commit_end(FILE *f, const pb_folder *stage, bool to_disk);

// Whether a commit waits in a result folder to be finished.
bool cli_commit_pending(const pb_folder *folder);

// Do all lines, those done before among them, and with to_disk wait until that will last. Returns
// DM_OK, or DM_IO with the reason in msg: the commit is not of this folder (nothing is done), or a line
// could not be done.
dm_status cli_commit_do(const pb_folder *folder, const pb_folder *stage, bool to_disk,
                        dm_message *msg);

// Close a file, and bring it to the disk before; false where a byte of it was lost, errno says why
// (0: the output ended early).
bool cli_commit_close(FILE *f, bool to_disk);
#endif
