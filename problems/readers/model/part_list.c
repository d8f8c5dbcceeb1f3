#include "problems/readers/model/part_list.h"

#include "problems/readers/format/schema.h"

#include <stdio.h>

dm_status pb_part_list_new(const pb_part_source *from, const pb_part_list *list, int more,
                           void **parts) {
  const pb_node *node = pb_node_get(from->model, list->section);
  const size_t n = (size_t)more + (node ? (size_t)node->n : 0);
  *parts = pb_arena_alloc(from->r->arena, n + 1, list->size);
  return *parts ? DM_OK : DM_NO_MEMORY;
}

dm_status pb_part_list_read(const pb_part_source *from, const pb_part_list *list, void *parts,
                            int n, dm_robot *out) {
  const pb_reader *r = from->r;
  const pb_node *node = pb_node_get(from->model, list->section);
  char path[64];
  dm_message why = {""};
  const char **name;
  snprintf(path, sizeof path, "model.%.32s[]", list->section);

  // names of the parts that are there, then the entries one by one
  PB_NEW(r->arena, name, n + (node ? node->n : 0) + 1);
  for (int i = 0; i < n; i++)
    name[i] = *(const char **)((char *)parts + (size_t)i * list->size + list->name);
  for (const pb_node *e = node ? node->first : NULL; e; e = e->next) {
    char *part = (char *)parts + (size_t)n * list->size;
    DM_TRY(list->read(r, list, e, from->m, part));
    if (!*(const char **)(part + list->name)) continue;
    DM_TRY(pb_schema_once(r, path, e, name, &n, *(const char **)(part + list->name)));
  }
  if (n == 0) return DM_OK;

  // all together for the tree
  const dm_status s = dm_part_rows[list->kind].compile(out, n, parts, &why);
  if (s != DM_BAD_INPUT) return s;
  if (node) return pb_refuse_node(r, node, "model.%s: %s", list->section, why.text);
  return pb_refuse(r, from->tree->file, 0, 0, "%s", why.text);
}
