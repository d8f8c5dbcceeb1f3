#include "problems/readers/model/touching.h"

#include "problems/readers/model/mjcf_expand.h"
#include "problems/readers/model/mjcf_geom.h"
#include "problems/readers/model/mjcf_mass.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct toucher {
  pb_xml x;
  const pb_source *file;
  const dm_model *m;
  pb_touches *out;
} toucher;

static int count_words(const pb_xml_node *top, const char *word) {
  int n = 0;
  for (const pb_xml_node *e = pb_xml_next(top->children, NULL); e; e = pb_xml_next(e->next, NULL))
    n += !strcmp(e->name, word) + count_words(e, word);
  return n;
}

// append a shape of a body; own: its name, or NULL
static dm_status add_touch(toucher *w, const pb_xml_node *e, const char *own, int body,
                           pb_touch **out) {
  pb_touch *t = &w->out->list[w->out->n];
  const char *base = body < 0 ? "world" : w->m->body_name[body];
  int number = 1;
  for (int i = 0; i < w->out->n; i++) number += w->out->list[i].body == body;
  const size_t size = strlen(own ? own : base) + 16;
  char *name = pb_arena_alloc(w->x.r->arena, size, 1);
  if (!name) return DM_NO_MEMORY;
  if (own || number == 1)
    snprintf(name, size, "%s", own ? own : base);
  else
    snprintf(name, size, "%s_%d", base, number);
  for (char *dot = strchr(name, '.'); dot; dot = strchr(dot, '.')) *dot = '_';
  *t = (pb_touch){.name = name,
                  .kind = "shape",
                  .at = {pb_xml_file(&w->x, e), pb_xml_line(e), 0},
                  .body = body,
                  .moves = body >= 0 && w->m->body_joint[body] >= 0,
                  .friction = NAN,
                  .condim = 3,
                  .type = 1,
                  .affinity = 1};
  w->out->n++;
  *out = t;
  return DM_OK;
}

// -- URDF

// sizes of the kinds that contacts have; other kinds keep their word alone
static dm_status read_link_size(toucher *w, const pb_xml_node *e, pb_touch *t) {
  if (!strcmp(t->kind, "sphere")) return pb_xml_number(&w->x, e, "radius", &t->size[0], NULL);
  if (!strcmp(t->kind, "capsule") || !strcmp(t->kind, "cylinder")) {
    DM_TRY(pb_xml_number(&w->x, e, "radius", &t->size[0], NULL));
    DM_TRY(pb_xml_number(&w->x, e, "length", &t->size[1], NULL));
    t->size[1] /= 2;
  }
  if (!strcmp(t->kind, "box")) {
    DM_TRY(pb_xml_vector(&w->x, e, "size", t->size));
    for (int i = 0; i < 3; i++) t->size[i] /= 2;
  }
  return DM_OK;
}

static dm_status read_link_shapes(toucher *w, const pb_xml_node *link) {
  const char *name, *own;
  DM_TRY(pb_xml_name(&w->x, link, "name", &name));
  const int body = dm_model_body(w->m, name);
  for (pb_xml_node *e = pb_xml_next(link->children, "collision"); e && body >= 0;
       e = pb_xml_next(e->next, "collision")) {
    pb_touch *t;
    double xyz[3], rpy[3];
    own = pb_xml_get(e, "name");
    DM_TRY(add_touch(w, e, own && own[0] ? own : NULL, body, &t));
    DM_TRY(pb_xml_origin(&w->x, e, xyz, rpy));
    t->frame = dm_pose_rpy(rpy, xyz);
    const pb_xml_node *geometry = pb_xml_next(e->children, "geometry");
    const pb_xml_node *shape = geometry ? pb_xml_next(geometry->children, NULL) : NULL;
    if (!shape) continue;
    t->kind = shape->name;
    DM_TRY(read_link_size(w, shape, t));
    t->kind = pb_copy(w->x.r->arena, t->kind, strlen(t->kind));
    if (!t->kind) return DM_NO_MEMORY;
  }
  return DM_OK;
}

