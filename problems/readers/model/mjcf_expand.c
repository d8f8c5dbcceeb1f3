#include "problems/readers/model/mjcf_expand.h"

#include "problems/readers/model/mjcf_include.h"
#include "problems/readers/model/mjcf_names.h"
#include "problems/readers/model/mjcf_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// state of the document being expanded
typedef struct expansion {
  pb_xml *x;
  pb_mjcf m;    // settings, without classes
  int copied;   // number of elements copied
  int attached; // nesting depth of attached files
} expansion;

static dm_status expand_document(expansion *w, const char *name, pb_mjcf_settings *settings);

// -- moving elements

// move all children of an element before another one, with a note of its pose; *first: the first of
// them
static dm_status move_children(expansion *w, pb_xml_node *from, pb_xml_node *before,
                               const pb_mjcf_note *around, pb_xml_node **first) {
  for (pb_xml_node *e = from->children, *next; e; e = next) {
    next = e->next;
    if (e->kind != PB_XML_ELEMENT) continue;
    pb_xml_put_before(before, e);
    if (first && !*first) *first = e;
    DM_TRY(pb_mjcf_wrap(w->x, e, around));
  }
  return DM_OK;
}

static int count_elements(const pb_xml_node *top) {
  int n = 1;
  for (const pb_xml_node *e = pb_xml_next(top->children, NULL); e; e = pb_xml_next(e->next, NULL))
    n += count_elements(e);
  return n;
}

static dm_status count_copied(expansion *w, const pb_xml_node *e, double more) {
  if (w->copied + more > PB_MJCF_COPIED)
    return pb_refuse_xml(w->x, e, "<%s>: found more than %d elements by copies, expected fewer",
                         e->name, PB_MJCF_COPIED);
  w->copied += (int)more;
  return DM_OK;
}

// -- frames

// replace a frame by its children; *next: the first of them, or the following element
static dm_status flatten_frame(expansion *w, pb_xml_node *e, pb_xml_node **next) {
  pb_mjcf_note around = *pb_mjcf_note_of(e);
  const char *class;
  pb_xml_node *first = NULL;
  DM_TRY(pb_mjcf_pose(&w->m, (pb_mjcf_element){e, -1}, &around.frame, NULL));
  class = pb_xml_get(e, "childclass");
  if (class) around.childclass = class;
  DM_TRY(move_children(w, e, e, &around, &first));
  if (first) *next = first;
  pb_xml_unlink(e);
  return DM_OK;
}

// -- replicas

// frame and names of one replica
typedef struct replica {
  dm_pose frame;
  pb_mjcf_renaming names;
} replica;

// the pose of each replica: offset in the frame of the previous one, with accumulated rotation
static dm_status place_replicas(expansion *w, const pb_xml_node *e, int n, pb_mjcf_names *set,
                                const char *sep, replica *list) {
  double offset[3] = {0}, angle[3] = {0};
  dm_pose at = dm_identity;
  int digits = 1;
  DM_TRY(pb_xml_vector(w->x, e, "offset", offset));
  DM_TRY(pb_xml_vector(w->x, e, "euler", angle));
  dm_pose step = pb_mjcf_turn(&w->m.own, angle);
  step.p = dm_v(offset[0], offset[1], offset[2]);
  for (int most = 10; most <= n - 1; most *= 10) digits++;
  for (int i = 0; i < n; i++) {
    const double turned[] = {i * angle[0], i * angle[1], i * angle[2]};
    char *behind;
    PB_NEW(w->x->r->arena, behind, strlen(sep) + 16);
    snprintf(behind, strlen(sep) + 16, "%s%0*d", sep, digits, i);
    list[i].frame = pb_mjcf_turn(&w->m.own, turned);
    list[i].frame.p = at.p;
    list[i].names = (pb_mjcf_renaming){set, "", behind};
    at = dm_compose(&at, &step);
  }
  return DM_OK;
}

// put copies of the content of a <replicate> before it
static dm_status put_replicas(expansion *w, pb_xml_node *e, int n, const replica *list) {
  pb_mjcf_note around = *pb_mjcf_note_of(e);
  const dm_pose outer = around.frame;
  const char *class = pb_xml_get(e, "childclass");
  if (class) around.childclass = class;
  for (int i = 0; i < n; i++)
    for (const pb_xml_node *c = pb_xml_next(e->children, NULL); c; c = pb_xml_next(c->next, NULL)) {
      around.frame = dm_compose(&outer, &list[i].frame);
      pb_xml_node *copy = pb_xml_copy(w->x->r->arena, c);
      if (!copy) return DM_NO_MEMORY;
      pb_xml_put_before(e, copy);
      DM_TRY(pb_mjcf_rename(w->x, &list[i].names, copy));
      DM_TRY(pb_mjcf_wrap(w->x, copy, &around));
    }
  return DM_OK;
}

