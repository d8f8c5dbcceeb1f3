// problems/readers/format/sources.h: the files that a problem was read from, as they were, so that
// copies of them can be kept beside what came of it, and read in their place.
#ifndef PB_FORMAT_SOURCES_H
#define PB_FORMAT_SOURCES_H
#include <stddef.h>

enum { PB_COPY_NAME = 96 };

// a file that was read
typedef struct pb_source {
  const char *name; // as the problem names it; of the problem file itself, without its folder
  const char *path; // where it was read
  const char *bytes;
  size_t size;
  struct pb_source *next; // in the order of reading; NULL: the last
} pb_source;

// The name of a file's copy: one in a folder of all copies, whatever the name. A plain name (up to
// 64 letters, digits, '_', '-', '.') is its own; of any other, which may lead elsewhere, the copy's
// begins with 12 digits of its SHA-256 and '@'.
void pb_copy_name(const char *name, char copy[PB_COPY_NAME]);
#endif
