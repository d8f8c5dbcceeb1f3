// cli/results/folder.h: a folder whose files change all together or not at all.
//
// A writer claims the folder first: a staging folder inside it, `.dmoc-new`, is locked as long as its
// process lives. A second writer is refused, and what a killed one left is known to be nobody's. Files
// are begun in the staging folder. A commit (cli/results/commit.h) brings them to the disk, writes
// there what is to be done, and then renames them to their places, result.json last. Where a process is
// killed among the renames, the next command that claims the folder does the rest; killed before, it
// leaves the old files, untouched. Files that nobody named stay as they are.
//
// A reader holds the folder (cli_folder_hold): a commit waits for it, and it for a commit. It never
// writes: a folder whose commit is unfinished is refused.
//
// The path of a folder is the user's: links in it are followed. Below it all is opened by descriptor,
// and no link is followed (problems/readers/format/file.h).
//
// What a signal that ends the program at once must not leave is known to cli/console/interrupt: the
// files begun, the staging folder, the folder where it was made for this. A commit takes them from
// it.
#ifndef CLI_RESULTS_FOLDER_H
#define CLI_RESULTS_FOLDER_H
#include "cli/results/commit.h"

#include <stdbool.h>
#include <stdio.h>

// one file: begun, and to be put in its place; or to be removed
typedef struct cli_folder_entry {
  char *name; // in the folder; at most "inputs/NAME"
  bool begun;
  FILE *f;         // open for writing; NULL: not, or not any more
  char digest[65]; // the SHA-256 of a copy by the list that its original is in; empty: not known
} cli_folder_entry;

typedef struct cli_folder {
  char dir[1024];       // empty: nowhere
  pb_folder at;         // the same, open
  char stage[CLI_PATH]; // the path of the staging folder; empty: not claimed
  int lock; // the staging folder, open and locked; but where this file system has no locks
  char alone[CLI_NAME]; // of one file alone, its name; empty: of the folder
  bool below;           // the folder stands in another one
  bool made;            // the folder, by us
  bool hurried;         // not to wait for the disk: only a loss of power may then take files of it
  int n, capacity;
  cli_folder_entry *file; // [n]
} cli_folder;

// Make the folder, with those above it, and open it; NULL: files go nowhere. `below`: it stands in
// another result folder, and is not a link. d is not read, and stays where it is. Returns DM_OK, or
// DM_IO with the reason in msg.
dm_status cli_folder_make(cli_folder *d, const char *dir, bool below, dm_message *msg);

// Claim the folder for writing, or with `alone` one file of it, and finish or remove what a killed
// process left. Where another process is at work in it: with `waits` wait for its end, else refuse.
// Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_folder_claim(cli_folder *d, const char *alone, bool waits, dm_message *msg);

// Whether a file of that name can be put in its place: no folder stands there, and what is above it is a
// folder. Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_folder_check(const cli_folder *d, const char *name, dm_message *msg);

// Open a file of the folder that is read and appended to in its place, made where it is not there yet: a
// journal, which no commit renames. NULL, with the reason in msg, where it cannot be.
FILE *cli_folder_journal(cli_folder *d, const char *name, dm_message *msg);

// Begin a file; it is closed by seal, commit or discard. NULL, with the reason in msg, where it
// cannot be.
FILE *cli_folder_file(cli_folder *d, const char *name, dm_message *msg);

// Remove a file at commit, unless it is begun after this: what it says is no longer so. One that
// was begun is dropped.
void cli_folder_remove(cli_folder *d, const char *name);

// Whether a file is begun; whether it is to be removed.
bool cli_folder_begun(const cli_folder *d, const char *name);
bool cli_folder_removed(const cli_folder *d, const char *name);

// The digest of a file that was begun as the copy of another; empty: not known.
void cli_folder_set_digest(cli_folder *d, const char *name, const char *digest);
const char *cli_folder_digest(const cli_folder *d, const char *name);

// Close the files begun so far, whole and on the disk: from here on they can be read at
// cli_folder_staged. Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_folder_seal(cli_folder *d, dm_message *msg);
pb_file cli_folder_staged(const cli_folder *d, const char *name);

// Seal, and put or remove all files at once, those of a folder `under` it where that is not NULL.
// On DM_IO nothing is changed, or it says what is: the next command that writes finishes it. The claim
// ends; with put it does only on DM_IO, and other files may be begun. Signals wait for its end.
dm_status cli_folder_commit(cli_folder *d, const char *under, dm_message *msg);
dm_status cli_folder_put(cli_folder *d, const char *under, dm_message *msg);

// Drop all and end the claim; the folder goes too where it was made for this and is empty. After a
// commit: nothing.
void cli_folder_discard(cli_folder *d);

// Open a folder for reading until pb_folder_close: no commit changes it meanwhile, unless it is not to
// be `held` (a writer's own, or where another process holds it), or the file system has no locks.
// `below`: as of pb_folder_open. Returns DM_OK; DM_IO with the reason in msg and fd -1: it cannot be
// opened, or a commit in it is unfinished.
dm_status cli_folder_hold(pb_folder *at, const char *dir, bool below, bool held, dm_message *msg);

// Whether there is something to write on in a folder: a result, or a commit that waits.
bool cli_folder_has_result(const char *dir, bool below);

// Whether two paths are the same folder.
bool cli_folder_same(const char *a, const char *b);
#endif
