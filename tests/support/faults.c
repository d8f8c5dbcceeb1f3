// tests/faults.c: a library to be preloaded: the n-th call of a function ends the process, or
// fails.
//
//   FAULT="kill rename 3"     SIGKILL in place of the third rename
//   FAULT="full fsync 1"      the first fsync says that the disk is full
//   FAULT="hold rename 2"     the second rename waits until the file named by FAULT_UNTIL is there
//
// It says `struck` on stderr then.
#undef _FILE_OFFSET_BITS // fopen and fopen64 are two names
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// whether this call is to fail; one that is to end the process does not return
static bool strike(const char *function) {
  static int calls;
  static bool struck; // once
  char what[16], which[16];
  int at;
  const char *fault = getenv("FAULT"), *until = getenv("FAULT_UNTIL");
  if (struck || !fault || sscanf(fault, "%15s %15s %d", what, which, &at) != 3) return false;
  if (strcmp(which, function) != 0 || ++calls != at) return false;
  struck = true;
  if (write(STDERR_FILENO, "struck\n", 7) != 7) return false;
  if (!strcmp(what, "kill")) kill(getpid(), SIGKILL);
  while (!strcmp(what, "hold") && until && access(until, F_OK) != 0) usleep(10000);
  if (strcmp(what, "full") != 0) return false;
  errno = ENOSPC;
  return true;
}

// a function of the C library in its place: type, name, parameters, arguments, what a failure
// returns
#define FAULTY(type, name, parameters, arguments, failure)                                         \
  type name parameters;                                                                            \
  type name parameters {                                                                           \
    static type(*own) parameters;                                                                  \
    if (!own) *(void **)&own = dlsym(RTLD_NEXT, #name);                                            \
    return strike(#name) ? (failure) : own arguments;                                              \
  }

FAULTY(int, rename, (const char *from, const char *to), (from, to), -1)
FAULTY(int, unlink, (const char *path), (path), -1)
FAULTY(int, mkdir, (const char *path, unsigned mode), (path, mode), -1)
FAULTY(int, rmdir, (const char *path), (path), -1)
FAULTY(int, fsync, (int fd), (fd), -1)
FAULTY(int, flock, (int fd, int how), (fd, how), -1)
FAULTY(int, fflush, (FILE * f), (f), EOF)

// the same of two names
FILE *fopen(const char *path, const char *mode) {
  static FILE *(*own)(const char *, const char *);
  if (!own) *(void **)&own = dlsym(RTLD_NEXT, "fopen");
  return strike("fopen") ? NULL : own(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
  return fopen(path, mode);
}
