// problems/readers/format/warnings.h: the warnings of a reader.
#ifndef PB_FORMAT_WARNINGS_H
#define PB_FORMAT_WARNINGS_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

// Sentences that begin with "FILE:LINE: ". A zeroed struct is empty.
struct pb_warnings {
  int n;
  char **text; // [n]
  const char *
      *kind; // [n] a text shared by warnings of the same kind, with static lifetime; NULL: none
};

// Add a warning of a kind (or NULL). Returns DM_OK or DM_NO_MEMORY.
dm_status pb_warnings_add(struct pb_warnings *w, const char *kind, const char *text);

// Whether warning i is the first of its kind; *count: the number of that kind.
bool pb_warnings_first(const struct pb_warnings *w, int i, int *count);

// Free the warnings; w is empty again. NULL is accepted.
void pb_warnings_free(struct pb_warnings *w);

DM_END_C
#endif
