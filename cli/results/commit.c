#include "cli/results/commit.h"

#include "cli/console/interrupt.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 1 << 20 }; // maximum size of a commit file in bytes

static const char lines_name[] = "commit", draft_name[] = "commit.draft", key_name[] = "key";

// -- names

// length of a path component
static size_t measure_part(const char *at) {
  size_t n = 0;
  if (*at == '.') return 0;
  while (isalnum((unsigned char)at[n]) || (at[n] && strchr("_-.@", at[n]))) n++;
  return at[n] && at[n] != '/' ? 0 : n;
}

bool cli_commit_inside(const char *name) {
  static const char inputs[] = "inputs/";
  int parts = 0;
  const char *at = name, *middle = name;
  if (strlen(name) >= CLI_NAME) return false;
  for (size_t n; (n = measure_part(at)) > 0; at += n + 1) {
    parts++;
    if (parts == 2) middle = at;
    if (at[n]) continue;
    return parts < 3 || (parts == 3 && !strncmp(middle, inputs, strlen(inputs)));
  }
  return false;
}

void cli_commit_staged(char staged[CLI_NAME], const char *name) {
  snprintf(staged, CLI_NAME, "%s", name);
  for (char *at = staged; (at = strchr(at, '/'));) *at = '@';
}

// -- the key

