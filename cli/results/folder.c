#include "cli/results/folder.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/console/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static dm_status fail_writing(dm_message *msg, const char *dir, const char *name) {
  const char *why = errno ? strerror(errno) : "the output ended early";
  return dm_fail(msg, DM_IO, "%s%s%s cannot be written: %s", dir, name[0] ? "/" : "", name, why);
}

// -- the folder

dm_status cli_folder_make(cli_folder *d, const char *dir, dm_message *msg) {
  *d = (cli_folder){.lock = -1};
  if (!dir) return DM_OK;
  if ((size_t)snprintf(d->dir, sizeof d->dir, "%s", dir) >= sizeof d->dir)
    return dm_fail(msg, DM_IO, "the path of the result folder is longer than %zu bytes",
                   sizeof d->dir - 1);

  // each folder of the path in turn; a signal waits until it is known what was made
  cli_interrupt_wait(true);
  for (char *at = d->dir + 1;; at++) {
    if (*at && *at != '/') continue; // at each slash, and at the end
    char was = *at;
    *at = 0;
    bool now = mkdir(d->dir, 0777) == 0;
    // EEXIST: by another process meanwhile, or before
    const int why = errno;
    if (!now && why != EEXIST) {
      cli_interrupt_wait(false);
      errno = why;
      return fail_writing(msg, d->dir, "");
    }

    // in one that is made none is there before, but for the empty name after a last /
    d->made |= now;
    *at = was;
    if (!was) break;
  }

  // an interrupt removes what was made, unless a result came into it
  if (d->made) cli_interrupt_removes(d->dir);
  cli_interrupt_wait(false);

  // it must be a folder, and one that can be written to
  struct stat st;
  if (stat(d->dir, &st) == 0 && !S_ISDIR(st.st_mode))
    errno = ENOTDIR;
  else if (access(d->dir, W_OK) == 0)
    return DM_OK;
  return fail_writing(msg, d->dir, "");
}

bool cli_folder_same(const char *a, const char *b) {
  struct stat x, y;
  // a folder is the same by its device and inode, whatever the path
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int cli_folder_lock(const char *dir) {
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -1;
  // a signal may interrupt the wait
  while (flock(fd, LOCK_SH) != 0)
    if (errno != EINTR) break;
  return fd;
}

void cli_folder_unlock(int lock) {
  if (lock >= 0) close(lock);
}

// wait for the readers of the folder; < 0: it cannot be held
static int keep_readers_out(const char *dir) {
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno == EWOULDBLOCK) cli_error("waiting for a command that reads %s", dir);
  while (flock(fd, LOCK_EX) != 0)
    if (errno != EINTR) break;
  return fd;
}

// remove the staging place with what is in it
static void clear_stage(const char *stage) {
  char path[CLI_PATH];

  // its files alone: there are no folders in it
  DIR *list = opendir(stage);
  for (struct dirent *e; list && (e = readdir(list));) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    cli_commit_join(path, stage, e->d_name);
    unlink(path);
  }
  if (list) closedir(list);
}

// -- the claim

