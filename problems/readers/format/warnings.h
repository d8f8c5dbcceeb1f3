// problems/readers/format/warnings.h: what a reader noticed and went on from.
#ifndef PB_FORMAT_WARNINGS_H
#define PB_FORMAT_WARNINGS_H
#include "lib/base/status.h"

DM_BEGIN_C

// Sentences that begin "FILE:LINE: ". A zeroed one is empty.
struct pb_warnings {
  int n;
  char **text; // [n]
};

// Add a sentence. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_warnings_add(struct pb_warnings *w, const char *text);

// Free the sentences; w is empty again. NULL is accepted.
void pb_warnings_free(struct pb_warnings *w);

DM_END_C
#endif
