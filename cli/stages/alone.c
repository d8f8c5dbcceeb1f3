#include "cli/stages/alone.h"

#include "cli/console/log.h"
#include "cli/results/folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// write the file under a temporary name in its folder
static int write_staged(const cli_args *args, const char *dir, const char *name,
                        int (*write)(const void *self, FILE *f), const void *self) {
  cli_folder folder;
  struct stat st;
  dm_message msg = {0};

  // refuse to replace a device, a pipe or a folder; a link is replaced, not followed
  dm_status s = cli_folder_make(&folder, dir, false, &msg);
  if (s == DM_OK && fstatat(folder.at.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
      !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
    s = dm_fail(&msg, DM_IO, "%s/%s is no file that can be written anew", dir, name);

  // claim only this file: other files in the folder are not ours
  if (s == DM_OK) s = cli_folder_claim(&folder, name, false, &msg);
  FILE *file = s == DM_OK ? cli_folder_file(&folder, name, &msg) : NULL;
  if (!file) {
    cli_folder_discard(&folder);
    return cli_fail_status(args, DM_IO, &msg);
  }

  // external writers may return success on a full disk
  int status = write(self, file);
  if (status == CLI_DONE && (fflush(file) != 0 || fstat(fileno(file), &st) != 0 || st.st_size == 0))
    status = cli_fail(args, CLI_INPUT, "%s/%s was not written: is the disk full?", dir, name);

  // rename to the final name
  if (status == CLI_DONE && (s = cli_folder_commit(&folder, NULL, &msg)) != DM_OK)
    status = cli_fail_status(args, s, &msg);
  cli_folder_discard(&folder);
  return status;
}

int cli_alone_write(const cli_args *args, const char *path, int (*write)(const void *self, FILE *f),
                    const void *self) {
  char *dir = strdup(path), *slash = dir ? strrchr(dir, '/') : NULL;
  if (!dir) return cli_fail(args, CLI_FAULT, "out of memory");
  if (slash) *slash = 0;
  const char *folder = slash ? dir : ".";
  if (slash && !*dir) folder = "/";
  const int status = write_staged(args, folder, slash ? slash + 1 : path, write, self);
  free(dir);
  return status;
}
