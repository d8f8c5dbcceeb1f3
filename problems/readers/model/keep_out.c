#include "problems/readers/model/keep_out.h"

#include "lib/base/names.h"
#include "problems/readers/model/shape_section.h"
#include "problems/readers/model/tendon.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct keep_out_section {
  double clearance;
  const pb_node *shapes, *collision, *except, *pairs;
  const char *self;
} keep_out_section;

const pb_key pb_keep_out_keys[] = {
    PB_KEY(keep_out_section, clearance, .type = PB_NUMBER, .unit = "m", .also = "margin distance",
           .range = ">= 0", .absent = "0", .about = "Minimum distance of each pair"),
    PB_KEY(keep_out_section, shapes, .type = PB_LIST, .also = "obstacles objects geometry",
           .sub = pb_shape_keys, .about = "Shapes on bodies and in the world"),
    PB_KEY(keep_out_section, collision, .type = PB_NODE, .also = "links urdf", .note = "false",
           .words = "true, false, or a list of links",
           .about = "Adds the `<collision>` shapes of all or of the listed links of the URDF"),
    PB_KEY(keep_out_section, self, .type = PB_WORD, .also = "self_collision", .absent = "false",
           .words = "false true",
           .about = "`true`: shapes of different bodies must not collide either"),
    PB_KEY(keep_out_section, except, .type = PB_NODE, .also = "ignore exclude allowed",
           .note = "none", .words = "[[shape, shape], ...]", .about = "Pairs that may overlap"),
    PB_KEY(keep_out_section, pairs, .type = PB_NODE, .note = "all",
           .words = "[[shape, shape], ...]", .about = "Only these pairs are checked"),
    {0}};

#define PATH "keep_out.shapes[]"

static dm_status read_shape(const pb_reader *r, const pb_node *node, const dm_model *m,
                            pb_shape *out) {
  pb_shape_section s = {0};
  DM_TRY(pb_schema_read(r, PATH, node, pb_shape_keys, &s));
  DM_TRY(pb_shape_read(r, PATH, node, &s, out));
  if (strchr(s.name, '.'))
    return pb_refuse_node(r, pb_node_get(node, "name"),
                          PATH ".name: found '%.64s', expected one without a dot", s.name);
  out->name = s.name;
  return s.body ? pb_body_read(r, PATH ".body", s.body, m, &out->body) : DM_OK;
}

dm_status pb_shape_find(const pb_reader *r, const char *path, const pb_node *node,
                        const pb_keep_out *k, int *shape) {
  const char **name;
  PB_NEW(r->arena, name, k->n);
  for (int i = 0; i < k->n; i++) name[i] = k->shape[i].name;
  return pb_schema_name(r, path, node, "shape", name, k->n, shape);
}

// -- pairs

// pairs of names as resolved: a shape, or all shapes of a link with several
typedef struct shape_pairs {
  int n;
  int (*pair)[2]; // index of a shape, or k->n + body for a link
  const pb_node **node;
} shape_pairs;

// find a shape by name; with m also a link, whose shapes have their own names
static dm_status find_shapes(const pb_reader *r, const char *path, const pb_node *node,
                             const pb_keep_out *k, const dm_model *m, int *found) {
  const bool named = m && node->kind == PB_SCALAR && node->text;
  const int body = named ? dm_model_body(m, node->text) : -1;
  bool is_shape = false, is_link = false;
  for (int i = 0; named && i < k->n; i++) {
    is_shape = is_shape || !strcmp(k->shape[i].name, node->text);
    is_link = is_link || (i >= k->nlisted && k->shape[i].body == body);
  }
  if (is_shape || !is_link) return pb_shape_find(r, path, node, k, found);
  *found = k->n + body;
  return DM_OK;
}

// [[shape, shape], ...]; m: link names are allowed
static dm_status read_pairs(const pb_reader *r, const char *path, const pb_node *list,
                            const pb_keep_out *k, const dm_model *m, shape_pairs *out) {
  char found[64];
  *out = (shape_pairs){0};
  if (!list) return DM_OK;
  PB_NEW(r->arena, out->pair, list->n);
  PB_NEW(r->arena, out->node, list->n);
  if (list->kind != PB_SEQUENCE)
    return pb_refuse_node(r, list, "%s: found %s, expected a list of pairs", path,
                          pb_node_describe(list, found));
  for (const pb_node *e = list->first; e; e = e->next, out->n++) {
    if (e->kind != PB_SEQUENCE || e->n != 2)
      return pb_refuse_node(r, e, "%s: found %s, expected two shapes", path,
                            pb_node_describe(e, found));
    DM_TRY(find_shapes(r, path, e->first, k, m, &out->pair[out->n][0]));
    DM_TRY(find_shapes(r, path, e->first->next, k, m, &out->pair[out->n][1]));
    out->node[out->n] = e;
  }
  return DM_OK;
}