// copy a <replicate> and the elements that refer to it
static dm_status copy_replicas(expansion *w, pb_xml_node *e, int n, pb_mjcf_names *set) {
  replica *list;
  pb_mjcf_renaming *names;
  const char *sep = pb_xml_get(e, "sep");
  PB_NEW(w->x->r->arena, list, n);
  PB_NEW(w->x->r->arena, names, n);
  DM_TRY(pb_mjcf_names_add(w->x, set, e));
  DM_TRY(place_replicas(w, e, n, set, sep ? sep : "", list));
  DM_TRY(put_replicas(w, e, n, list));
  for (int i = 0; i < n; i++) names[i] = list[i].names;
  return pb_mjcf_copy_followers(w->x, n, names, true);
}

static dm_status flatten_replicate(expansion *w, pb_xml_node *e) {
  double count = 0;
  bool there;
  DM_TRY(pb_xml_number(w->x, e, "count", &count, &there));
  if (!there || !(count >= 1) || count != floor(count))
    return pb_refuse_xml(w->x, e, "<replicate>: found %s, expected a whole number >= 1",
                         there ? "another count" : "no count");
  DM_TRY(count_copied(w, e, count * count_elements(e)));
  pb_mjcf_names set = {0};
  DM_TRY(copy_replicas(w, e, (int)count, &set));
  pb_xml_unlink(e);
  return DM_OK;
}

// -- attachments

// the element with this word and name below another one, or NULL
static dm_status find_by_name(const pb_xml *x, pb_xml_node *top, const char *word, const char *name,
                              pb_xml_node **out) {
  *out = NULL;
  for (pb_xml_node *e = pb_xml_next(top->children, NULL); e && !*out;
       e = pb_xml_next(e->next, NULL)) {
    const char *own;
    if (!strcmp(e->name, word)) {
      own = pb_xml_get(e, "name");
      if (own && !strcmp(own, name)) *out = e;
    }
    if (!*out) DM_TRY(find_by_name(x, e, word, name, out));
  }
  return DM_OK;
}

// the target of <attach>, by `body` or `frame`; *word NULL: the whole world
static dm_status read_attached(const pb_xml *x, const pb_xml_node *e, const char **word,
                               const char **name, const char **prefix) {
  const char *body, *frame;
  body = pb_xml_get(e, "body");
  frame = pb_xml_get(e, "frame");
  *prefix = pb_xml_get(e, "prefix");
  if (!*prefix) *prefix = "";
  if (body && frame)
    return pb_refuse_xml(x, e, "<attach>: found both body and frame, expected one of them");
  *word = body ? "body" : frame ? "frame" : NULL;
  *name = body ? body : frame;
  return DM_OK;
}

static dm_status refuse_unattached(const pb_xml *x, const pb_xml_node *e, const char *word,
                                   const char *name) {
  return pb_refuse_xml(x, e, "<attach>: found %s=\"%.64s\", which no %s is", word, name, word);
}

// the default class in effect at an element, from an enclosing body or frame; NULL: none
static const char *find_class_around(const pb_xml_node *e) {
  const char *class = NULL;
  for (; e && e->kind == PB_XML_ELEMENT && !class; e = e->parent)
    class = pb_xml_get(e, "childclass");
  return class;
}

// replace <attach> by a renamed copy of a part of this document
static dm_status attach_own(expansion *w, pb_xml_node *e, pb_xml_node *target, const char *prefix,
                            pb_mjcf_names *set) {
  const pb_mjcf_renaming names = {set, prefix, ""};
  pb_xml_node *copy;
  DM_TRY(pb_mjcf_names_add(w->x, set, target));
  const char *class = find_class_around(target);
  copy = pb_xml_copy(w->x->r->arena, target);
  if (!copy) return DM_NO_MEMORY;
  pb_xml_put_before(e, copy);
  DM_TRY(pb_mjcf_rename(w->x, &names, copy));
  if (class) DM_TRY(pb_xml_set(w->x->r->arena, copy, "childclass", class));
  return pb_mjcf_copy_followers(w->x, 1, &names, false);
}

