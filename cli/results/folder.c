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

dm_status cli_folder_make(cli_folder *d, const char *dir, bool below, dm_message *msg) {
  dm_message reason;
  *d = (cli_folder){.at = {-1, d->dir}, .lock = -1, .below = below};
  if (!dir) return DM_OK;
  if ((size_t)snprintf(d->dir, sizeof d->dir, "%s", dir) >= sizeof d->dir)
    return dm_fail(msg, DM_IO, "the path of the result folder is longer than %zu bytes",
                   sizeof d->dir - 1);

  // create each missing folder of the path; delay signals until it is known which were created
  cli_interrupt_wait(true);
  for (char *at = d->dir + 1;; at++) {
    if (*at && *at != '/') continue; // at each slash, and at the end
    char was = *at;
    *at = 0;
    bool now = mkdir(d->dir, 0777) == 0;
    // EEXIST: created by another process, or before
    const int why = errno;
    if (!now && why != EEXIST) {
      cli_interrupt_wait(false);
      errno = why;
      return fail_writing(msg, d->dir, "");
    }

    // nothing exists below a new folder, except for the empty name after a trailing slash
    d->made |= now;
    *at = was;
    if (!was) break;
  }

  // an interrupt removes the new folders unless they contain a result
  if (d->made) cli_interrupt_removes(d->dir);
  cli_interrupt_wait(false);

  // it must be a writable folder
  if (pb_folder_open(&d->at, d->dir, below, &reason) != DM_OK)
    return dm_fail(msg, DM_IO, "%s cannot be written: %s", d->dir, reason.text);
  if (faccessat(d->at.fd, ".", W_OK, 0) == 0) return DM_OK;
  return fail_writing(msg, d->dir, "");
}

static bool is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool cli_folder_same(const char *a, const char *b) {
  struct stat x, y;
  // identify folders by device and inode, not by path
  return stat(a, &x) == 0 && stat(b, &y) == 0 && is_same(&x, &y);
}

// lock an open folder; a signal may interrupt the wait
static void wait_for_lock(int fd, int how) {
  while (flock(fd, how) != 0)
    if (errno != EINTR) break;
}

dm_status cli_folder_hold(pb_folder *at, const char *dir, bool below, bool held, dm_message *msg) {
  dm_message why;
  if (pb_folder_open(at, dir, below, &why) != DM_OK)
    return dm_fail(msg, DM_IO, "%s cannot be read: %s", dir, why.text);
  if (held) wait_for_lock(at->fd, LOCK_SH);
  if (!cli_commit_pending(at)) return DM_OK;
  pb_folder_close(at);
  return dm_fail(msg, DM_IO,
                 "%s is unfinished: a dmoc command was killed while it put files in their places; "
                 "'dmoc finish %s' does the rest",
                 dir, dir);
}

bool cli_folder_has_result(const char *dir, bool below) {
  pb_folder at;
  if (pb_folder_open(&at, dir, below, NULL) != DM_OK) return false;
  const pb_file result = pb_file_in(&at, "result.json");
  const bool found = pb_file_there(&result) || cli_commit_pending(&at);
  pb_folder_close(&at);
  return found;
}

// wait for readers of the folder; < 0: it cannot be locked
static int keep_readers_out(const cli_folder *d) {
  const int fd = openat(d->at.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno == EWOULDBLOCK) cli_error("waiting for a command that reads %s", d->dir);
  wait_for_lock(fd, LOCK_EX);
  return fd;
}

static void let_readers_in(int lock) {
  if (lock >= 0) close(lock);
}