// whether a resolved name includes shape a
static bool is_meant(const pb_keep_out *k, int found, int a) {
  return found == a || (a >= k->nlisted && found == k->n + k->shape[a].body);
}

static bool has_pair(const pb_keep_out *k, const shape_pairs *list, int a, int b) {
  for (int i = 0; i < list->n; i++) {
    const int *p = list->pair[i];
    if (is_meant(k, p[0], a) && is_meant(k, p[1], b)) return true;
    if (is_meant(k, p[0], b) && is_meant(k, p[1], a)) return true;
  }
  return false;
}

// the joint that carries a shape; -1: none
static int find_carrier(const dm_model *m, const pb_shape *s) {
  return s->body < 0 ? -1 : m->body_joint[s->body];
}

// put first the shape that is swept and moves relative to the other; false: neither is
static bool order_pair(const dm_model *m, const pb_keep_out *k, int pair[2]) {
  const pb_shape *a = &k->shape[pair[0]], *b = &k->shape[pair[1]];
  const int by_a = find_carrier(m, a), by_b = find_carrier(m, b);
  if (by_a == by_b) return false;
  if (a->swept && by_a >= 0) return true;
  if (!b->swept && !a->swept) return false;

  // if only the obstacle of the world is swept, exchange the roles
  if (b->swept) {
    const int first = pair[0];
    pair[0] = pair[1];
    pair[1] = first;
  }
  return true;
}

// the pairs given in the file; each must be possible and unique
static dm_status take_given(const pb_reader *r, const dm_model *m, const shape_pairs *given,
                            pb_keep_out *k) {
  for (int i = 0; i < given->n; i++) {
    int *to = k->pair[k->npairs];
    memcpy(to, given->pair[i], sizeof k->pair[0]);
    if (!order_pair(m, k, to))
      return pb_refuse_node(r, given->node[i],
                            "keep_out.pairs: found '%.64s' and '%.64s', expected a sphere or a "
                            "capsule, and a shape that moves against it",
                            k->shape[to[0]].name, k->shape[to[1]].name);
    if (has_pair(k, &(shape_pairs){.n = i, .pair = given->pair}, to[0], to[1]))
      return pb_refuse_node(r, given->node[i],
                            "keep_out.pairs: found '%.64s' and '%.64s' twice, expected every pair "
                            "once",
                            k->shape[to[0]].name, k->shape[to[1]].name);
    k->npairs++;
  }
  return DM_OK;
}

// the next joint above; -1: none
static int find_carrier_above(const dm_model *m, int joint) {
  for (int up = m->parent[joint]; up >= 0; up = m->parent[up])
    for (int b = 0; b < m->nbody; b++)
      if (m->body_joint[b] == up) return up;
  return -1;
}

// whether only one joint is between the bodies, which touch there
static bool is_adjacent(const dm_model *m, const pb_shape *a, const pb_shape *b) {
  const int by_a = find_carrier(m, a), by_b = find_carrier(m, b);
  if (a->body < 0 || b->body < 0) return false;
  return (by_a >= 0 && find_carrier_above(m, by_a) == by_b) ||
         (by_b >= 0 && find_carrier_above(m, by_b) == by_a);
}

// Whether both shapes belong to the robot: they are on two moving bodies, or one is on a fixed
// link, which is part of the robot and not an obstacle of the world.
static bool are_own(const dm_model *m, const pb_shape *a, const pb_shape *b) {
  if (find_carrier(m, a) >= 0 && find_carrier(m, b) >= 0) return true;
  return (a->about || b->about) && a->body >= 0 && b->body >= 0;
}

// warn about pairs without a sphere or capsule, which are left out, once per moving shape
static dm_status warn_left_out(pb_reader *r, const pb_node *shapes, const dm_model *m, bool self,
                               const pb_keep_out *k) {
  const pb_node *node = shapes ? shapes->first : NULL;
  for (int a = 0; a < k->nlisted; a++, node = node->next) {
    const int carrier = find_carrier(m, &k->shape[a]);
    const char *other = NULL;
    for (int b = 0; b < k->n && !k->shape[a].swept && carrier >= 0; b++) {
      const int by = find_carrier(m, &k->shape[b]);
      if (!k->shape[b].swept && by != carrier && (by < 0 || self)) other = k->shape[b].name;
    }
    if (other)
      DM_TRY(pb_warn(r, r->file, node->line,
                     "keep_out: '%.64s' and '%.64s' are not kept apart: one of a pair must be a "
                     "sphere or a capsule",
                     k->shape[a].name, other));
  }
  return DM_OK;
}

