// tests/support/files.h: write texts to files in a temporary folder, for tests of the readers.
#ifndef TESTS_SUPPORT_FILES_H
#define TESTS_SUPPORT_FILES_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Create a folder; returns its path in a static buffer.
static inline const char *make_folder(void) {
  static char path[256];
  const char *base = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/dmoc-test-XXXXXX", base ? base : "/tmp");
  return mkdtemp(path);
}

// Write `size` bytes to FOLDER/NAME; returns its path in a buffer that is reused by the fourth
// later call.
static inline const char *put_bytes(const char *folder, const char *name, const void *bytes,
                                    size_t size) {
  static char path[4][512];
  static int next;
  char *at = path[next++ % 4];
  snprintf(at, sizeof path[0], "%s/%s", folder, name);
  FILE *f = fopen(at, "wb");
  if (f) {
    fwrite(bytes, 1, size, f);
    fclose(f);
  }
  return at;
}

static inline const char *put_file(const char *folder, const char *name, const char *text) {
  return put_bytes(folder, name, text, strlen(text));
}

#define NO_SHARED "no ../shared beside the project, nor a folder that DMOC_SHARED names"

// Folder with the robot files provided with the project next to its source, or NULL if it does not
// exist.
static inline const char *shared_folder(void) {
  static char path[512];
  const char *given = getenv("DMOC_SHARED"), *source = getenv("DMOC_SOURCE");
  struct stat info;
  if (given)
    snprintf(path, sizeof path, "%s", given);
  else
    snprintf(path, sizeof path, "%s/../shared", source ? source : ".");
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? path : NULL;
}

// Root of the source tree.
static inline const char *source_folder(void) {
  const char *source = getenv("DMOC_SOURCE");
  return source ? source : ".";
}

// The contents of a file, to be freed; NULL if it cannot be read.
static inline char *get_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  char *text = NULL;
  size_t used = 0, more, room = 4096;
  do {
    if (!text || used == room) text = realloc(text, (room *= 2) + 1);
    more = text ? fread(text + used, 1, room - used, f) : 0;
    used += more;
  } while (more > 0);
  fclose(f);
  if (text) text[used] = 0;
  return text;
}
#endif
