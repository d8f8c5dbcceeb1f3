#include "cli/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static dm_status io_error(dm_message *msg, const char *dir, const char *name) {
  return dm_fail(msg, DM_IO, "%s%s%s cannot be written: %s", dir, name[0] ? "/" : "", name,
                 errno ? strerror(errno) : "the output ended early");
}

dm_status cli_folder_open(cli_folder *d, const char *dir, dm_message *msg) {
  *d = (cli_folder){0};
  if (!dir) return DM_OK;
  if ((size_t)snprintf(d->dir, sizeof d->dir, "%s", dir) >= sizeof d->dir)
    return dm_fail(msg, DM_IO, "the path of the result folder is longer than %zu bytes",
                   sizeof d->dir - 1);
  for (char *at = d->dir + 1;; at++) {
    if (*at && *at != '/') continue;
    char was = *at;
    *at = 0;
    d->made = mkdir(d->dir, 0777) == 0;
    if (!d->made && errno != EEXIST) return io_error(msg, d->dir, "");
    *at = was;
    if (!was) break;
  }
  struct stat st;
  if (stat(d->dir, &st) == 0 && !S_ISDIR(st.st_mode))
    errno = ENOTDIR;
  else if (access(d->dir, W_OK) == 0)
    return DM_OK;
  return io_error(msg, d->dir, "");
}

static void join(char path[CLI_PATH], const char *dir, const char *name) {
  snprintf(path, CLI_PATH, "%s/%s", dir, name);
}

// the entry of a name, made where there is none; -1 where there is no room
static int entry(cli_folder *d, const char *name) {
  int i = 0;
  while (i < d->n && strcmp(d->file[i].name, name)) i++;
  if (i == CLI_FOLDER_MAX) return -1;
  if (i == d->n) d->file[d->n++].name = name;
  return i;
}

// begin a file: its entry, or -1 with the reason in msg
static int begin(cli_folder *d, const char *name, char path[CLI_PATH], dm_message *msg) {
  int i = entry(d, name);
  if (i < 0) {
    dm_fail(msg, DM_FAULT, "more than %d files in one result", CLI_FOLDER_MAX);
    return -1;
  }
  int room = sizeof d->file[i].part;
  if (snprintf(d->file[i].part, (size_t)room, ".%ld.%s", (long)getpid(), name) >= room) {
    dm_fail(msg, DM_IO, "the file name %s is too long", name);
    return -1;
  }
  join(path, d->dir, d->file[i].part);
  if (!d->dir[0]) d->file[i].part[0] = 0, snprintf(path, CLI_PATH, "/dev/null");
  return i;
}

dm_status cli_folder_path(cli_folder *d, const char *name, char path[CLI_PATH], dm_message *msg) {
  return begin(d, name, path, msg) < 0 ? DM_IO : DM_OK;
}

FILE *cli_folder_file(cli_folder *d, const char *name, dm_message *msg) {
  char path[CLI_PATH];
  int i = begin(d, name, path, msg);
  if (i < 0) return NULL;
  errno = 0;
  d->file[i].f = fopen(path, "w");
  if (!d->file[i].f) io_error(msg, d->dir, name);
  return d->file[i].f;
}

// what was begun of a file is dropped
static void drop(cli_folder *d, int i) {
  char part[CLI_PATH];
  if (d->file[i].f) fclose(d->file[i].f);
  join(part, d->dir, d->file[i].part);
  if (d->file[i].part[0]) unlink(part);
  d->file[i].f = NULL, d->file[i].part[0] = 0;
}

void cli_folder_remove(cli_folder *d, const char *name) {
  int i = entry(d, name);
  if (i >= 0) drop(d, i);
}

// close one file, whatever was said of it before; false where a byte of it was lost
static bool close_whole(FILE *f) {
  errno = 0;
  bool whole = fflush(f) == 0 && !ferror(f);
  int reason = errno;
  if (fclose(f) != 0 && whole) return false;
  if (!whole) errno = reason;
  return whole;
}

dm_status cli_folder_commit(cli_folder *d, dm_message *msg) {
  for (int i = 0; i < d->n; i++) {
    FILE *f = d->file[i].f;
    d->file[i].f = NULL;
    if (f && !close_whole(f)) {
      dm_status s = io_error(msg, d->dir, d->file[i].name);
      cli_folder_discard(d);
      return s;
    }
  }
  dm_status s = DM_OK;
  for (int i = 0; i < d->n; i++) {
    char path[CLI_PATH], part[CLI_PATH];
    join(path, d->dir, d->file[i].name);
    join(part, d->dir, d->file[i].part);
    if (!d->dir[0]) continue;
    if (!d->file[i].part[0])
      unlink(path);
    else if (s == DM_OK && rename(part, path) != 0)
      s = io_error(msg, d->dir, d->file[i].name);
    if (s != DM_OK && d->file[i].part[0]) unlink(part);
  }
  memset(d->file, 0, sizeof d->file);
  d->n = 0, d->made = false;
  return s;
}

void cli_folder_discard(cli_folder *d) {
  for (int i = 0; i < d->n; i++) drop(d, i);
  if (d->made) rmdir(d->dir);
  memset(d->file, 0, sizeof d->file);
  d->n = 0, d->made = false;
}