static dm_status read_urdf(toucher *w) {
  const pb_xml_node *root = pb_xml_root(&w->x);
  w->out->links = true;
  PB_NEW(w->x.r->arena, w->out->list, count_words(root, "collision") + 1);
  for (pb_xml_node *e = pb_xml_next(root->children, "link"); e; e = pb_xml_next(e->next, "link"))
    DM_TRY(read_link_shapes(w, e));
  return DM_OK;
}

// -- MJCF

static dm_status read_number(const pb_mjcf *m, pb_mjcf_element at, const char *name, int *out) {
  double x = *out;
  DM_TRY(pb_mjcf_number(m, at, name, &x));
  *out = (int)fmin(fmax(x, -1e9), 1e9);
  return DM_OK;
}

static dm_status read_geom_shapes(toucher *w, const pb_mjcf *m, const pb_xml_node *e, int class,
                                  int body) {
  for (pb_xml_node *g = pb_xml_next(e->children, "geom"); g; g = pb_xml_next(g->next, "geom")) {
    pb_mjcf_geom geom;
    pb_touch *t;
    const char *own;
    double friction[3] = {1, 0, 0};
    int type = 1, affinity = 1, n;
    DM_TRY(pb_mjcf_geom_read(m, g, class, &geom));
    own = pb_xml_get(g, "name");
    DM_TRY(add_touch(w, g, own && own[0] ? own : NULL, body, &t));
    t->kind = geom.kind;
    t->frame = geom.frame;
    memcpy(t->size, geom.size, sizeof t->size);
    DM_TRY(read_number(m, geom.at, "contype", &type));
    DM_TRY(read_number(m, geom.at, "conaffinity", &affinity));
    DM_TRY(read_number(m, geom.at, "condim", &t->condim));
    DM_TRY(read_number(m, geom.at, "priority", &t->priority));
    DM_TRY(pb_mjcf_numbers(m, geom.at, "friction", 3, friction, &n));
    t->friction = fmax(friction[0], 0);
    t->type = (unsigned)type;
    t->affinity = (unsigned)affinity;
  }
  return DM_OK;
}

// a body, or the world, and its descendants
static dm_status read_body_shapes(toucher *w, pb_mjcf *m, const pb_xml_node *e, int around) {
  const bool world = !strcmp(e->name, "worldbody");
  const char *name = "world";
  int class;
  DM_TRY(pb_mjcf_class_of(m, e, "childclass", around, &class));
  if (!world) DM_TRY(pb_mjcf_body_name(m, e, &name));
  if (!world) DM_TRY(pb_mjcf_align_body(m, e, class, name));
  const int body = world ? -1 : dm_model_body(w->m, name);
  if (world || body >= 0) DM_TRY(read_geom_shapes(w, m, e, class, body));
  for (const pb_xml_node *b = pb_xml_next(e->children, "body"); b; b = pb_xml_next(b->next, "body"))
    DM_TRY(read_body_shapes(w, m, b, class));
  return DM_OK;
}

// an <exclude>: two bodies
static dm_status read_exclude(toucher *w, const pb_xml_node *e) {
  static const char *const word[] = {"body1", "body2"};
  int *to = w->out->exclude[w->out->nexclude++];
  for (int i = 0; i < 2; i++) {
    const char *name;
    DM_TRY(pb_xml_name(&w->x, e, word[i], &name));
    to[i] = dm_model_body(w->m, name);
    if (to[i] < 0 && strcmp(name, "world") != 0)
      return pb_refuse_xml(&w->x, e, "<exclude>: found %s=\"%.64s\", which no body is", word[i],
                           name);
  }
  return DM_OK;
}