// the listed shapes, then the shapes of links; names are unique
static dm_status read_shapes(pb_reader *r, const keep_out_section *s, const pb_source *urdf,
                             const dm_model *m, pb_keep_out *out) {
  const int listed = s->shapes ? s->shapes->n : 0;
  const char **name;
  pb_shape *link;
  int n = 0, nlinks;
  DM_TRY(pb_collision_read(r, s->collision, urdf, m, &nlinks, &link));
  PB_NEW(r->arena, out->shape, listed + nlinks);
  PB_NEW(r->arena, name, listed + nlinks);
  for (const pb_node *e = s->shapes ? s->shapes->first : NULL; e; e = e->next) {
    DM_TRY(read_shape(r, e, m, &out->shape[n]));
    DM_TRY(pb_schema_once(r, PATH, e, name, &n, out->shape[n].name));
  }
  out->nlisted = n;
  for (int i = 0; i < nlinks; i++) {
    if (dm_names_find(name, n, link[i].name) >= 0)
      return pb_refuse_node(
          r, s->collision,
          "keep_out.collision: found a second shape named '%.64s', expected every "
          "name once",
          link[i].name);
    name[n] = link[i].name;
    out->shape[n++] = link[i];
  }
  out->n = n;
  return DM_OK;
}

dm_status pb_keep_out_read(pb_reader *r, const pb_node *node, const pb_source *urdf,
                           const dm_model *m, pb_keep_out *out) {
  keep_out_section s = {0};
  shape_pairs given, except;
  *out = (pb_keep_out){0};
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "keep_out", node, pb_keep_out_keys, &s));
  if ((!s.shapes || !s.shapes->n) && !s.collision)
    return pb_refuse_node(r, node, "keep_out: found no 'shapes', expected those that stay apart");
  DM_TRY(read_shapes(r, &s, urdf, m, out));
  out->clearance = s.clearance;

  // select the pairs
  const bool self = !strcmp(s.self, "true");
  if (s.pairs && (s.except || self))
    return pb_refuse_key(r, s.pairs, "keep_out: found 'pairs' beside '%s', expected one of them",
                         s.except ? "except" : "self");
  DM_TRY(read_pairs(r, "keep_out.pairs", s.pairs, out, NULL, &given));
  DM_TRY(read_pairs(r, "keep_out.except", s.except, out, m, &except));
  PB_NEW(r->arena, out->pair, out->n * out->n + given.n);
  if (s.pairs)
    DM_TRY(take_given(r, m, &given, out));
  else {
    // all possible pairs: a shape on a moving body with one of the world, or of another body if self is
    // set; links joined by a joint are excluded
    for (int a = 0; a < out->n; a++)
      for (int b = a + 1; b < out->n; b++) {
        const pb_shape *x = &out->shape[a], *y = &out->shape[b];
        int *to = out->pair[out->npairs];
        to[0] = a;
        to[1] = b;
        if (has_pair(out, &except, a, b) || (are_own(m, x, y) && !self)) continue;
        if ((x->about || y->about) && is_adjacent(m, x, y)) continue;
        if (order_pair(m, out, to)) out->npairs++;
      }
  }
  DM_TRY(warn_left_out(r, s.shapes, m, self, out));
  if (out->npairs > 0) return DM_OK;
  return pb_refuse_node(
      r, node,
      "keep_out: found no pair that can meet, expected a sphere or a capsule on a "
      "body that moves, and a shape of the world");
}

bool pb_clearance_of(const pb_keep_out *k, int a, int b, dm_output *o) {
  if (!k->shape[a].swept) {
    const int other = a;
    a = b;
    b = other;
  }
  const pb_shape *x = &k->shape[a], *y = &k->shape[b];
  if (!x->swept) return false;
  o->kind = DM_OUTPUT_CLEARANCE;
  o->body[0] = x->body;
  o->body[1] = y->body;
  memcpy(o->point[0], x->point, sizeof x->point);
  memcpy(o->end, x->end, sizeof x->end);
  o->swept = x->shape.kind == DM_SHAPE_CAPSULE;
  o->radius = x->shape.radius;
  o->shape = y->shape;
  o->frame = y->frame;
  return true;
}
