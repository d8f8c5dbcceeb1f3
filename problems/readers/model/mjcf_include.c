#include "problems/readers/model/mjcf_include.h"

#include <string.h>

// the files included so far
typedef struct included {
  const char *main; // the name of the main file
  int depth;        // nesting depth of files
  int nested;       // nesting depth of elements
  int n, room;
  const char **name; // [n] included so far
} included;

// Remove `.`, `//` and `folder/..` from a name, as MuJoCo does, so that each file has one name.
static void reduce_name(char *name) {
  char *const root = name + (name[0] == '/'), *to = root;
  for (const char *at = root; *at;) {
    const size_t n = strcspn(at, "/");
    const bool slash = at[n] == '/', up = n == 2 && !memcmp(at, "..", 2);
    char *last = to - (to > root); // the previous component ends with '/'
    while (last > root && last[-1] != '/') last--;
    const bool within = up && to > root && memcmp(last, "../", 3) != 0;
    if (within) {
      to = last;
    } else if (n > 1 || (n == 1 && *at != '.')) {
      memmove(to, at, n + slash);
      to += n + slash;
    }
    at += n + slash;
  }
  *to = 0;
}

// the name of `file` relative to another file, both as the problem names them; in the arena
static const char *join_beside(const pb_xml *x, const char *other, const char *file) {
  const char *slash = file[0] == '/' ? NULL : strrchr(other, '/');
  const size_t folder = slash ? (size_t)(slash - other) + 1 : 0;
  char *full = pb_arena_alloc(x->r->arena, folder + strlen(file) + 1, 1);
  if (!full) return NULL;
  memcpy(full, other, folder);
  memcpy(full + folder, file, strlen(file));
  reduce_name(full);
  return full;
}

// find a file relative to the main file, or relative to `other`
static dm_status find_file(const pb_xml *x, const pb_xml_node *e, const char *main,
                           const char *other, const char *file, const pb_source **out) {
  const char *const beside[] = {main, other};
  dm_message why = {""};
  for (int i = 0; i < 2; i++) {
    const char *name = join_beside(x, beside[i], file);
    if (!name) return DM_NO_MEMORY;
    dm_message reason = {""};
    const dm_status s = pb_file_once(x->r, name, out, i ? &reason : &why);
    if (s != DM_IO) return s;
  }
  return pb_refuse_xml(x, e, "<%s>: found file=\"%.160s\", which cannot be read: %.100s", e->name,
                       file, why.text);
}

static dm_status remember_file(const pb_xml *x, const pb_xml_node *e, const char *name,
                               included *w) {
  for (int i = 0; i < w->n; i++)
    if (!strcmp(w->name[i], name))
      return pb_refuse_xml(x, e,
                           "<include>: found '%.160s' a second time, expected every file once: "
                           "<attach> or <replicate> make copies",
                           name);
  if (w->n >= PB_MJCF_FILES)
    return pb_refuse_xml(x, e, "<include>: found more than %d files, expected fewer",
                         PB_MJCF_FILES);
  if (w->n == w->room) {
    const char **more;
    w->room = 2 * w->room + 8;
    PB_NEW(x->r->arena, more, w->room);
    for (int i = 0; i < w->n; i++) more[i] = w->name[i];
    w->name = more;
  }
  w->name[w->n++] = name;
  return DM_OK;
}

static dm_status include_all(pb_xml *x, const char *name, included *w);

// replace an element by the content of the file it names
static dm_status include_file(pb_xml *x, pb_xml_node *e, const char *name, included *w) {
  const pb_source *source;
  const char *file;
  pb_xml inner;
  DM_TRY(pb_xml_name(x, e, "file", &file));
  if (w->depth >= PB_MJCF_INCLUDES)
    return pb_refuse_xml(x, e, "<include>: found files %d deep in one another, expected at most %d",
                         w->depth + 1, PB_MJCF_INCLUDES);
  DM_TRY(find_file(x, e, w->main, name, file, &source));
  DM_TRY(remember_file(x, e, source->name, w));
  DM_TRY(pb_xml_open(&inner, x->r, source->path, source->bytes, source->size));

  // resolve its own <include> first, relative to its folder
  w->depth++;
  const dm_status s = include_all(&inner, source->name, w);
  w->depth--;
  pb_xml_node *child = pb_xml_root(&inner)->children;
  while (s == DM_OK && child) {
    pb_xml_node *next = child->next;
    pb_xml_put_before(e, child);
    child = next;
  }
  pb_xml_unlink(e);
  return s;
}

static dm_status include_within(pb_xml *x, pb_xml_node *top, const char *name, included *w) {
  for (pb_xml_node *e = pb_xml_next(top->children, NULL), *next; e; e = next) {
    next = pb_xml_next(e->next, NULL);
    if (w->nested > PB_MJCF_DEPTH)
      return pb_refuse_xml(x, e, "found elements nested more than %d deep", PB_MJCF_DEPTH);
    w->nested++;
    DM_TRY(strcmp(e->name, "include") ? include_within(x, e, name, w)
                                      : include_file(x, e, name, w));
    w->nested--;
  }
  return DM_OK;
}

static dm_status include_all(pb_xml *x, const char *name, included *w) {
  return include_within(x, pb_xml_root(x), name, w);
}

dm_status pb_mjcf_include(pb_xml *x, const char *name) {
  included w = {.main = name};
  DM_TRY(remember_file(x, pb_xml_root(x), name, &w));
  return include_all(x, name, &w);
}

dm_status pb_mjcf_open(const pb_xml *x, const pb_xml_node *e, const char *main, const char *file,
                       pb_xml *out, const char **own) {
  const pb_source *source;
  DM_TRY(find_file(x, e, main, main, file, &source));
  *own = source->name;
  DM_TRY(pb_xml_open(out, x->r, source->path, source->bytes, source->size));
  return pb_mjcf_include(out, source->name);
}

dm_status pb_mjcf_check_depth(const pb_xml *x) {
  const pb_xml_node *root = pb_xml_root(x), *e = root;
  int depth = 0;
  while (e) {
    const pb_xml_node *next = pb_xml_next(e->children, NULL);
    depth += next != NULL;
    if (depth > PB_MJCF_DEPTH)
      return pb_refuse_xml(x, e, "found elements nested more than %d deep", PB_MJCF_DEPTH);
    while (!next && e != root) {
      next = pb_xml_next(e->next, NULL);
      if (next) break;
      e = e->parent;
      depth--;
    }
    e = next;
  }
  return DM_OK;
}
