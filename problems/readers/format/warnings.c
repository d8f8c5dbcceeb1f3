#include "problems/readers/format/warnings.h"

#include <stdlib.h>
#include <string.h>

dm_status pb_warnings_add(struct pb_warnings *w, const char *kind, const char *text) {
  size_t size = strlen(text) + 1;

  // grow both arrays, then copy the text; a failure leaves the list unchanged
  char **more = realloc(w->text, (size_t)(w->n + 1) * sizeof *more);
  if (!more) return DM_NO_MEMORY;
  w->text = more;
  const char **kinds = realloc(w->kind, (size_t)(w->n + 1) * sizeof *kinds);
  if (!kinds) return DM_NO_MEMORY;
  w->kind = kinds;
  w->kind[w->n] = kind;
  char *copy = malloc(size);
  if (!copy) return DM_NO_MEMORY;
  w->text[w->n++] = memcpy(copy, text, size);
  return DM_OK;
}

bool pb_warnings_first(const struct pb_warnings *w, int i, int *count) {
  *count = 1;
  if (!w->kind[i]) return true;
  for (int k = 0; k < i; k++)
    if (w->kind[k] == w->kind[i]) return false;
  for (int k = i + 1; k < w->n; k++) *count += w->kind[k] == w->kind[i];
  return true;
}

void pb_warnings_free(struct pb_warnings *w) {
  if (!w) return;
  for (int i = 0; i < w->n; i++) free(w->text[i]);
  free(w->text);
  free(w->kind);
  *w = (struct pb_warnings){0};
}