// resolve every <attach> to this document's parts before frames are removed, because targets may
// contain frames
static dm_status attach_own_parts(expansion *w, pb_xml_node *top) {
  for (pb_xml_node *e = pb_xml_next(top->children, NULL), *next; e; e = next) {
    const char *model, *word, *name, *prefix;
    pb_xml_node *target = NULL;
    next = pb_xml_next(e->next, NULL);
    model = pb_xml_get(e, "model");
    if (strcmp(e->name, "attach") != 0 || model) {
      DM_TRY(attach_own_parts(w, e));
      continue;
    }
    DM_TRY(read_attached(w->x, e, &word, &name, &prefix));
    if (!word) return pb_refuse_xml(w->x, e, "<attach>: found neither model nor body nor frame");
    DM_TRY(find_by_name(w->x, pb_xml_root(w->x), word, name, &target));
    if (!target) return refuse_unattached(w->x, e, word, name);
    for (const pb_xml_node *a = e; a; a = a->parent)
      if (a == target)
        return pb_refuse_xml(w->x, e, "<attach>: found %s=\"%.64s\", which it stands in", word,
                             name);
    DM_TRY(count_copied(w, e, count_elements(target)));

    // the copy may contain <attach> itself: continue there
    pb_mjcf_names set = {0};
    DM_TRY(attach_own(w, e, target, prefix, &set));
    next = e->prev;
    pb_xml_unlink(e);
  }
  return DM_OK;
}

// give a <model> without a name that of the model in its file
static dm_status name_model(const expansion *w, pb_xml_node *e, const char *file) {
  const char *own;
  pb_xml x;
  DM_TRY(pb_mjcf_open(w->x, e, w->m.own.name, file, &x, &own));
  const char *name = pb_xml_get(pb_xml_root(&x), "model");
  return pb_xml_set(w->x->r->arena, e, "name", name ? name : "");
}

// the file of a <model> in <asset>
static dm_status find_model(const expansion *w, const pb_xml_node *e, const char *name,
                            const char **file) {
  pb_xml_node *s = pb_xml_next(pb_xml_root(w->x)->children, "asset");
  *file = NULL;
  for (; s; s = pb_xml_next(s->next, "asset"))
    for (pb_xml_node *a = pb_xml_next(s->children, "model"); a; a = pb_xml_next(a->next, "model")) {
      *file = pb_xml_get(a, "file");
      if (!*file) continue;
      if (!pb_xml_has(a, "name")) DM_TRY(name_model(w, a, *file));
      if (!strcmp(pb_xml_get(a, "name"), name)) return DM_OK;
    }
  return pb_refuse_xml(w->x, e, "<attach>: found model=\"%.64s\", which no <model> in <asset> is",
                       name);
}

// reduce <worldbody> to one part
static dm_status keep_part(const pb_xml *x, const pb_xml_node *e, const char *word,
                           const char *name) {
  pb_xml_node *root = pb_xml_root(x), *part;
  DM_TRY(find_by_name(x, root, word, name, &part));
  if (!part) return refuse_unattached(x, e, word, name);
  const char *class = find_class_around(part);
  if (class) DM_TRY(pb_xml_set(x->r->arena, part, "childclass", class));
  pb_xml_unlink(part);
  for (pb_xml_node *c = pb_xml_next(root->children, "worldbody"), *next; c; c = next) {
    next = pb_xml_next(c->next, "worldbody");
    pb_xml_unlink(c);
  }
  pb_xml_node *world = pb_xml_new(x->r->arena, PB_XML_ELEMENT, "worldbody", NULL);
  if (!world) return DM_NO_MEMORY;
  pb_xml_append(root, world);
  pb_xml_append(world, part);
  return DM_OK;
}

// merge the defaults into one class with its own name
static dm_status join_defaults(const pb_xml *x, pb_xml_node **out) {
  pb_xml_node *first = pb_xml_next(pb_xml_root(x)->children, "default");
  *out = first;
  if (!first) return DM_OK;
  if (!pb_xml_has(first, "class")) DM_TRY(pb_xml_set(x->r->arena, first, "class", "main"));
  for (pb_xml_node *d = pb_xml_next(first->next, "default"), *next; d; d = next) {
    next = pb_xml_next(d->next, "default");
    for (pb_xml_node *c = d->children, *after; c; c = after) {
      after = c->next;
      pb_xml_append(first, c);
    }
    pb_xml_unlink(d);
  }
  return DM_OK;
}

// move the sections of an attached document: classes, assets, and elements that refer only to its
// bodies
static dm_status move_sections(expansion *w, pb_xml_node *from, pb_mjcf_names *set,
                               const pb_mjcf_note *around) {
  static const char *const words[] = {"default", "asset", "tendon", "equality", "actuator"};
  pb_xml_node *root = pb_xml_root(w->x);
  for (int i = 0; i < 5; i++)
    for (pb_xml_node *s = pb_xml_next(from->children, words[i]), *next; s; s = next) {
      next = pb_xml_next(s->next, words[i]);
      for (pb_xml_node *e = pb_xml_next(s->children, NULL), *after; e; e = after) {
        after = pb_xml_next(e->next, NULL);
        if (i < 2) continue;
        if (!pb_mjcf_follows_only(set, e)) {
          pb_xml_unlink(e);
          continue;
        }
        DM_TRY(pb_mjcf_names_add(w->x, set, e));
        DM_TRY(pb_mjcf_wrap(w->x, e, around));
      }
      pb_xml_append(root, s);
      DM_TRY(pb_mjcf_wrap(w->x, s, around));
    }
  return DM_OK;
}