// a <pair>: two geoms by name, with their own friction
static dm_status read_pair(toucher *w, const pb_mjcf *m, const pb_xml_node *e) {
  static const char *const word[] = {"geom1", "geom2"};
  pb_touch_pair *to = &w->out->pair[w->out->npair++];
  pb_mjcf_element at;
  double friction[5];
  int n;
  *to = (pb_touch_pair){{-1, -1}, NAN, 0};
  DM_TRY(pb_mjcf_at(m, e, m->outermost, &at));
  for (int i = 0; i < 2; i++) {
    const char *name;
    DM_TRY(pb_xml_name(&w->x, e, word[i], &name));
    for (int k = 0; k < w->out->n; k++)
      if (!strcmp(w->out->list[k].name, name)) to->shape[i] = k;
    if (to->shape[i] < 0)
      return pb_refuse_xml(&w->x, e, "<pair>: found %s=\"%.64s\", which no geom is", word[i], name);
  }
  DM_TRY(pb_mjcf_numbers(m, at, "friction", 5, friction, &n));
  if (n > 0) to->friction = fmax(friction[0], 0);
  return read_number(m, at, "condim", &to->condim);
}

static dm_status read_mjcf(toucher *w) {
  pb_mjcf m;
  DM_TRY(pb_mjcf_begin(&m, &w->x, w->file->name));
  const pb_xml_node *root = pb_xml_root(&w->x);
  PB_NEW(w->x.r->arena, w->out->list, count_words(root, "geom") + 1);
  PB_NEW(w->x.r->arena, w->out->exclude, count_words(root, "exclude") + 1);
  PB_NEW(w->x.r->arena, w->out->pair, count_words(root, "pair") + 1);
  for (pb_xml_node *e = NULL; (e = pb_mjcf_section(&m, "worldbody", e));)
    DM_TRY(read_body_shapes(w, &m, e, m.outermost));
  for (pb_xml_node *s = NULL; (s = pb_mjcf_section(&m, "contact", s));) {
    for (pb_xml_node *e = pb_xml_next(s->children, "exclude"); e;
         e = pb_xml_next(e->next, "exclude"))
      DM_TRY(read_exclude(w, e));
    for (pb_xml_node *e = pb_xml_next(s->children, "pair"); e; e = pb_xml_next(e->next, "pair"))
      DM_TRY(read_pair(w, &m, e));
  }
  return DM_OK;
}

// -- both

dm_status pb_touches_read(pb_reader *r, const pb_source *file, const dm_model *m, pb_touches *out) {
  // the first reading has warned of everything
  struct pb_warnings unused = {0};
  pb_reader again = *r;
  again.warnings = &unused;
  again.known = file; // included files follow it
  toucher w = {.file = file, .m = m, .out = out};
  *out = (pb_touches){0};
  dm_status s = pb_xml_open(&w.x, &again, file->path, file->bytes, file->size);
  if (s == DM_OK) s = strcmp(pb_xml_root(&w.x)->name, "mujoco") ? read_urdf(&w) : read_mjcf(&w);
  pb_warnings_free(&unused);
  return s;
}

bool pb_touches_meet(const pb_touches *t, int a, int b, double *friction) {
  const pb_touch *x = &t->list[a], *y = &t->list[b];
  const pb_touch *first = x->priority >= y->priority ? x : y;
  const bool equal = x->priority == y->priority;
  int condim = equal ? (int)fmax(x->condim, y->condim) : first->condim;
  *friction = equal ? fmax(x->friction, y->friction) : first->friction;

  // a <pair> applies in spite of bits and bodies
  const pb_touch_pair *pair = NULL;
  for (int i = 0; i < t->npair; i++) {
    const int *s = t->pair[i].shape;
    if ((s[0] == a && s[1] == b) || (s[0] == b && s[1] == a)) pair = &t->pair[i];
  }
  if (pair && !isnan(pair->friction)) *friction = pair->friction;
  if (pair && pair->condim > 0) condim = pair->condim;
  if (condim == 1) *friction = 0;
  if (pair) return true;
  for (int i = 0; i < t->nexclude; i++) {
    const int *s = t->exclude[i];
    if ((s[0] == x->body && s[1] == y->body) || (s[0] == y->body && s[1] == x->body)) return false;
  }
  return (x->type & y->affinity) || (y->type & x->affinity);
}