// identify `key` by its inode and ctime; returns false if it is not a regular file of the user
static bool find_key(int stage, char key[80]) {
  struct stat st;
  if (fstatat(stage, key_name, &st, AT_SYMLINK_NOFOLLOW) != 0) return false;
  snprintf(key, 80, "key %llu %lld %ld", (unsigned long long)st.st_ino,
           (long long)st.st_ctim.tv_sec, (long)st.st_ctim.tv_nsec);
  return S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static bool make_key(int stage, bool to_disk) {
  if (unlinkat(stage, key_name, 0) != 0 && errno != ENOENT) return false;
  const int fd =
      openat(stage, key_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool done = !to_disk || fsync(fd) == 0 || errno == EINVAL;
  const int reason = errno;
  close(fd);
  errno = reason;
  return done;
}

// -- the disk

// sync a folder's entries to disk, if the file system supports it
static bool sync_folder(int fd) {
  return fsync(fd) == 0 || errno == EINVAL || errno == EBADF;
}

bool cli_commit_close(FILE *f, bool to_disk) {
  errno = 0;
  bool whole = fflush(f) == 0 && !ferror(f);
  if (whole && to_disk && fsync(fileno(f)) != 0) whole = errno == EINVAL || errno == EROFS;
  int reason = errno;
  if (fclose(f) != 0 && whole) return false;
  if (!whole) errno = reason;
  return whole;
}

// -- executing lines

// create the parent folders of a name
static bool make_above(int folder, const char *name) {
  char part[CLI_NAME];
  const char *last;
  for (const char *at = name; (at = strchr(at, '/')); at++) {
    snprintf(part, sizeof part, "%.*s", (int)(at - name), name);
    const int above = pb_folder_enter(folder, part, &last);
    const bool made = above >= 0 && (mkdirat(above, last, 0777) == 0 || errno == EEXIST);
    pb_folder_leave(folder, above);
    if (!made) return false;
  }
  return true;
}

// remove the parent folders of a name if they are empty
static void remove_above(int folder, const char *name) {
  char part[CLI_NAME], *slash;
  const char *last;
  snprintf(part, sizeof part, "%s", name);
  for (bool empty = true; empty && (slash = strrchr(part, '/'));) {
    *slash = 0;
    const int above = pb_folder_enter(folder, part, &last);
    empty = above >= 0 && unlinkat(above, last, AT_REMOVEDIR) == 0;
    pb_folder_leave(folder, above);
  }
}

static bool is_there(int folder, const char *name) {
  struct stat st;
  return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

// execute one line; returns false with errno on failure
static bool do_line(char *line, int folder, int stage, bool to_disk) {
  static const char remove_word[] = "remove ", put_word[] = "put ";
  const size_t remove_length = strlen(remove_word), put_length = strlen(put_word);
  const bool removes = !strncmp(line, remove_word, remove_length);
  char *name = removes ? line + remove_length : strrchr(line, ' ');
  if (!removes && name) *name++ = 0;

  // refuse names that no result folder contains
  errno = EINVAL;
  if (!name || !cli_commit_inside(name)) return false;
  if (removes) {
    // a file to remove, with folders that become empty
    const char *last;
    const int above = pb_folder_enter(folder, name, &last);
    if (above < 0) return errno == ENOENT || errno == ENOTDIR;
    const bool done = unlinkat(above, last, 0) == 0 || errno == ENOENT;
    pb_folder_leave(folder, above);
    if (done) remove_above(folder, name);
    return done;
  }
  if (strncmp(line, put_word, put_length) != 0) return false;
  const char *staged = line + put_length;
  if (!cli_commit_inside(staged) || strchr(staged, '/')) return false;

  // rename a staged file to its final name; a missing staged file means that an interrupted commit
  // already renamed it
  const char *last;
  if (!make_above(folder, name)) return false;
  const int above = pb_folder_enter(folder, name, &last);
  if (above < 0) return false;
  bool done = renameat(stage, staged, above, last) == 0;

  // sync subfolders immediately, the folder itself after all lines
  if (!done)
    done = errno == ENOENT && !is_there(stage, staged) && is_there(above, last);
  else if (to_disk && last != name)
    done = sync_folder(above);
  pb_folder_leave(folder, above);
  return done;
}

// -- a commit

FILE *cli_commit_begin(const pb_folder *stage, bool to_disk) {
  char key[80];
  const pb_file draft = pb_file_in(stage, draft_name);
  if (!make_key(stage->fd, to_disk) || !find_key(stage->fd, key)) return NULL;
  cli_interrupt_removes(draft.path);
  const int how = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  const int fd = openat(stage->fd, draft_name, how, 0600);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
  if (!f && fd >= 0) close(fd);
  if (f) fprintf(f, "%s\n", key);
  return f;
}

bool cli_commit_end(FILE *f, const pb_folder *stage, bool to_disk) {
  const pb_file draft = pb_file_in(stage, draft_name);

  // rename the draft to the commit atomically, after all files it names are on disk
  bool done = cli_commit_close(f, to_disk) && (!to_disk || sync_folder(stage->fd));
  if (done) done = renameat(stage->fd, draft_name, stage->fd, lines_name) == 0;
  cli_interrupt_spares(draft.path);
  return done && (!to_disk || sync_folder(stage->fd));
}

bool cli_commit_pending(const pb_folder *folder) {
  const pb_file lines = pb_file_in(folder, CLI_STAGE "/commit");
  return pb_file_there(&lines);
}

// whether this user began the commit in this folder: its first line must identify `key`
static bool is_own(FILE *f, int stage) {
  char line[80], key[80];
  struct stat st;
  if (fstat(fileno(f), &st) != 0 || st.st_uid != geteuid() || !find_key(stage, key)) return false;
  if (!fgets(line, sizeof line, f)) return false;
  line[strcspn(line, "\n")] = 0;
  return !strcmp(line, key);
}

// execute each line; lines done before are repeated without effect
static bool do_lines(FILE *f, int folder, int stage, bool to_disk) {
  char *line = NULL;
  size_t size = 0;
  bool done = true;
  for (ssize_t n; done && (n = getline(&line, &size, f)) > 0;) {
    line[n - 1] = 0;
    done = do_line(line, folder, stage, to_disk);
  }
  const int reason = errno;
  free(line);
  errno = reason;
  return done && !ferror(f);
}

dm_status cli_commit_do(const pb_folder *folder, const pb_folder *stage, bool to_disk,
                        dm_message *msg) {
  dm_message why;
  const pb_file lines = pb_file_in(stage, lines_name);
  FILE *f = pb_file_open(&lines, LONGEST, &why);
  if (!f) return dm_fail(msg, DM_IO, "%s cannot be read: %s", lines.path, why.text);
  if (!is_own(f, stage->fd)) {
    fclose(f);
    return dm_fail(
        msg, DM_IO,
        "%s was not begun by this user in this folder, and nothing of it is done: the folder "
        "is a copy, or from elsewhere; remove %s, and make the result again",
        lines.path, stage->path);
  }

  // remove the commit last, after syncing: until then it can be resumed
  bool done = do_lines(f, folder->fd, stage->fd, to_disk) &&
              (!to_disk || sync_folder(folder->fd)) && unlinkat(stage->fd, lines_name, 0) == 0;
  fclose(f);
  if (done) unlinkat(stage->fd, key_name, 0);
  if (done) return DM_OK;
  return dm_fail(msg, DM_IO,
                 "%s: its new files are written but not all in place: %s; 'dmoc finish %s' goes on "
                 "with that",
                 folder->path, strerror(errno), folder->path);
}
