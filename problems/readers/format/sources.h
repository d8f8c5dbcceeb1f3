// problems/readers/format/sources.h: the original content of the files that a problem was read
// from, so that copies can be stored with the results and read in their place.
#ifndef PB_FORMAT_SOURCES_H
#define PB_FORMAT_SOURCES_H
#include <stddef.h>

enum { PB_COPY_NAME = 96 };

// a file that was read
typedef struct pb_source {
  const char *name; // as named in the problem; for the problem file, its name without the folder
  const char *path; // where it was read from
  const char *bytes;
  size_t size;
  struct pb_source *next; // in the order of reading; NULL: the last
} pb_source;

// The name of the copy of a file; all copies are in one folder. A plain name (up to 64 letters,
// digits, '_', '-', '.') is kept. For any other name, which may lead to another folder, the copy's
// name begins with 12 digits of its SHA-256 and '@'.
void pb_copy_name(const char *name, char copy[PB_COPY_NAME]);
#endif