static bool is_place(int fd, const char *path) {
  struct stat x, y;
  // the name may have gone to another folder since
  return fstat(fd, &x) == 0 && stat(path, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void pause_claim(void) {
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); // 20 ms
}

static dm_status refuse_claim(const cli_folder *d, bool locks, dm_message *msg) {
  const char *what = d->alone[0] ? d->alone : "it";
  // locked: its process lives
  if (locks)
    return dm_fail(msg, DM_IO,
                   "another dmoc command is at work in %s and writes %s: wait for its end, or "
                   "write elsewhere (-o)",
                   d->dir, what);

  // without locks nobody can tell
  return dm_fail(msg, DM_IO,
                 "found %s of another dmoc command, and this file system has no locks that tell "
                 "whether it is still at work; if it is not, remove that folder",
                 d->stage);
}

// make and lock the staging place; DM_MAX_ITER: it has gone meanwhile, try again
static dm_status lock_stage(cli_folder *d, bool *busy, dm_message *msg) {
  bool fresh = mkdir(d->stage, 0777) == 0;

  *busy = false;

  // 1  made, or there before
  if (!fresh && errno != EEXIST) return fail_writing(msg, d->dir, d->alone);
  d->lock = open(d->stage, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  // 2  locked, and still the one of that name
  if (d->lock < 0 && errno == ENOENT) return DM_MAX_ITER;
  if (d->lock < 0) return fail_writing(msg, d->stage, "");

  bool locked = flock(d->lock, LOCK_EX | LOCK_NB) == 0;
  *busy = !locked && errno == EWOULDBLOCK;
  bool there = is_place(d->lock, d->stage);

  // 3  whoever held it has given it back meanwhile; or it is held, or cannot be
  if (locked && there) return DM_OK;
  close(d->lock);
  d->lock = -1;
  if (!there) return DM_MAX_ITER;
  return fresh && !*busy ? DM_OK : refuse_claim(d, *busy, msg);
}

// the same, with no signal between that and what a signal is to remove
static dm_status take_stage(cli_folder *d, bool *busy, dm_message *msg) {
  cli_interrupt_wait(true);
  dm_status s = lock_stage(d, busy, msg);
  if (s == DM_OK) cli_interrupt_removes(d->stage);
  cli_interrupt_wait(false);
  return s;
}

dm_status cli_folder_claim(cli_folder *d, const char *alone, bool waits, dm_message *msg) {
  if (!d->dir[0]) return DM_OK;
  // 16 letters stay for the staging place's own
  if (alone && (size_t)snprintf(d->alone, sizeof d->alone, "%s", alone) >= sizeof d->alone - 16)

    // the staging place is hidden in the folder; of a command that writes one file it has its name
    return dm_fail(msg, DM_IO, "the file name %s is too long", alone);
  snprintf(d->stage, sizeof d->stage, "%s/.%s%sdmoc-new", d->dir, d->alone, alone ? "." : "");

  // one that holds it and dies, or is waited for, leaves it to the next
  bool busy = false;
  dm_status s = take_stage(d, &busy, msg);
  // DM_MAX_ITER: whoever had it has removed it
  while (s == DM_MAX_ITER || (busy && waits && !cli_interrupted())) {
    pause_claim();
    s = take_stage(d, &busy, msg);
  }
  if (s != DM_OK) {
    d->stage[0] = 0;
    return s;
  }

  // what a killed process left: a commit is finished, files that came to none are removed
  if (cli_commit_pending(d->stage)) {
    int lock = keep_readers_out(d->dir);
    s = cli_commit_do(d->dir, d->stage, true, msg);
    cli_folder_unlock(lock);
  }
  if (s == DM_OK) clear_stage(d->stage);
  return s;
}

// give the staging place back; a commit that is not done stays in it
static void end_claim(cli_folder *d) {
  if (!d->stage[0]) return;

  // as no signal's any more, while none comes
  cli_interrupt_wait(true);
  rmdir(d->stage);
  cli_interrupt_spares(d->stage);
  cli_interrupt_wait(false);

  // the lock last: whoever waits finds the place gone
  if (d->lock >= 0) close(d->lock);
  d->lock = -1;
  d->stage[0] = 0;
}

dm_status cli_folder_recover(const char *dir, dm_message *msg) {
  char stage[CLI_PATH];
  cli_folder d;
  cli_commit_join(stage, dir, ".dmoc-new");
  // nothing was cut in two
  if (!cli_commit_pending(stage)) return DM_OK;

  // a claim finishes it; that is all that it is for
  DM_TRY(cli_folder_make(&d, dir, msg));
  dm_status s = cli_folder_claim(&d, NULL, true, msg);
  end_claim(&d);
  return s;
}

// -- files

// the entry of a name, made where there is none; NULL without memory, in which the program ends
static cli_folder_entry *make_entry(cli_folder *d, const char *name) {
  // there already
  for (int i = 0; i < d->n; i++)
    if (!strcmp(d->file[i].name, name)) return &d->file[i];

  // else one more, in memory that doubles
  if (d->n == d->capacity) {
    int capacity = 2 * d->capacity + 32; // 32, 96, 224, ..
    cli_folder_entry *more = realloc(d->file, (size_t)capacity * sizeof *more);
    if (!more) cli_memory_end();
    if (!more) return NULL;
    d->file = more;
    d->capacity = capacity;
  }
  char *copy = strdup(name);
  if (!copy) cli_memory_end();
  if (!copy) return NULL;
  d->file[d->n] = (cli_folder_entry){.name = copy};
  return &d->file[d->n++];
}

static const cli_folder_entry *find_entry(const cli_folder *d, const char *name) {
  for (int i = 0; i < d->n; i++)
    if (!strcmp(d->file[i].name, name)) return &d->file[i];
  return NULL;
}

bool cli_folder_begun(const cli_folder *d, const char *name) {
  const cli_folder_entry *e = find_entry(d, name);
  return e && e->begun;
}

bool cli_folder_removed(const cli_folder *d, const char *name) {
  const cli_folder_entry *e = find_entry(d, name);
  return e && !e->begun;
}

void cli_folder_set_digest(cli_folder *d, const char *name, const char *digest) {
  for (int i = 0; i < d->n; i++)
    if (!strcmp(d->file[i].name, name))
      snprintf(d->file[i].digest, sizeof d->file[i].digest, "%s", digest);
}

const char *cli_folder_digest(const cli_folder *d, const char *name) {
  const cli_folder_entry *e = find_entry(d, name);
  return e ? e->digest : "";
}

void cli_folder_staged(const cli_folder *d, const char *name, char path[CLI_PATH]) {
  cli_commit_staged(path, d->stage, name);
  if (!d->dir[0]) snprintf(path, CLI_PATH, "/dev/null");
}

// what was begun of a file is dropped
static void drop_entry(cli_folder *d, cli_folder_entry *e) {
  char path[CLI_PATH];
  if (e->f) fclose(e->f);
  cli_folder_staged(d, e->name, path);
  if (e->begun && d->stage[0]) unlink(path);
  if (d->stage[0]) cli_interrupt_spares(path);
  e->f = NULL;
  e->begun = false;
  e->digest[0] = 0;
}

// begin a file; NULL with the reason in msg
static cli_folder_entry *begin_file(cli_folder *d, const char *name, char path[CLI_PATH],
                                    dm_message *msg) {
  // 1  the folder was removed while the first of its files was computed: it is made again
  bool empty = true;
  for (int i = 0; i < d->n; i++) empty = empty && !d->file[i].begun;
  if (empty && d->stage[0] && access(d->stage, F_OK) != 0 && errno == ENOENT) {
    cli_folder again;
    if (cli_folder_make(&again, d->dir, msg) != DM_OK ||
        cli_folder_claim(&again, d->alone[0] ? d->alone : NULL, false, msg) != DM_OK)
      return NULL;
    if (d->lock >= 0) close(d->lock);
    d->lock = again.lock;
    d->made = again.made;
  }

  // 2  what was begun of the same file is dropped
  cli_folder_entry *e = make_entry(d, name);
  if (!e) {
    dm_fail(msg, DM_NO_MEMORY, "out of memory");
    return NULL;
  }
  drop_entry(d, e);

  // 3  to be removed by a signal from now on
  cli_folder_staged(d, name, path);
  if (d->stage[0]) cli_interrupt_removes(path);
  e->begun = true;
  return e;
}

FILE *cli_folder_file(cli_folder *d, const char *name, dm_message *msg) {
  char path[CLI_PATH];
  cli_folder_entry *e = begin_file(d, name, path, msg);
  if (!e) return NULL;

  // it is a file of the folder from here on, if it can be written
  errno = 0;
  e->f = fopen(path, "w");
  if (!e->f) {
    // nothing was begun
    e->begun = false;
    fail_writing(msg, d->dir, name);
  }
  return e->f;
}

void cli_folder_remove(cli_folder *d, const char *name) {
  cli_folder_entry *e = make_entry(d, name);
  if (e) drop_entry(d, e);
}

// -- all together

dm_status cli_folder_seal(cli_folder *d, dm_message *msg) {
  // nothing is lost that was said to be written: each file is closed, and on the disk unless in
  // haste
  for (int i = 0; i < d->n; i++) {
    FILE *f = d->file[i].f;
    d->file[i].f = NULL;
    if (f && !cli_commit_close(f, d->stage[0] && !d->hurried))
      return fail_writing(msg, d->dir, d->file[i].name);
  }

  // the staging place is still ours
  if (d->stage[0] && d->lock >= 0 && !is_place(d->lock, d->stage))
    return dm_fail(msg, DM_IO, "%s was removed while dmoc was at work: nothing is written", d->dir);
  return DM_OK;
}

// what stands in the place of a file is one, too, and of a folder a folder
static dm_status check_places(const cli_folder *d, const char *base, dm_message *msg) {
  struct stat st;
  char path[CLI_PATH];

  // the folder itself
  errno = ENOTDIR;
  if (stat(base, &st) == 0 && !S_ISDIR(st.st_mode)) return fail_writing(msg, base, "");
  for (int i = 0; i < d->n; i++) {
    // a file in the place of each, in a folder
    const cli_folder_entry *e = &d->file[i];
    cli_commit_join(path, base, e->name);
    errno = EISDIR;
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) return fail_writing(msg, base, e->name);
    if (!strchr(e->name, '/')) continue;
    *strrchr(path, '/') = 0;
    errno = ENOTDIR;
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) return fail_writing(msg, path, "");
  }
  return DM_OK;
}

