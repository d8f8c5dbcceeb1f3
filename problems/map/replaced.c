#include "problems/map/replaced.h"

#include <stdlib.h>
#include <string.h>

// copy the paths and texts one after the other
static dm_status keep_texts(char **texts, const char *const *replace, int n, pb_replace *list) {
  size_t size = 1;
  for (int i = 0; i < 2 * n; i++) size += strlen(replace[i]) + 1;
  char *at = *texts = malloc(size);
  if (!at) return DM_NO_MEMORY;

  // path, text, path, text
  for (int i = 0; i < 2 * n; i++) {
    const size_t length = strlen(replace[i]) + 1;
    const char **to = i % 2 ? &list[i / 2].text : &list[i / 2].path;
    memcpy(at, replace[i], length);
    *to = at;
    at += length;
  }
  return DM_OK;
}

dm_status pb_problem_replaced(pb_problem **out, char **texts, const char *path, const char *copies,
                              const char *const *replace, int n, dm_message *msg) {
  pb_replace *list = calloc((size_t)n + 1, sizeof *list);
  *out = NULL;
  *texts = NULL;
  dm_status s = list ? keep_texts(texts, replace, n, list) : DM_NO_MEMORY;
  if (s == DM_NO_MEMORY) dm_fail(msg, s, "%.300s: out of memory", path);
  if (s == DM_OK) s = pb_problem_copied(out, path, copies, list, n, msg);
  free(list);
  return s;
}
