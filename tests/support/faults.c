// tests/support/faults.c: a library to be preloaded. From main on, the n-th call of a function, or
// of any function of a kind, kills the process or fails; or clocks jump.
//
//   FAULT="kill rename 3"     SIGKILL in place of the third rename
//   FAULT="full fsync 1"      the first fsync reports a full disk; for `write`, the stream has no
//                             space left from then on
//   FAULT="broken open 2"     the second open reports an I/O error; likewise for a stream
//   FAULT="short memory 9"    the program's ninth allocation fails; allocations by libraries do not
//   FAULT="short memory 9+"   so do all later ones
//   FAULT="hold rename 2"     the second rename waits until the file named by FAULT_UNTIL exists
//   FAULT="jump clock 1+"     readings of a clock are alternately 1e6 s ahead and behind
//   FAULT="count files 1"     prints `calls 57` to stderr when the process ends
//
// The kinds are `files`, `memory` and `clock`; `write` is any function that writes to a stream.
// When the fault occurs, the library prints `struck` to stderr. Processes that this one executes do
// not inherit the faults; forked ones do.
#undef _FILE_OFFSET_BITS // makes fopen and fopen64 two names
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct {
  char what[16], which[16];
  const char *until;
  int at;
  bool on;     // and all later calls
  bool armed;  // main has begun
  bool traced; // FAULT_TRACE is set: print the backtrace
} fault;
static atomic_int calls;

