#include "problems/readers/format/replace.h"

#include "problems/readers/format/yaml.h"

#include <stdlib.h>
#include <string.h>

// the entry of a mapping whose key the path begins with, the longest; or NULL
static pb_node *follow_key(const pb_node *map, const char *path, size_t *used) {
  pb_node *found = NULL;
  for (pb_node *e = map->first; e; e = e->next) {
    size_t n = strlen(e->key);
    bool fits = !strncmp(e->key, path, n) && (!path[n] || path[n] == '.');
    if (fits && (!found || n > *used)) {
      found = e;
      *used = n;
    }
  }
  return found;
}

// an entry of a list by its place
static pb_node *count_to(const pb_node *list, const char *path, size_t used) {
  long i = strtol(path, NULL, 10);
  if (!used || strspn(path, "0123456789") != used || i >= list->n) return NULL;
  pb_node *e = list->first;
  while (i--) e = e->next;
  return e;
}

static dm_status append_entry(const pb_reader *r, pb_node *map, const char *key, size_t n,
                              pb_node **out) {
  pb_node *e, **last = &map->first;
  PB_NEW(r->arena, e, 1);
  e->key = pb_copy(r->arena, key, n);
  if (!e->key) return DM_NO_MEMORY;
  e->line = e->key_line = map->line;
  e->column = e->key_column = map->column;
  e->text = "";
  while (*last) last = &(*last)->next;
  *last = *out = e;
  map->n++;
  return DM_OK;
}

dm_status pb_replace_in(const pb_reader *r, const pb_node *root, const pb_replace *with) {
  pb_node *node = (pb_node *)root; // the tree is this reader's own
  const char *at = with->path;
  char what[64];
  while (*at) {
    size_t used = strcspn(at, ".");
    pb_node *next = NULL;
    if (node->kind == PB_SCALAR && !node->text[0] && !node->quoted) node->kind = PB_MAPPING;
    if (node->kind == PB_SCALAR)
      return pb_refuse_node(r, node, "%s: found %s at %.*s, expected a mapping to vary '%s' in",
                            with->path, pb_node_describe(node, what),
                            at > with->path ? (int)(at - with->path - 1) : 0, with->path, at);
    if (node->kind == PB_SEQUENCE && !(next = count_to(node, at, used)))
      return pb_refuse_node(r, node, "%s: found '%.*s', expected a place in a list of %d, from 0",
                            with->path, (int)used, at, node->n);
    if (!next && !(next = follow_key(node, at, &used)))
      DM_TRY(append_entry(r, node, at, used, &next));
    node = next;
    at += used;
    at += *at == '.';
  }
  node->kind = PB_SCALAR;
  node->text = with->text;
  node->quoted = false;
  node->n = 0;
  node->first = NULL;
  return DM_OK;
}
