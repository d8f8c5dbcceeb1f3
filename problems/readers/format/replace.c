#include "problems/readers/format/replace.h"

#include "problems/readers/format/yaml.h"

#include <stdlib.h>
#include <string.h>

// whether a path begins with this component
static bool begins_with(const char *path, const char *text, size_t n) {
  return !strncmp(text, path, n) && (!path[n] || path[n] == '.');
}

// the mapping entry with the longest key that is a prefix of the path, or NULL
static pb_node *follow_key(const pb_node *map, const char *path, size_t *used) {
  pb_node *found = NULL;
  for (pb_node *e = map->first; e; e = e->next) {
    size_t n = strlen(e->key);

    // keys may contain dots: with keys a and a.b, both match the path a.b.c
    if (begins_with(path, e->key, n) && (!found || n > *used)) {
      found = e;
      *used = n;
    }
  }
  return found;
}

// the list entry with the longest name that is a prefix of the path, or NULL
static pb_node *follow_name(const pb_node *list, const char *path, size_t *used) {
  pb_node *found = NULL;
  for (pb_node *e = list->first; e; e = e->next) {
    const pb_node *name = e->kind == PB_MAPPING ? pb_node_get(e, "name") : NULL;
    if (!name && e->kind == PB_MAPPING) name = pb_node_get(e, "joint");
    const size_t n = name && name->kind == PB_SCALAR ? strlen(name->text) : 0;
    if (!n || !begins_with(path, name->text, n) || (found && n <= *used)) continue;
    found = e;
    *used = n;
  }
  return found;
}

// a list entry by index, by x, y, z if the list has three, or by name
static pb_node *find_entry_at(const pb_node *list, const char *path, size_t *used) {
  const bool letter = *used == 1 && list->n == 3 && *path >= 'x' && *path <= 'z';
  long i = letter ? *path - 'x' : strtol(path, NULL, 10);
  const bool index = letter || (*used && strspn(path, "0123456789") == *used);
  if (!index || i >= list->n) return follow_name(list, path, used);
  pb_node *e = list->first;
  while (i--) e = e->next;
  return e;
}

static dm_status append_entry(const pb_reader *r, pb_node *map, const char *key, size_t n,
                              pb_node **out) {
  pb_node *e;
  pb_node **last = &map->first;
  PB_NEW(r->arena, e, 1);
  e->key = pb_copy(r->arena, key, n);
  if (!e->key) return DM_NO_MEMORY;

  // a new entry has no position; messages show the position of the mapping
  e->line = e->key_line = map->line;
  e->column = e->key_column = map->column;
  e->text = "";

  // append, so that the file's entries keep their order
  while (*last) last = &(*last)->next;
  *last = *out = e;
  map->n++;
  return DM_OK;
}

const pb_node *pb_node_at(const pb_node *root, const char *path) {
  const pb_node *node = root;
  while (node && *path) {
    size_t used = strcspn(path, ".");
    if (node->kind == PB_SCALAR) return NULL;
    node = node->kind == PB_SEQUENCE ? find_entry_at(node, path, &used)
                                     : follow_key(node, path, &used);
    path += used;
    path += *path == '.';
  }
  return node;
}

dm_status pb_replace_in(const pb_reader *r, const pb_node *root, const pb_replace *with) {
  pb_node *node = (pb_node *)root; // the tree belongs to this reader
  const char *at = with->path;
  char what[64];
  while (*at) {
    // one component of the path: up to the next dot, or a longer key with dots in it
    size_t used = strcspn(at, ".");
    pb_node *next = NULL;
    bool nothing = node->kind == PB_SCALAR && !node->text[0] && !node->quoted;
    if (nothing) node->kind = PB_MAPPING;
    // an empty value becomes an empty mapping; other scalars have no keys
    if (node->kind == PB_SCALAR)
      return pb_refuse_node(r, node, "%s: found %s at %.*s, expected a mapping to vary '%s' in",
                            with->path, pb_node_describe(node, what),
                            at > with->path ? (int)(at - with->path - 1) : 0, with->path, at);
    if (node->kind == PB_SEQUENCE) next = find_entry_at(node, at, &used);

    // an existing list index, or a key, created if missing
    if (node->kind == PB_SEQUENCE && !next)
      return pb_refuse_node(r, node,
                            "%s: found '%.*s', expected a place in a list of %d, from 0, or a name",
                            with->path, (int)used, at, node->n);
    if (!next) next = follow_key(node, at, &used);
    if (!next) DM_TRY(append_entry(r, node, at, used, &next));

    // descend, past the dot
    node = next;
    at += used;
    at += *at == '.';
  }

  // replace the node and everything below it
  node->kind = PB_SCALAR;
  node->text = with->text;
  node->quoted = false;
  node->n = 0;
  node->first = NULL;
  if (!with->flag) return DM_OK;
  node->flag = with->flag;
  node->line = node->column = node->key_line = node->key_column = 0;
  return DM_OK;
}