// move the bodies of an expanded document before <attach>, and its sections
static dm_status move_document(expansion *w, pb_xml_node *e, expansion *inner, const char *prefix,
                               const pb_mjcf_settings *settings, pb_mjcf_names *set) {
  const pb_mjcf_renaming names = {NULL, prefix, ""};
  pb_mjcf_note around = *pb_mjcf_note_of(e);
  pb_xml_node *root = pb_xml_root(inner->x), *classes;
  const char *class = "";
  DM_TRY(join_defaults(inner->x, &classes));
  DM_TRY(pb_mjcf_rename(inner->x, &names, root));
  if (classes) class = pb_xml_get(classes, "class");
  around.childclass = class;
  around.settings = settings;
  for (pb_xml_node *s = pb_xml_next(root->children, "worldbody"); s;
       s = pb_xml_next(s->next, "worldbody")) {
    DM_TRY(pb_mjcf_names_add(inner->x, set, s));
    DM_TRY(move_children(w, s, e, &around, NULL));
  }
  around.frame = dm_identity;
  return move_sections(w, root, set, &around);
}

// attach a part of a file, expanded with its own settings
static dm_status attach_file(expansion *w, pb_xml_node *e, expansion *inner, const char *own) {
  const char *word, *name, *prefix;
  pb_mjcf_settings *settings;
  PB_NEW(w->x->r->arena, settings, 1);
  DM_TRY(read_attached(w->x, e, &word, &name, &prefix));
  if (word) DM_TRY(keep_part(inner->x, e, word, name));
  DM_TRY(expand_document(inner, own, settings));
  w->copied = inner->copied;
  pb_mjcf_names set = {0};
  return move_document(w, e, inner, prefix, settings, &set);
}

static dm_status flatten_attach(expansion *w, pb_xml_node *e) {
  const char *model, *file, *own;
  pb_xml x;
  DM_TRY(pb_xml_name(w->x, e, "model", &model));
  DM_TRY(find_model(w, e, model, &file));
  if (w->attached >= PB_MJCF_ATTACHED)
    return pb_refuse_xml(w->x, e,
                         "<attach>: found files %d deep in one another, expected at most %d",
                         w->attached + 1, PB_MJCF_ATTACHED);
  DM_TRY(pb_mjcf_open(w->x, e, w->m.own.name, file, &x, &own));
  DM_TRY(count_copied(w, e, count_elements(pb_xml_root(&x))));
  expansion inner = {.x = &x, .copied = w->copied, .attached = w->attached + 1};
  DM_TRY(attach_file(w, e, &inner, own));
  pb_xml_unlink(e);
  return DM_OK;
}

// -- the document

// expand bodies below an element
static dm_status flatten_within(expansion *w, pb_xml_node *top) {
  for (pb_xml_node *e = pb_xml_next(top->children, NULL), *next; e; e = next) {
    const char *word = e->name;
    next = pb_xml_next(e->next, NULL);
    if (!strcmp(word, "frame")) {
      DM_TRY(flatten_frame(w, e, &next));
    } else if (!strcmp(word, "replicate")) {
      DM_TRY(flatten_within(w, e));
      DM_TRY(flatten_replicate(w, e));
    } else if (!strcmp(word, "attach")) {
      DM_TRY(flatten_attach(w, e));
    } else if (!strcmp(word, "body")) {
      DM_TRY(flatten_within(w, e));
    }
  }
  return DM_OK;
}

static dm_status expand_document(expansion *w, const char *name, pb_mjcf_settings *settings) {
  DM_TRY(pb_mjcf_include(w->x, name));
  DM_TRY(pb_mjcf_read_settings(w->x, name, settings));
  w->m = (pb_mjcf){.x = w->x, .own = *settings, .outermost = -1};
  pb_xml_node *root = pb_xml_root(w->x);
  DM_TRY(attach_own_parts(w, root));
  for (pb_xml_node *e = pb_xml_next(root->children, "worldbody"); e;
       e = pb_xml_next(e->next, "worldbody"))
    DM_TRY(flatten_within(w, e));
  return pb_mjcf_check_depth(w->x);
}

dm_status pb_mjcf_begin(pb_mjcf *m, pb_xml *x, const char *name) {
  expansion w = {.x = x};
  *m = (pb_mjcf){.x = x,
                 .gravity = {0, 0, -9.81},
                 .springs = true,
                 .dampers = true,
                 .holds = true,
                 .friction = true,
                 .outermost = -1};

  // expand to one document, then read the settings and options
  DM_TRY(expand_document(&w, name, &m->own));
  DM_TRY(pb_words_check(&pb_mjcf_words, x, pb_xml_root(x)));
  return pb_mjcf_read_options(m);
}
