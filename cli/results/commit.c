#include "cli/results/commit.h"

#include "cli/console/interrupt.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char lines_name[] = "commit", draft_name[] = "commit.draft"; // in the staging place

void cli_commit_join(char path[CLI_PATH], const char *dir, const char *name) {
  if (snprintf(path, CLI_PATH, "%s/%s", dir, name) >= CLI_PATH) path[0] = 0;
}

// bring a folder's names to the disk, where the file system can do that
static bool sync_folder(const char *dir) {
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  bool done = fsync(fd) == 0 || errno == EINVAL || errno == EBADF;
  int reason = errno;
  close(fd);
  errno = reason;
  return done;
}

void cli_commit_staged(char path[CLI_PATH], const char *stage, const char *name) {
  cli_commit_join(path, stage, name);
  for (char *at = path[0] ? path + strlen(stage) + 1 : path; *at; at++)
    if (*at == '/') *at = '@';
}

bool cli_commit_inside(const char *name) {
  for (const char *at = name; *at; at++) {
    bool first = at == name || at[-1] == '/';
    if (first && (*at == '.' || *at == '/')) return false;
    if (!isalnum((unsigned char)*at) && !strchr("_-.@/", *at)) return false;
  }
  return name[0] && name[strlen(name) - 1] != '/' && strlen(name) < 256;
}

// the folders of a name, made; or removed where they are empty
static void make_above(const char *dir, const char *name) {
  char path[CLI_PATH];
  cli_commit_join(path, dir, name);
  for (char *at = path + strlen(dir) + 1; (at = strchr(at, '/')); *at++ = '/') {
    *at = 0;
    mkdir(path, 0777);
  }
}

static void remove_above(const char *dir, const char *name) {
  char path[CLI_PATH], *slash;
  cli_commit_join(path, dir, name);
  while ((slash = strrchr(path, '/')) > path + strlen(dir)) {
    *slash = 0;
    if (rmdir(path) != 0) return;
  }
}

// bring the renaming of a file in a folder below to the disk
static bool sync_above(char *path, const char *name) {
  char *slash = strrchr(path, '/');
  if (!strchr(name, '/')) return true; // all of these at the end
  *slash = 0;
  return sync_folder(path);
}

// put a file in its place; done before: nothing
static bool put_file(const char *base, const char *stage, const char *name, bool to_disk) {
  // from the staging place, whose names are flat, to its folder
  char from[CLI_PATH], to[CLI_PATH];
  cli_commit_staged(from, stage, name);
  cli_commit_join(to, base, name);
  make_above(base, name);

  // nothing to rename: a commit that was cut in two had done this line
  if (rename(from, to) == 0) return !to_disk || sync_above(to, name);
  return errno == ENOENT && access(from, F_OK) != 0 && access(to, F_OK) == 0;
}

static bool remove_placed(const char *base, const char *name) {
  char path[CLI_PATH];
  cli_commit_join(path, base, name);

  if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR) return false;
  remove_above(base, name);
  return true;
}

// one line; false, with the reason in errno, where it cannot be done
static bool do_line(const char *line, const char *stage, char base[CLI_PATH], bool to_disk) {
  static const struct {
    const char *word;
    size_t length;
  } words[] = {{"into ", 5}, {"put ", 4}, {"remove ", 7}};

  // which of the three
  int what = 0;
  while (what < 3 && strncmp(line, words[what].word, words[what].length)) what++;
  const char *name = what < 3 ? line + words[what].length : "";

  // a name that leads out of the folder is refused
  errno = EINVAL;
  if (!cli_commit_inside(name)) return false;
  if (what == 1) return put_file(base, stage, name, to_disk);
  if (what == 2) return remove_placed(base, name);

  // into: the files that follow are put in a folder below
  size_t used = strlen(base);
  snprintf(base + used, CLI_PATH - used, "/%s", name);
  return mkdir(base, 0777) == 0 || errno == EEXIST;
}

bool cli_commit_pending(const char *stage) {
  char path[CLI_PATH];
  cli_commit_join(path, stage, lines_name);
  return access(path, F_OK) == 0;
}

dm_status cli_commit_do(const char *dir, const char *stage, bool to_disk, dm_message *msg) {
  char path[CLI_PATH], base[CLI_PATH], *line = NULL;
  size_t line_size = 0;
  cli_commit_join(path, stage, lines_name);
  snprintf(base, sizeof base, "%s", dir);

  // each line is done anew, or was done before
  FILE *f = fopen(path, "r");
  bool done = f != NULL;
  for (ssize_t n; done && (n = getline(&line, &line_size, f)) > 0;) {
    line[n - 1] = 0;
    done = do_line(line, stage, base, to_disk);
  }

  // lines are removed last, when all names are on the disk: until then the commit can go on
  dm_status s = DM_OK;
  if (done) done = (!to_disk || sync_folder(base)) && unlink(path) == 0;
  if (!done)
    s = dm_fail(msg, DM_IO,
                "%s: its new files are written but not all in place: %s; the next command on it "
                "goes on with that",
                dir, strerror(errno));
  if (f) fclose(f);
  free(line);
  return s;
}

FILE *cli_commit_begin(const char *stage) {
  char path[CLI_PATH];
  cli_commit_join(path, stage, draft_name);
  cli_interrupt_removes(path);
  return fopen(path, "w");
}

bool cli_commit_end(FILE *f, const char *stage, bool to_disk) {
  char draft[CLI_PATH], path[CLI_PATH];
  cli_commit_join(draft, stage, draft_name);
  cli_commit_join(path, stage, lines_name);

  // the draft becomes the commit in one renaming, after all that it names is on the disk
  bool done = cli_commit_close(f, to_disk) && (!to_disk || sync_folder(stage));
  if (done) done = rename(draft, path) == 0;
  cli_interrupt_spares(draft);
  return done && (!to_disk || sync_folder(stage));
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