// what is to be done, for whoever does it
static dm_status write_lines(const cli_folder *d, const char *under, dm_message *msg) {
  // removals first: a folder may stand where a file was
  FILE *f = cli_commit_begin(d->stage);
  if (f && under) fprintf(f, "into %s\n", under);
  for (int i = 0; f && i < d->n; i++)
    if (!d->file[i].begun) fprintf(f, "remove %s\n", d->file[i].name);
  for (int i = 0; f && i < d->n; i++)
    if (d->file[i].begun) fprintf(f, "put %s\n", d->file[i].name);
  return f && cli_commit_end(f, d->stage, !d->hurried) ? DM_OK : fail_writing(msg, d->dir, "");
}

// one file beside others that are not ours: renaming it is all
static dm_status put_alone(cli_folder *d, dm_message *msg) {
  char from[CLI_PATH], to[CLI_PATH];
  for (int i = 0; i < d->n; i++) {
    cli_folder_staged(d, d->file[i].name, from);
    cli_commit_join(to, d->dir, d->file[i].name);
    if (d->file[i].begun && rename(from, to) != 0)
      return fail_writing(msg, d->dir, d->file[i].name);
  }
  return DM_OK;
}

static void forget_files(cli_folder *d) {
  for (int i = 0; i < d->n; i++) free(d->file[i].name);
  free(d->file);
  d->file = NULL;
  d->n = d->capacity = 0;
  d->made = false;
}

