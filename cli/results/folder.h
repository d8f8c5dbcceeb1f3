// cli/results/folder.h: a folder whose files change atomically, all together.
//
// A writer first claims the folder: a staging folder inside it, `.dmoc-new`, is locked while the
// process lives. A second writer is refused, and leftovers of a killed process are recognized.
// Files are written to the staging folder. A commit (cli/results/commit.h) syncs them to disk,
// records the operations there, and then renames the files to their final names, result.json last.
// If the process is killed during the renames, the next command that claims the folder finishes
// them; if it is killed earlier, the old files remain unchanged. Other files in the folder are not
// touched.
//
// A reader holds the folder (cli_folder_hold): commits wait for readers, and readers for commits. A
// reader never writes; it refuses a folder with an unfinished commit.
//
// The path of the folder comes from the user, and links in it are followed. Everything below it is
// opened by descriptor, without following links (problems/readers/format/file.h).
//
// Objects that must not remain if a signal ends the program are registered with
// cli/console/interrupt: files that were begun, the staging folder, and the folder if it was
// created for this result. A commit unregisters them.
#ifndef CLI_RESULTS_FOLDER_H
#define CLI_RESULTS_FOLDER_H
#include "cli/results/commit.h"

#include <stdbool.h>
#include <stdio.h>

// one file: begun and to be committed, or to be removed
typedef struct cli_folder_entry {
  char *name; // in the folder; at most "inputs/NAME"
  bool begun;
  FILE *f;         // open for writing; NULL: not open (any more)
  char digest[65]; // SHA-256 of a copied file according to its source's list; empty: unknown
} cli_folder_entry;

typedef struct cli_folder {
  char dir[1024];       // empty: no output
  pb_folder at;         // the open folder
  char stage[CLI_PATH]; // path of the staging folder; empty: not claimed
  int lock; // the open, locked staging folder; not locked if the file system has no locks
  char alone[CLI_NAME]; // name of the only file to write; empty: the whole folder
  bool below;           // inside another result folder
  bool made;            // we created the folder
  bool hurried;         // do not wait for the disk: after a power loss files may be missing
  int n, capacity;
  cli_folder_entry *file; // [n]
} cli_folder;

// Create the folder with its parents, and open it; NULL: no output. `below`: it is inside another
// result folder, and may not be a link. d is uninitialized on input and must not be moved
// afterwards. Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_folder_make(cli_folder *d, const char *dir, bool below, dm_message *msg);

// Claim the folder for writing, or with `alone` only one file of it, and finish or remove leftovers
// of a killed process. If another process has claimed it, wait with `waits`, else refuse. Returns
// DM_OK, or DM_IO with the reason in msg.
dm_status cli_folder_claim(cli_folder *d, const char *alone, bool waits, dm_message *msg);

// Whether a file of this name can be written: the name is not a folder, and its parents are
// folders. Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_folder_check(const cli_folder *d, const char *name, dm_message *msg);

// Open a journal, a file that is read and appended in place, without commits; created if missing.
// Returns NULL with the reason in msg on failure.
FILE *cli_folder_journal(cli_folder *d, const char *name, dm_message *msg);

// Begin a file; it is closed by seal, commit or discard. Returns NULL with the reason in msg on
// failure.
FILE *cli_folder_file(cli_folder *d, const char *name, dm_message *msg);

// Remove an outdated file at commit, unless it is begun afterwards. A version that was begun is
// discarded.
void cli_folder_remove(cli_folder *d, const char *name);

// Whether a file was begun; whether it will be removed.
bool cli_folder_begun(const cli_folder *d, const char *name);
bool cli_folder_removed(const cli_folder *d, const char *name);

// The digest of a file that was begun as a copy; empty: unknown.
void cli_folder_set_digest(cli_folder *d, const char *name, const char *digest);
const char *cli_folder_digest(const cli_folder *d, const char *name);

// Close the files begun so far and sync them; from now on they can be read at cli_folder_staged.
// Returns DM_OK, or DM_IO with the reason in msg.
dm_status cli_folder_seal(cli_folder *d, dm_message *msg);
pb_file cli_folder_staged(const cli_folder *d, const char *name);

// Seal, then write and remove all files atomically, in the subfolder `under` if not NULL. On DM_IO
// nothing has changed, or the message says what has; the next command that writes finishes the
// commit. commit ends the claim; put ends it only on DM_IO, and more files may be begun. Signals
// are delayed.
dm_status cli_folder_commit(cli_folder *d, const char *under, dm_message *msg);
dm_status cli_folder_put(cli_folder *d, const char *under, dm_message *msg);

// Discard everything and end the claim; also removes the folder if it was created for this result
// and is empty. After a commit: no effect.
void cli_folder_discard(cli_folder *d);

// Open a folder for reading until pb_folder_close. No commit changes it meanwhile, unless `held` is
// false (for the writer itself, or if another process holds it) or the file system has no locks.
// `below`: see pb_folder_open. Returns DM_OK; or DM_IO with the reason in msg and fd -1 if it
// cannot be opened or contains an unfinished commit.
dm_status cli_folder_hold(pb_folder *at, const char *dir, bool below, bool held, dm_message *msg);

// Whether a folder contains a result or an unfinished commit.
bool cli_folder_has_result(const char *dir, bool below);

// Whether two paths refer to the same folder.
bool cli_folder_same(const char *a, const char *b);
#endif