static void say(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

static void show_way(void) {
  void *way[40];
  fault.armed = false; // its own calls do not count
  backtrace_symbols_fd(way, backtrace(way, 40), STDERR_FILENO);
  fault.armed = true;
}

// whether this call is to fail; does not return if the process is to be killed
static bool strike(const char *function, const char *kind) {
  if (!fault.armed || (strcmp(fault.which, function) != 0 && strcmp(fault.which, kind) != 0))
    return false;
  const int call = atomic_fetch_add(&calls, 1) + 1;
  if (!strcmp(fault.what, "count") || call < fault.at || (call > fault.at && !fault.on))
    return false;

  // reported once
  if (call == fault.at) say("struck\n");
  if (call == fault.at && fault.traced) show_way();
  if (!strcmp(fault.what, "kill")) kill(getpid(), SIGKILL);
  while (!strcmp(fault.what, "hold") && fault.until && access(fault.until, F_OK) != 0)
    usleep(10000);
  errno = strcmp(fault.what, "broken") == 0 ? EIO : ENOSPC;
  if (!strcmp(fault.what, "short")) errno = ENOMEM;
  return strcmp(fault.what, "hold") != 0;
}

// -- from main on

static int (*own_main)(int, char **, char **);

static int armed_main(int n, char **word, char **environment) {
  const char *words = getenv("FAULT");
  char more = 0;
  if (words && sscanf(words, "%15s %15s %d%c", fault.what, fault.which, &fault.at, &more) >= 3) {
    fault.on = more == '+';
    fault.until = getenv("FAULT_UNTIL");
    fault.traced = getenv("FAULT_TRACE") != NULL;
    void *way[1];
    if (fault.traced) backtrace(way, 1); // loads what backtrace needs
    unsetenv("FAULT");                   // for programs executed from here
    fault.armed = true;
  }
  return own_main(n, word, environment);
}

typedef int main_of(int, char **, char **);
int __libc_start_main(main_of *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                      void *);
int __libc_start_main(main_of *begin, int n, char **word, void (*init)(void), void (*fini)(void),
                      void (*rtld)(void), void *stack) {
  static int (*own)(main_of *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                    void *);
  *(void **)&own = dlsym(RTLD_NEXT, "__libc_start_main");
  own_main = begin;
  return own(armed_main, n, word, init, fini, rtld, stack);
}

__attribute__((destructor)) static void tell_calls(void) {
  char text[32];
  if (strcmp(fault.what, "count") != 0) return;
  snprintf(text, sizeof text, "calls %d\n", atomic_load(&calls));
  say(text);
}

// -- file system

// a function of the C library, and its replacement: type, name, parameters, arguments, return value
// on failure
#define OWN(type, name, parameters)                                                                \
  static type(*own) parameters;                                                                    \
  if (!own) *(void **)&own = dlsym(RTLD_NEXT, #name)

#define FAULTY(type, name, parameters, arguments, failure)                                         \
  type name parameters;                                                                            \
  type name parameters {                                                                           \
    OWN(type, name, parameters);                                                                   \
    return strike(#name, "files") ? (failure) : own arguments;                                     \
  }

FAULTY(int, rename, (const char *from, const char *to), (from, to), -1)
FAULTY(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), -1)
FAULTY(int, unlink, (const char *path), (path), -1)
FAULTY(int, unlinkat, (int at, const char *name, int how), (at, name, how), -1)
FAULTY(int, mkdir, (const char *path, unsigned mode), (path, mode), -1)
FAULTY(int, mkdirat, (int at, const char *name, unsigned mode), (at, name, mode), -1)
FAULTY(int, rmdir, (const char *path), (path), -1)
FAULTY(int, fsync, (int fd), (fd), -1)
FAULTY(int, flock, (int fd, int how), (fd, how), -1)
FAULTY(DIR *, opendir, (const char *path), (path), NULL)
FAULTY(DIR *, fdopendir, (int fd), (fd), NULL)
FAULTY(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)

// the same for two names
FILE *fopen(const char *path, const char *mode) {
  OWN(FILE *, fopen, (const char *, const char *));
  return strike("fopen", "files") ? NULL : own(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
  return fopen(path, mode);
}

int open(const char *path, int how, ...) {
  va_list list;
  va_start(list, how);
  const unsigned mode = how & (O_CREAT | O_TMPFILE) ? va_arg(list, unsigned) : 0;
  va_end(list);
  OWN(int, open, (const char *, int, ...));
  return strike("open", "files") ? -1 : own(path, how, mode);
}

int open64(const char *path, int how, ...) {
  va_list list;
  va_start(list, how);
  const unsigned mode = how & (O_CREAT | O_TMPFILE) ? va_arg(list, unsigned) : 0;
  va_end(list);
  return open(path, how, mode);
}

int openat(int at, const char *name, int how, ...) {
  va_list list;
  va_start(list, how);
  const unsigned mode = how & (O_CREAT | O_TMPFILE) ? va_arg(list, unsigned) : 0;
  va_end(list);
  OWN(int, openat, (int, const char *, int, ...));
  return strike("openat", "files") ? -1 : own(at, name, how, mode);
}

int openat64(int at, const char *name, int how, ...) {
  va_list list;
  va_start(list, how);
  const unsigned mode = how & (O_CREAT | O_TMPFILE) ? va_arg(list, unsigned) : 0;
  va_end(list);
  return openat(at, name, how, mode);
}

// the descriptor is closed even if close fails
int close(int fd) {
  OWN(int, close, (int));
  const bool fails = strike("close", "files");
  const int reason = errno, done = own(fd);
  if (fails) errno = reason;
  return fails ? -1 : done;
}

// whether a stream belongs to a file: not to memory, and not a standard stream
static bool is_file(FILE *f) {
  const int reason = errno;
  const bool file = f && fileno(f) > STDERR_FILENO;
  errno = reason;
  return file;
}

int fclose(FILE *f) {
  OWN(int, fclose, (FILE *));
  const bool fails = is_file(f) && strike("fclose", "files");
  const int reason = errno, done = own(f);
  if (fails) errno = reason;
  return fails ? EOF : done;
}

int fflush(FILE *f) {
  OWN(int, fflush, (FILE *));
  return is_file(f) && strike("fflush", "files") ? EOF : own(f);
}

// all later output to the stream fails when the C library writes it
static void spoil(FILE *f) {
  if (!is_file(f) || !strike("write", "streams")) return;
  const bool full = strcmp(fault.what, "full") == 0;
  const int fd =
      openat(AT_FDCWD, full ? "/dev/full" : "/proc/self/mem", O_RDWR); // EIO at address 0
  if (fd < 0) return;
  dup2(fd, fileno(f));
  close(fd);
}

#define SPOILED(type, name, parameters, arguments)                                                 \
  type name parameters;                                                                            \
  type name parameters {                                                                           \
    OWN(type, name, parameters);                                                                   \
    spoil(f);                                                                                      \
    return own arguments;                                                                          \
  }

SPOILED(size_t, fwrite, (const void *x, size_t size, size_t n, FILE *f), (x, size, n, f))
SPOILED(int, fputs, (const char *text, FILE *f), (text, f))
SPOILED(int, fputc, (int c, FILE *f), (c, f))
SPOILED(int, putc, (int c, FILE *f), (c, f))
SPOILED(int, vfprintf, (FILE * f, const char *format, va_list list), (f, format, list))

int fprintf(FILE *f, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int n = vfprintf(f, format, list);
  va_end(list);
  return n;
}

// -- memory

// whether a call comes from the program, which checks its allocations; not all libraries do
static bool is_programs(void *caller) {
  Dl_info program, here;
  if (!fault.armed || !dladdr(*(void **)&own_main, &program)) return false;
  return dladdr(caller, &here) && here.dli_fbase == program.dli_fbase;
}

#define ALLOCATOR(name, parameters, arguments)                                                     \
  void *name parameters;                                                                           \
  void *name parameters {                                                                          \
    OWN(void *, name, parameters);                                                                 \
    const bool fails = is_programs(__builtin_return_address(0)) && strike(#name, "memory");        \
    return fails ? NULL : own arguments;                                                           \
  }

ALLOCATOR(malloc, (size_t size), (size))
ALLOCATOR(calloc, (size_t count, size_t size), (count, size))
ALLOCATOR(realloc, (void *old, size_t size), (old, size))
ALLOCATOR(aligned_alloc, (size_t at, size_t size), (at, size))

// -- clocks

int clock_gettime(clockid_t clock, struct timespec *t) {
  OWN(int, clock_gettime, (clockid_t, struct timespec *));
  const int done = own(clock, t);
  if (strcmp(fault.what, "jump") != 0 || !strike("clock", "clocks")) return done;
  t->tv_sec += atomic_load(&calls) % 2 ? 1000000 : -1000000;
  return done;
}

time_t time(time_t *out) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (out) *out = t.tv_sec;
  return t.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  struct timespec t;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &t);
  *out = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
  return 0;
}