// nothing of it is a signal's to remove any more
static void spare_files(const cli_folder *d) {
  char path[CLI_PATH];
  for (int i = 0; i < d->n; i++) {
    cli_folder_staged(d, d->file[i].name, path);
    cli_interrupt_spares(path);
  }
  cli_interrupt_spares(d->dir);
}

static dm_status put_in_place(cli_folder *d, const char *under, dm_message *msg) {
  const dm_status s = d->alone[0] ? put_alone(d, msg) : write_lines(d, under, msg);

  // once that is decided, nothing of it is to be removed
  spare_files(d);
  if (s != DM_OK || d->alone[0]) return s;
  return cli_commit_do(d->dir, d->stage, !d->hurried, msg);
}

static dm_status commit_files(cli_folder *d, const char *under, dm_message *msg) {
  char base[CLI_PATH];

  // everything that can fail fails before anything is changed
  const char *below = under ? under : "";
  snprintf(base, sizeof base, "%s%s%s", d->dir, below[0] ? "/" : "", below);
  DM_TRY(cli_folder_seal(d, msg));
  DM_TRY(check_places(d, base, msg));

  // no signal cuts it in two, or takes files of what is decided
  int lock = d->alone[0] ? -1 : keep_readers_out(d->dir);
  cli_interrupt_wait(true);
  dm_status s = put_in_place(d, under, msg);
  cli_interrupt_wait(false);
  cli_folder_unlock(lock);
  return s;
}

dm_status cli_folder_put(cli_folder *d, const char *under, dm_message *msg) {
  dm_status s = d->stage[0] ? commit_files(d, under, msg) : cli_folder_seal(d, msg);
  if (s != DM_OK && d->stage[0])
    cli_folder_discard(d);
  else
    forget_files(d);
  return s;
}

dm_status cli_folder_commit(cli_folder *d, const char *under, dm_message *msg) {
  dm_status s = cli_folder_put(d, under, msg);
  end_claim(d);
  return s;
}

void cli_folder_discard(cli_folder *d) {
  // a commit that is decided is left to the next command, with its files
  bool decided = d->stage[0] && cli_commit_pending(d->stage); // the next command goes on with it
  for (int i = 0; i < d->n; i++) {
    if (decided) d->file[i].begun = false;
    drop_entry(d, &d->file[i]);
  }
  bool made = d->made;

  // else nothing of it stays, nor the folder if it was made for it
  spare_files(d);
  forget_files(d);
  if (d->stage[0] && !decided) clear_stage(d->stage);
  end_claim(d);
  if (made) rmdir(d->dir);
}
