#include "problems/readers/format/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

pb_file pb_file_at(const char *path) {
  pb_file at = {.folder = -1};
  if (snprintf(at.path, sizeof at.path, "%s", path) >= (int)sizeof at.path) at.path[0] = 0;
  return at;
}

pb_file pb_file_in(const pb_folder *folder, const char *name) {
  pb_file at = {.folder = folder->fd};
  if (folder->fd < 0) return at;
  at.name = (int)strlen(folder->path) + 1;
  const int length = snprintf(at.path, sizeof at.path, "%s/%s", folder->path, name);
  return length < (int)sizeof at.path ? at : (pb_file){.folder = -1};
}

// -- opening without following links

// length of the first component of a name; 0: empty, ".", ".." or too long
static size_t measure_part(const char *name) {
  const size_t length = strcspn(name, "/");
  const bool dots = (length == 1 || length == 2) && strspn(name, ".") >= length;
  return dots || length > NAME_MAX ? 0 : length;
}

void pb_folder_leave(int folder, int entered) {
  const int why = errno;
  if (entered >= 0 && entered != folder) close(entered);
  errno = why;
}

int pb_folder_enter(int folder, const char *name, const char **last) {
  int at = folder;
  for (*last = name; at >= 0; *last += strcspn(*last, "/") + 1) {
    char part[NAME_MAX + 1] = "";
    const size_t length = measure_part(*last);
    memcpy(part, *last, length);
    if (length && !(*last)[length]) return at;

    // the next folder, never ".."
    errno = EINVAL;
    const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int next = length ? openat(at, part, how) : -1;
    pb_folder_leave(folder, at);
    at = next;
  }
  return -1;
}

// open the file: a path may pass through links, a name in a folder may not
static int open_named(const pb_file *at, int how) {
  const char *last;
  if (at->folder < 0) return open(at->path, how | O_CLOEXEC);
  const int above = pb_folder_enter(at->folder, at->path + at->name, &last);
  const int fd = above < 0 ? -1 : openat(above, last, how | O_NOFOLLOW | O_CLOEXEC);
  pb_folder_leave(at->folder, above);
  return fd;
}

static bool look_at(const pb_file *at, struct stat *st) {
  const char *last;
  if (at->folder < 0) return stat(at->path, st) == 0;
  const int above = pb_folder_enter(at->folder, at->path + at->name, &last);
  const bool there = above >= 0 && fstatat(above, last, st, AT_SYMLINK_NOFOLLOW) == 0;
  pb_folder_leave(at->folder, above);
  return there;
}

bool pb_file_there(const pb_file *at) {
  struct stat st;
  return look_at(at, &st);
}

// -- folders

dm_status pb_folder_open(pb_folder *folder, const char *path, bool below, dm_message *reason) {
  const int how = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (below ? O_NOFOLLOW : 0);
  *folder = (pb_folder){.fd = open(path, how), .path = path};
  if (folder->fd >= 0) return DM_OK;

  // the error "not a folder" may be a link to a folder
  struct stat st;
  const int why = errno;
  if (below && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
    return dm_fail(reason, DM_IO, "found a link, expected a folder");
  return dm_fail(reason, DM_IO, "%s", strerror(why));
}

void pb_folder_close(pb_folder *folder) {
  if (folder->fd >= 0) close(folder->fd);
  folder->fd = -1;
}

// -- files

// description of a file that is not regular
static const char *describe_kind(mode_t mode) {
  if (S_ISLNK(mode)) return "a link";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// check for a regular file of at most `most` bytes
static dm_status check_kind(const struct stat *st, long long most, dm_message *reason) {
  if (S_ISDIR(st->st_mode)) return dm_fail(reason, DM_IO, "%s", strerror(EISDIR));
  if (!S_ISREG(st->st_mode))
    return dm_fail(reason, DM_IO, "found %s, expected a file", describe_kind(st->st_mode));
  if (st->st_size <= most) return DM_OK;
  return dm_fail(reason, DM_IO, "found %.4g MiB, expected at most %lld MiB",
                 (double)st->st_size / (1 << 20), most >> 20);
}

FILE *pb_file_open(const pb_file *at, long long most, dm_message *reason) {
  struct stat st;
  FILE *f = NULL;

  // check the kind before opening: opening a device may have effects, opening a pipe blocks
  if (!look_at(at, &st)) {
    dm_fail(reason, DM_IO, "%s", strerror(errno));
    return NULL;
  }
  if (check_kind(&st, most, reason) != DM_OK) return NULL;

  // check again after opening: the file may have been replaced
  const int file = open_named(at, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (file < 0 || fstat(file, &st) != 0)
    dm_fail(reason, DM_IO, "%s", strerror(errno));
  else if (check_kind(&st, most, reason) == DM_OK && !(f = fdopen(file, "rb")))
    dm_fail(reason, DM_IO, "%s", strerror(errno));
  if (!f && file >= 0) close(file);
  return f;
}