// remove the files in the staging folder, which contains no folders
static void clear_stage(const cli_folder *d) {
  const int fd = openat(d->lock, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  if (!list && fd >= 0) close(fd);
  for (struct dirent *e; list && (e = readdir(list));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      unlinkat(d->lock, e->d_name, 0);
  if (list) closedir(list);
}

// -- the claim

// the name of the staging folder
static const char *name_stage(const cli_folder *d) {
  return strrchr(d->stage, '/') + 1;
}

// whether the open staging folder still has its name, and the folder its path
static bool has_name(const cli_folder *d) {
  struct stat x, y;
  return fstat(d->lock, &x) == 0 &&
         fstatat(d->at.fd, name_stage(d), &y, AT_SYMLINK_NOFOLLOW) == 0 && is_same(&x, &y);
}

static bool has_path(const cli_folder *d) {
  struct stat x, y;
  return fstat(d->at.fd, &x) == 0 && stat(d->dir, &y) == 0 && is_same(&x, &y);
}

static dm_status refuse_claim(const cli_folder *d, bool locks, dm_message *msg) {
  const char *what = d->alone[0] ? d->alone : "it";
  // locked: the other process is alive
  if (locks)
    return dm_fail(msg, DM_IO,
                   "another dmoc command is at work in %s and writes %s: wait for its end, or "
                   "write elsewhere (-o)",
                   d->dir, what);

  // without locks this cannot be determined
  return dm_fail(msg, DM_IO,
                 "found %s of another dmoc command, and this file system has no locks that tell "
                 "whether it is still at work; if it is not, remove that folder",
                 d->stage);
}

// create and lock the staging folder; DM_MAX_ITER: it disappeared meanwhile, try again
static dm_status lock_stage(cli_folder *d, bool *busy, dm_message *msg) {
  bool fresh = mkdirat(d->at.fd, name_stage(d), 0777) == 0;

  *busy = false;

  // 1  create it, or use the existing one
  if (!fresh && errno != EEXIST) return fail_writing(msg, d->dir, d->alone);
  d->lock = openat(d->at.fd, name_stage(d), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  // 2  lock it, and check that it still has this name
  if (d->lock < 0 && errno == ENOENT) return DM_MAX_ITER;
  if (d->lock < 0) return fail_writing(msg, d->stage, "");

  bool locked = flock(d->lock, LOCK_EX | LOCK_NB) == 0;
  *busy = !locked && errno == EWOULDBLOCK;
  bool there = has_name(d);

  // 3  the previous owner released it meanwhile; or it is locked; or locks are unavailable
  if (there && (locked || (fresh && !*busy))) return DM_OK;
  close(d->lock);
  d->lock = -1;
  return there ? refuse_claim(d, *busy, msg) : DM_MAX_ITER;
}

// the same, with signals delayed until the folder is registered for removal
static dm_status take_stage(cli_folder *d, bool *busy, dm_message *msg) {
  cli_interrupt_wait(true);
  dm_status s = lock_stage(d, busy, msg);
  if (s == DM_OK) cli_interrupt_removes(d->stage);
  cli_interrupt_wait(false);
  return s;
}

dm_status cli_folder_claim(cli_folder *d, const char *alone, bool waits, dm_message *msg) {
  if (!d->dir[0]) return DM_OK;
  // reserve 16 characters for the suffix of the staging folder
  if (alone && (size_t)snprintf(d->alone, sizeof d->alone, "%s", alone) >= sizeof d->alone - 16)

    // the staging folder is hidden; for a single file it contains the file's name
    return dm_fail(msg, DM_IO, "the file name %s is too long", alone);
  snprintf(d->stage, sizeof d->stage, "%s/" CLI_STAGE, d->dir);
  if (alone) snprintf(d->stage, sizeof d->stage, "%s/.%s" CLI_STAGE, d->dir, alone);

  // take the folder over from a process that died, or wait for a live one
  bool busy = false;
  dm_status s = take_stage(d, &busy, msg);
  // DM_MAX_ITER: the owner removed it
  while (s == DM_MAX_ITER || (busy && waits && !cli_interrupted())) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); // 20 ms
    s = take_stage(d, &busy, msg);
  }
  if (s != DM_OK) {
    d->stage[0] = 0;
    return s;
  }

  // recover from a killed process: finish its commit, remove uncommitted files
  const pb_folder stage = {d->lock, d->stage};
  if (!alone && cli_commit_pending(&d->at)) {
    int lock = keep_readers_out(d);
    s = cli_commit_do(&d->at, &stage, true, msg);
    let_readers_in(lock);
  }
  if (s == DM_OK) clear_stage(d);
  return s;
}

static void close_folder(cli_folder *d) {
  // release the staging folder; an unfinished commit stays in it
  if (d->stage[0]) {
    // unregister the folder from signals, with signals delayed
    cli_interrupt_wait(true);
    unlinkat(d->at.fd, name_stage(d), AT_REMOVEDIR);
    cli_interrupt_spares(d->stage);
    cli_interrupt_wait(false);

    // unlock last: waiting processes then find the folder removed
    close(d->lock);
    d->lock = -1;
    d->stage[0] = 0;
  }

  if (d->dir[0]) pb_folder_close(&d->at);
}

// -- files

// find or create the entry of a name; NULL if out of memory
static cli_folder_entry *make_entry(cli_folder *d, const char *name) {
  // existing entry
  for (int i = 0; i < d->n; i++)
    if (!strcmp(d->file[i].name, name)) return &d->file[i];

  // new entry, in an array that doubles
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

pb_file cli_folder_staged(const cli_folder *d, const char *name) {
  char staged[CLI_NAME];
  cli_commit_staged(staged, name);
  return pb_file_in(&(pb_folder){d->lock, d->stage}, staged);
}

// discard a file that was begun
static void drop_entry(cli_folder *d, cli_folder_entry *e) {
  const pb_file staged = cli_folder_staged(d, e->name);
  if (e->f) fclose(e->f);
  if (e->begun && d->stage[0]) unlinkat(d->lock, staged.path + staged.name, 0);
  if (d->stage[0]) cli_interrupt_spares(staged.path);
  e->f = NULL;
  e->begun = false;
  e->digest[0] = 0;
}

// create the folder again if it was removed before its first file was written
static dm_status make_again(cli_folder *d, dm_message *msg) {
  const char *alone = d->alone[0] ? d->alone : NULL;
  for (int i = 0; i < d->n; i++)
    if (d->file[i].begun) return DM_OK;
  if (!d->stage[0] || access(d->stage, F_OK) == 0 || errno != ENOENT) return DM_OK;
  cli_folder again;
  dm_status s = cli_folder_make(&again, d->dir, d->below, msg);
  if (s == DM_OK) s = cli_folder_claim(&again, alone, false, msg);
  if (s != DM_OK) {
    close_folder(&again);
    return s;
  }
  close(d->lock);
  pb_folder_close(&d->at);
  d->lock = again.lock;
  d->at.fd = again.at.fd;
  d->made = again.made;
  return DM_OK;
}

// begin a file; NULL with the reason in msg
static cli_folder_entry *begin_file(cli_folder *d, const char *name, dm_message *msg) {
  if (make_again(d, msg) != DM_OK) return NULL;

  // discard an earlier version of the same file
  cli_folder_entry *e = make_entry(d, name);
  if (!e) {
    dm_fail(msg, DM_NO_MEMORY, "out of memory");
    return NULL;
  }
  drop_entry(d, e);

  // register it for removal by signals
  const pb_file staged = cli_folder_staged(d, name);
  if (d->stage[0]) cli_interrupt_removes(staged.path);
  e->begun = true;
  return e;
}

// create an exclusive file in the staging folder; -1 with errno
static int make_staged(const cli_folder *d, const char *name) {
  if (!d->dir[0]) return open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pb_file staged = cli_folder_staged(d, name);
  return openat(d->lock, staged.path + staged.name,
                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

FILE *cli_folder_file(cli_folder *d, const char *name, dm_message *msg) {
  cli_folder_entry *e = begin_file(d, name, msg);
  if (!e) return NULL;

  // mark the file as part of the folder if it can be written
  errno = 0;
  const int fd = make_staged(d, name);
  e->f = fd < 0 ? NULL : fdopen(fd, "w");
  if (!e->f) {
    // nothing was begun
    e->begun = false;
    fail_writing(msg, d->dir, name);
    if (fd >= 0) close(fd);
  }
  return e->f;
}

FILE *cli_folder_journal(cli_folder *d, const char *name, dm_message *msg) {
  enum { HOW = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
  struct stat st;
  const int fd = openat(d->at.fd, name, HOW, 0666);
  FILE *f = NULL;

  // a journal must be a regular file without other hard links
  if (fd < 0 || fstat(fd, &st) != 0)
    fail_writing(msg, d->dir, name);
  else if (!S_ISREG(st.st_mode) || st.st_nlink > 1 || st.st_size > PB_LARGEST_TABLE)
    dm_fail(msg, DM_IO,
            "%s/%s cannot be written: expected a file of at most %d MiB that has no other name",
            d->dir, name, PB_LARGEST_TABLE >> 20);
  else if (!(f = fdopen(fd, "a+")))
    fail_writing(msg, d->dir, name);
  if (!f && fd >= 0) close(fd);
  return f;
}

void cli_folder_remove(cli_folder *d, const char *name) {
  cli_folder_entry *e = make_entry(d, name);
  if (e) drop_entry(d, e);
}

// -- committing all files

// close a file, check that it is complete and not larger than readers accept
static dm_status close_entry(const cli_folder *d, cli_folder_entry *e, dm_message *msg) {
  struct stat st = {0};
  FILE *f = e->f;
  e->f = NULL;
  if (fflush(f) == 0) fstat(fileno(f), &st);
  if (!cli_commit_close(f, d->stage[0] && !d->hurried)) return fail_writing(msg, d->dir, e->name);
  if (st.st_size <= PB_LARGEST_TABLE) return DM_OK;
  return dm_fail(msg, DM_IO,
                 "%s/%s cannot be written: it has %.0f MiB, and files of a result folder have %d "
                 "MiB at most; keep fewer knots",
                 d->dir, e->name, (double)st.st_size / (1 << 20), PB_LARGEST_TABLE >> 20);
}

dm_status cli_folder_seal(cli_folder *d, dm_message *msg) {
  // close each file and check for write errors; sync to disk unless in a hurry
  for (int i = 0; i < d->n; i++)
    if (d->file[i].f) DM_TRY(close_entry(d, &d->file[i], msg));

  // check that the staging folder is still ours
  if (d->stage[0] && !(has_name(d) && has_path(d)))
    return dm_fail(msg, DM_IO, "%s was removed while dmoc was at work: nothing is written", d->dir);
  return DM_OK;
}

dm_status cli_folder_check(const cli_folder *d, const char *name, dm_message *msg) {
  struct stat st;
  char part[CLI_NAME];
  const char *slash = strchr(name, '/'), *last;

  // check each parent folder, then the file; missing ones will be created
  for (; slash; slash = strchr(slash + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
    const int above = pb_folder_enter(d->at.fd, part, &last);
    const bool there = above >= 0 && fstatat(above, last, &st, AT_SYMLINK_NOFOLLOW) == 0;
    pb_folder_leave(d->at.fd, above);
    if (!there) return DM_OK;
    errno = ENOTDIR;
    if (!S_ISDIR(st.st_mode)) return fail_writing(msg, d->dir, part);
  }
  const int above = pb_folder_enter(d->at.fd, name, &last);
  const bool there = above >= 0 && fstatat(above, last, &st, AT_SYMLINK_NOFOLLOW) == 0;
  pb_folder_leave(d->at.fd, above);
  errno = EISDIR;
  return there && S_ISDIR(st.st_mode) ? fail_writing(msg, d->dir, name) : DM_OK;
}

// the final name of a file, which must be valid for a result folder
static dm_status name_place(char name[CLI_NAME], const cli_folder *d, const cli_folder_entry *e,
                            const char *under, dm_message *msg) {
  const int length =
      snprintf(name, CLI_NAME, "%s%s%s", under ? under : "", under ? "/" : "", e->name);
  if (length < CLI_NAME && (d->alone[0] || cli_commit_inside(name))) return DM_OK;
  return dm_fail(msg, DM_FAULT, "%s: found the name %s, expected one of a result folder", d->dir,
                 e->name);
}

static dm_status check_places(const cli_folder *d, const char *under, dm_message *msg) {
  char name[CLI_NAME];
  for (int i = 0; i < d->n; i++) {
    DM_TRY(name_place(name, d, &d->file[i], under, msg));
    DM_TRY(cli_folder_check(d, name, msg));
  }
  return DM_OK;
}

// write a line for each file that was begun, or for each file to remove
static void write_lines(FILE *f, const cli_folder *d, bool begun, const char *under,
                        dm_message *msg) {
  char name[CLI_NAME], staged[CLI_NAME];
  for (int i = 0; i < d->n; i++) {
    const cli_folder_entry *e = &d->file[i];
    if (e->begun != begun || name_place(name, d, e, under, msg) != DM_OK) continue;
    cli_commit_staged(staged, e->name);
    if (begun)
      fprintf(f, "put %s %s\n", staged, name);
    else
      fprintf(f, "remove %s\n", name);
  }
}

// write the commit
static dm_status decide(const cli_folder *d, const char *under, dm_message *msg) {
  const pb_folder stage = {d->lock, d->stage};
  FILE *f = cli_commit_begin(&stage, !d->hurried);
  if (!f) return fail_writing(msg, d->dir, "");

  // removals first: a folder may replace a file
  write_lines(f, d, false, under, msg);
  write_lines(f, d, true, under, msg);
  return cli_commit_end(f, &stage, !d->hurried) ? DM_OK : fail_writing(msg, d->dir, "");
}

// a single file is committed by renaming it
static dm_status put_alone(cli_folder *d, dm_message *msg) {
  char staged[CLI_NAME];
  for (int i = 0; i < d->n; i++) {
    const cli_folder_entry *e = &d->file[i];
    cli_commit_staged(staged, e->name);
    if (e->begun && renameat(d->lock, staged, d->at.fd, e->name) != 0)
      return fail_writing(msg, d->dir, e->name);
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

// unregister all files from signals
static void spare_files(const cli_folder *d) {
  for (int i = 0; i < d->n; i++) {
    const pb_file staged = cli_folder_staged(d, d->file[i].name);
    cli_interrupt_spares(staged.path);
  }
  cli_interrupt_spares(d->dir);
}

static dm_status put_in_place(cli_folder *d, const char *under, dm_message *msg) {
  const pb_folder stage = {d->lock, d->stage};
  const dm_status s = d->alone[0] ? put_alone(d, msg) : decide(d, under, msg);

  // the commit is decided: signals must not remove its files
  spare_files(d);
  if (s != DM_OK || d->alone[0]) return s;
  return cli_commit_do(&d->at, &stage, !d->hurried, msg);
}

static dm_status commit_files(cli_folder *d, const char *under, dm_message *msg) {
  // check everything that can fail before changing anything
  DM_TRY(cli_folder_seal(d, msg));
  DM_TRY(check_places(d, under, msg));

  // delay signals during the commit
  int lock = d->alone[0] ? -1 : keep_readers_out(d);
  cli_interrupt_wait(true);
  dm_status s = put_in_place(d, under, msg);
  cli_interrupt_wait(false);
  let_readers_in(lock);
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
  close_folder(d);
  return s;
}

void cli_folder_discard(cli_folder *d) {
  // leave a decided commit and its files to the next command that writes
  bool decided = d->stage[0] && !d->alone[0] && cli_commit_pending(&d->at);
  for (int i = 0; i < d->n; i++) {
    if (decided) d->file[i].begun = false;
    drop_entry(d, &d->file[i]);
  }
  bool made = d->made;

  // otherwise remove everything, including the folder if it was created for this result
  spare_files(d);
  forget_files(d);
  if (d->stage[0] && !decided) clear_stage(d);
  close_folder(d);
  if (made) rmdir(d->dir);
}
