#include "problems/readers/task/fitted_file.h"

#include "problems/readers/format/yaml_write.h"

#include <string.h>

// -- nodes

static dm_status new_node(const pb_reader *r, pb_kind kind, const char *key, const char *text,
                          pb_node **out) {
  PB_NEW(r->arena, *out, 1);
  (*out)->kind = kind;
  (*out)->key = key;
  (*out)->text = text;
  return DM_OK;
}

static void append(pb_node *to, pb_node *entry) {
  pb_node **last = &to->first;
  while (*last) last = &(*last)->next;
  entry->next = NULL;
  *last = entry;
  to->n++;
}

static void leave_out(pb_node *map, const char *key) {
  for (pb_node **at = &map->first; *at; at = &(*at)->next) {
    if (strcmp((*at)->key, key)) continue;
    *at = (*at)->next;
    map->n--;
    return;
  }
}

// the tree belongs to this reader
static pb_node *get(const pb_node *map, const char *key) {
  return (pb_node *)pb_node_get(map, key);
}

// -- values

// a number for all joints, or a list, becomes a mapping by joint
static dm_status name_joints(const pb_reader *r, pb_node *node, const dm_model *m) {
  if (!node || node->kind == PB_MAPPING) return DM_OK;
  pb_node map = *node;
  const pb_node *e = node->first;
  map.kind = PB_MAPPING;
  map.first = NULL;
  map.n = 0;
  for (int i = 0; i < m->nq && (node->kind == PB_SCALAR || e); i++, e = e ? e->next : NULL) {
    pb_node *entry;
    DM_TRY(new_node(r, PB_SCALAR, m->name[i], e ? e->text : node->text, &entry));
    append(&map, entry);
  }
  *node = map;
  return DM_OK;
}

// the entry of model.friction for a joint; a new one if the joint has no entry
static dm_status find_friction(const pb_reader *r, pb_node *model, const char *joint,
                               pb_node **entry) {
  pb_node *list = get(model, "friction"), *name;
  if (!list) {
    DM_TRY(new_node(r, PB_SEQUENCE, "friction", "", &list));
    append(model, list);
  }
  for (*entry = list->first; *entry; *entry = (*entry)->next) {
    const pb_node *own = pb_node_get(*entry, "joint");
    if (own && own->kind == PB_SCALAR && !strcmp(own->text, joint)) return DM_OK;
  }
  DM_TRY(new_node(r, PB_MAPPING, NULL, "", entry));
  DM_TRY(new_node(r, PB_SCALAR, "joint", joint, &name));
  append(*entry, name);
  append(list, *entry);
  return DM_OK;
}

// friction.JOINT.KEY
static dm_status put_friction(const pb_reader *r, pb_node *model, const pb_replace *value) {
  const char *name = strchr(value->path, '.') + 1, *key = strrchr(name, '.');
  pb_node *entry;
  if (!key) return pb_refuse(r, r->file, 0, 0, "%s: expected friction.JOINT.KEY", value->path);
  const char *joint = pb_copy(r->arena, name, (size_t)(key - name));
  if (!joint) return DM_NO_MEMORY;
  DM_TRY(find_friction(r, model, joint, &entry));
  const pb_replace with = {.path = key + 1, .text = value->text};
  return pb_replace_in(r, entry, &with);
}

// an entry of links is replaced as a whole
static dm_status put_link(const pb_reader *r, pb_node *model, const pb_replace *value) {
  const char *name = strchr(value->path, '.') + 1;
  pb_node *links = get(model, "links"), *entry;
  if (get(model, "lock"))
    return pb_refuse(
        r, r->file, 0, 0,
        "found model.lock, expected no locked joint: model.links has no entry for a link "
        "that a locked joint fixes to another");
  leave_out(model, "payload");
  if (!links) {
    DM_TRY(new_node(r, PB_MAPPING, "links", "", &links));
    append(model, links);
  }
  leave_out(links, name);
  DM_TRY(new_node(r, PB_SCALAR, name, value->text, &entry));
  append(links, entry);
  return DM_OK;
}

static bool begins(const char *path, const char *word) {
  return !strncmp(path, word, strlen(word)) && path[strlen(word)] == '.';
}

static dm_status put_value(const pb_reader *r, pb_node *model, const dm_model *m,
                           const pb_replace *value) {
  if (begins(value->path, "links")) return put_link(r, model, value);
  if (begins(value->path, "friction")) return put_friction(r, model, value);
  if (begins(value->path, "damping")) DM_TRY(name_joints(r, get(model, "damping"), m));
  if (begins(value->path, "armature")) DM_TRY(name_joints(r, get(model, "armature"), m));
  return pb_replace_in(r, model, value);
}

// -- the file

static dm_status read_tree(pb_reader *r, const pb_identification *x, const pb_node **root) {
  pb_node *map, *model, *robot;
  if (!x->robot_alone) return pb_yaml_read(r, x->sources->bytes, x->sources->size, root);
  const char *slash = strrchr(x->path, '/');
  DM_TRY(new_node(r, PB_MAPPING, NULL, "", &map));
  DM_TRY(new_node(r, PB_MAPPING, "model", "", &model));
  DM_TRY(new_node(r, PB_SCALAR, "robot", slash ? slash + 1 : x->path, &robot));
  append(model, robot);
  append(map, model);
  *root = map;
  return DM_OK;
}

static dm_status write_fitted(pb_reader *r, FILE *f, const pb_identification *x, const char *folder,
                              const pb_replace *value, int n) {
  const pb_node *root;
  DM_TRY(read_tree(r, x, &root));
  pb_node *model = get(root, "model");
  for (int i = 0; i < n; i++) DM_TRY(put_value(r, model, x->robot.mechanism.model, &value[i]));

  // other files stay where they are; a folder of the file itself is below that of the file
  const pb_node *own = pb_node_get(root, "folder");
  pb_node *place;
  if (own && own->text[0] == '/') folder = own->text;
  const size_t size = strlen(folder) + (own ? strlen(own->text) : 0) + 2;
  char *text = pb_arena_alloc(r->arena, size, 1);
  if (!text) return DM_NO_MEMORY;
  const bool below = own && own->text[0] && own->text[0] != '/';
  snprintf(text, size, "%s%s%s", folder, below ? "/" : "", below ? own->text : "");
  leave_out((pb_node *)root, "folder");
  DM_TRY(new_node(r, PB_SCALAR, "folder", text, &place));
  place->quoted = true;
  place->next = root->first;
  ((pb_node *)root)->first = place;
  pb_yaml_write(f, root);
  return DM_OK;
}

dm_status pb_fitted_write(FILE *f, const pb_identification *x, const char *folder,
                          const pb_replace *value, int n, dm_message *msg) {
  pb_arena arena = {0};
  struct pb_warnings warnings = {0};
  pb_reader r = {.arena = &arena, .warnings = &warnings, .msg = msg, .file = x->path};
  const dm_status s = write_fitted(&r, f, x, folder, value, n);
  pb_warnings_free(&warnings);
  pb_arena_free(&arena);
  return s == DM_NO_MEMORY ? dm_fail(msg, s, "%.300s: out of memory", x->path) : s;
}
