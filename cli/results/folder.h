// cli/results/folder.h: a folder whose files change all together or not at all.
//
// Whoever writes claims the folder first: a staging place inside it, `.dmoc-new`, is locked as long
// as its process lives, so that a second writer is refused and what a killed one left is known to
// be nobody's. Files are begun in the staging place. A commit brings them to the disk and then
// writes there what is to be done, a line a file (`commit`): from that moment on the new files are
// the folder's. They are renamed to their places, result.json last. Where a process is killed among
// the renames, the next command that opens the folder does the rest of the lines; killed before, it
// leaves the old files, untouched. Files that nobody named stay as they are.
//
// Readers hold the folder (cli_folder_lock): a commit waits for them, and they for a commit.
//
// What a signal that ends the program at once must not leave is known to cli/console/interrupt: the
// files begun, the staging place, the folder where it was made for this. A commit takes them from
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
  char stage[CLI_PATH]; // the staging place; empty: not claimed
  char alone[256];      // of one file alone, its name; empty: of the folder
  int lock;             // on the staging place; < 0: this file system has none
  bool made;            // the folder, by us
  bool hurried;         // not to wait for the disk: only a loss of power may then take files of it
  int n, capacity;
  cli_folder_entry *file; // [n]
} cli_folder;

// Make the folder, with those above it; NULL: files go nowhere. d is not read. Returns DM_OK, or
// DM_IO with the reason in msg.
dm_status cli_folder_make(cli_folder *d, const char *dir, dm_message *msg);

// Claim the folder for writing, or with `alone` one file of it, and finish or remove what a killed
// process left. Where another process is at work in it: with `waits` wait for its end, else refuse.
// Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_folder_claim(cli_folder *d, const char *alone, bool waits, dm_message *msg);

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
void cli_folder_staged(const cli_folder *d, const char *name, char path[CLI_PATH]);

// Seal, and put or remove all files at once, those of a folder `under` it where that is not NULL.
// On DM_IO nothing is changed, or it says what is: the next command finishes it. The claim ends;
// with put it does only on DM_IO, and other files may be begun. Signals wait for its end.
dm_status cli_folder_commit(cli_folder *d, const char *under, dm_message *msg);
dm_status cli_folder_put(cli_folder *d, const char *under, dm_message *msg);

// Drop all and end the claim; the folder goes too where it was made for this and is empty. After a
// commit: nothing.
void cli_folder_discard(cli_folder *d);

// Finish what a process that was killed in a commit left to do. Returns DM_OK, or DM_IO with the
// reason in msg: the folder is then not whole.
dm_status cli_folder_recover(const char *dir, dm_message *msg);

// Hold a folder for reading until cli_folder_unlock: no commit changes it meanwhile. < 0: it
// cannot be held (a file system without locks).
int cli_folder_lock(const char *dir);
void cli_folder_unlock(int lock);

// Whether two paths are the same folder.
bool cli_folder_same(const char *a, const char *b);
#endif
