#include "problems/readers/format/warnings.h"

#include <stdlib.h>
#include <string.h>

dm_status pb_warnings_add(struct pb_warnings *w, const char *text) {
  size_t size = strlen(text) + 1;

  // one more pointer, then the text; a failure leaves what is there
  char **more = realloc(w->text, (size_t)(w->n + 1) * sizeof *more);
  if (!more) return DM_NO_MEMORY;
  w->text = more;
  char *copy = malloc(size);
  if (!copy) return DM_NO_MEMORY;
  w->text[w->n++] = memcpy(copy, text, size);
  return DM_OK;
}

void pb_warnings_free(struct pb_warnings *w) {
  if (!w) return;
  for (int i = 0; i < w->n; i++) free(w->text[i]);
  free(w->text);
  *w = (struct pb_warnings){0};
}
