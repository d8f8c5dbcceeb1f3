// problems/readers/format/warnings.h: what a reader noticed and went on from.
#ifndef PB_FORMAT_WARNINGS_H
#define PB_FORMAT_WARNINGS_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

// Sentences that begin "FILE:LINE: ". A zeroed one is empty.
struct pb_warnings {
  int n;
  char **text; // [n]
  const char *
      *kind; // [n] a text that sentences of one kind share, for the program's lifetime; NULL: none
};

// Add a sentence of a kind (NULL: of none). Returns DM_OK or DM_NO_MEMORY.
dm_status pb_warnings_add(struct pb_warnings *w, const char *kind, const char *text);

// Whether sentence i is the first of its kind, and how many of that kind there are.
bool pb_warnings_first(const struct pb_warnings *w, int i, int *count);

// Free the sentences; w is empty again. NULL is accepted.
void pb_warnings_free(struct pb_warnings *w);

DM_END_C
#endif
