#include "problems/readers/model/floor_contacts.h"

#include "lib/base/names.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/touching.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH "model.contacts[]"

enum { CORNERS = 8 };

typedef struct maker {
  const pb_part_source *from;
  const pb_floor_section *s;
  pb_touches t;
  bool *taken; // [bodies of the tree]
  int planes, obstacles;
  int n;
  dm_contact *list;
} maker;

static bool is_plane(const pb_touch *t) {
  return !t->moves && !strcmp(t->kind, "plane");
}

// The kind and dimensions of a shape that others stay outside of; false: another kind.
static bool find_shape(const pb_touch *t, dm_shape *out) {
#define KIND(NAME, name, word, must, may) word,
  static const char *const words[] = {DM_SHAPE_KINDS(KIND)};
#undef KIND
  *out = (dm_shape){.kind = DM_SHAPE_SPHERE};
  while (out->kind < DM_SHAPE_KIND_COUNT && strcmp(words[out->kind], t->kind) != 0) out->kind++;
  if (out->kind == DM_SHAPE_BOX) {
    memcpy(out->half, t->size, sizeof out->half);
  } else {
    out->radius = t->size[0];
    out->half[2] = t->size[1];
  }
  return out->kind < DM_SHAPE_KIND_COUNT;
}

static bool is_obstacle(const pb_touch *t) {
  dm_shape shape;
  return !t->moves && !is_plane(t) && find_shape(t, &shape);
}

// the points of a shape that reach a plane first, in its frame, and their radius; 0: another kind
static int list_points(const pb_touch *t, dm_vec point[CORNERS], double *radius) {
  const double *s = t->size;
  *radius = s[0];
  point[0] = dm_v(0, 0, 0);
  if (!strcmp(t->kind, "sphere")) return 1;
  if (!strcmp(t->kind, "capsule")) {
    point[0] = dm_v(0, 0, -s[1]);
    point[1] = dm_v(0, 0, s[1]);
    return 2;
  }
  *radius = 0;
  if (strcmp(t->kind, "box") != 0) return 0;
  for (int i = 0; i < CORNERS; i++)
    point[i] = dm_v(i & 1 ? s[0] : -s[0], i & 2 ? s[1] : -s[1], i & 4 ? s[2] : -s[2]);
  return CORNERS;
}

static void store(dm_vec a, double x[3]) {
  x[0] = a.x;
  x[1] = a.y;
  x[2] = a.z;
}

// SHAPE, SHAPE_b for its second point, SHAPE_PLANE with several planes, SHAPE_OBSTACLE
static dm_status name_contact(const maker *w, const pb_touch *shape, const pb_touch *plane,
                              int points, int point, const char **out) {
  const size_t size = strlen(shape->name) + strlen(plane->name) + 16;
  char *name = pb_arena_alloc(w->from->r->arena, size, 1);
  if (!name) return DM_NO_MEMORY;
  int at = snprintf(name, size, "%s", shape->name);
  if (points > 1) at += snprintf(name + at, size - (size_t)at, "_%c", "abcdefgh"[point]);
  if (w->planes > 1 || !is_plane(plane)) snprintf(name + at, size - (size_t)at, "_%s", plane->name);
  *out = name;
  return DM_OK;
}

// the friction of the entry or the file
static dm_status choose_friction(const maker *w, double *friction) {
  if (!isnan(w->s->friction)) *friction = w->s->friction;
  if (!isnan(*friction)) return DM_OK;
  return pb_refuse_node(
      w->from->r, w->s->node,
      PATH ": found no 'friction', expected it, because a URDF does not give friction to shapes");
}

// A point of one shape at least `radius` away from another, which is a plane or has an outside.
static dm_contact *add_contact(maker *w, const pb_touch *shape, dm_vec point, double radius,
                               const pb_touch *other, double friction) {
  dm_contact *c = &w->list[w->n++];
  *c = (dm_contact){.kind = is_plane(other) ? DM_ABOVE : DM_OUTSIDE,
                    .body = {shape->body, other->body},
                    .length = radius,
                    .coord = -1,
                    .restitution = w->s->restitution,
                    .friction = friction};
  if (!is_plane(other)) find_shape(other, &c->shape);
  store(dm_place(&shape->frame, point), c->point[0]);
  store(other->frame.p, c->point[1]);
  store(other->frame.z, c->axis);
  store(other->frame.x, c->along);
  return c;
}

// The contacts of a shape with an obstacle: exact if one of them is a sphere.
static dm_status add_obstacle(maker *w, const pb_touch *shape, const pb_touch *obstacle,
                              double friction) {
  dm_vec point[CORNERS];
  double radius;
  dm_contact *c;
  dm_shape own;
  DM_TRY(choose_friction(w, &friction));

  // a sphere of the world stays outside of a shape that moves
  const bool ball = !strcmp(obstacle->kind, "sphere");
  if (ball && strcmp(shape->kind, "sphere") != 0 && find_shape(shape, &own)) {
    c = add_contact(w, obstacle, dm_v(0, 0, 0), obstacle->size[0], shape, friction);
    return name_contact(w, shape, obstacle, 1, 0, &c->name);
  }
  const int points = list_points(shape, point, &radius);
  if (points == 0)
    return pb_warn(w->from->r, shape->at.file, shape->at.line,
                   "'%.64s' is a %.32s, and nothing in '%.64s': contacts with obstacles take "
                   "spheres, capsules and boxes",
                   shape->name, shape->kind, obstacle->name);
  if (points > 1)
    DM_TRY(pb_warn(w->from->r, shape->at.file, shape->at.line,
                   "'%.64s' is a %.32s, and touches '%.64s' by its %s alone: what lies between "
                   "them passes through a smaller obstacle",
                   shape->name, shape->kind, obstacle->name, radius > 0 ? "ends" : "corners"));
  for (int i = 0; i < points; i++) {
    c = add_contact(w, shape, point[i], radius, obstacle, friction);
    DM_TRY(name_contact(w, shape, obstacle, points, i, &c->name));
  }
  return DM_OK;
}

// the contacts of a shape with a plane
static dm_status add_shape(maker *w, const pb_touch *shape, const pb_touch *plane,
                           double friction) {
  dm_vec point[CORNERS];
  double radius;
  dm_contact *c;
  const int points = list_points(shape, point, &radius);
  if (points == 0)
    return pb_refuse(
        w->from->r, shape->at.file, shape->at.line, 0,
        "'%.64s' is a %.32s above the plane '%.64s', expected a sphere, a capsule or "
        "a box; 'bodies' in model.contacts chooses the bodies that touch, and an entry "
        "of type above adds a point, or a sphere with its radius as length",
        shape->name, shape->kind, plane->name);
  DM_TRY(choose_friction(w, &friction));
  for (int i = 0; i < points; i++) {
    c = add_contact(w, shape, point[i], radius, plane, friction);
    DM_TRY(name_contact(w, shape, plane, points, i, &c->name));
  }
  return DM_OK;
}

// links of a URDF at a common joint
static bool are_joined(const maker *w, const pb_touch *shape, const pb_touch *other) {
  const dm_model *m = w->from->m;
  return w->t.links && other->body >= 0 && m->parent[m->body_joint[shape->body]] < 0;
}

// the bodies named by the entry, or all
static dm_status choose_bodies(maker *w) {
  const dm_model *m = w->from->m;
  const pb_node *list = w->s->bodies;
  char found[64];
  PB_NEW(w->from->r->arena, w->taken, m->nbody + 1);
  for (int i = 0; i < m->nbody; i++) w->taken[i] = !list;
  if (!list) return DM_OK;
  if (list->kind != PB_SEQUENCE)
    return pb_refuse_node(w->from->r, list, PATH ".bodies: found %s, expected a list of bodies",
                          pb_node_describe(list, found));
  for (const pb_node *e = list->first; e; e = e->next) {
    int body;
    bool has = false;
    DM_TRY(pb_schema_name(w->from->r, PATH ".bodies", e, "body", m->body_name, m->nbody, &body));
    for (int i = 0; i < w->t.n; i++) has |= w->t.list[i].body == body && w->t.list[i].moves;
    if (!has)
      return pb_refuse_node(w->from->r, e,
                            PATH ".bodies: found '%.64s', which has no shape that moves", e->text);
    w->taken[body] = true;
  }
  return DM_OK;
}

// shapes of the world that are neither planes nor obstacles
static dm_status warn_of_others(const maker *w) {
  for (int i = 0; i < w->t.n; i++) {
    const pb_touch *t = &w->t.list[i];
    if (t->moves || is_plane(t) || is_obstacle(t) || (!t->type && !t->affinity)) continue;
    DM_TRY(pb_warn(
        w->from->r, t->at.file, t->at.line,
        "'%.64s' is of kind %.32s in the world, which nothing touches here: contacts take its "
        "planes, spheres, capsules, cylinders and boxes",
        t->name, t->kind));
  }
  return DM_OK;
}

// a plane that the problem adds, as the last shape
static dm_status add_plane(maker *w) {
  pb_touch *all;
  PB_NEW(w->from->r->arena, all, w->t.n + 1);
  memcpy(all, w->t.list, (size_t)w->t.n * sizeof *all);
  w->t.list = all;
  if (!w->s->axis) return DM_OK;
  const double *a = w->s->axis;
  const dm_vec normal = dm_v(a[0], a[1], a[2]);
  all[w->t.n++] = (pb_touch){.name = "plane",
                             .kind = "plane",
                             .body = -1,
                             .frame = dm_pose_along(normal, dm_mul(w->s->length, normal)),
                             .friction = NAN,
                             .condim = 1,
                             .type = ~0u,
                             .affinity = ~0u};
  return DM_OK;
}

dm_status pb_floor_contacts(const pb_part_source *from, const pb_floor_section *s, int *n,
                            dm_contact **list) {
  maker w = {.from = from, .s = s};
  if (!from->file)
    return pb_refuse_node(from->r, s->node, PATH ".from: found robot, expected a model.robot");
  DM_TRY(pb_touches_read(from->r, from->file, from->m, &w.t));
  DM_TRY(warn_of_others(&w));
  DM_TRY(choose_bodies(&w));
  DM_TRY(add_plane(&w));
  for (int i = 0; i < w.t.n; i++) {
    w.planes += is_plane(&w.t.list[i]);
    w.obstacles += is_obstacle(&w.t.list[i]);
  }
  if (!w.planes && !w.obstacles)
    return pb_refuse_node(
        from->r, s->node,
        PATH ": found no plane and no obstacle in the world of the robot's file, expected 'axis', "
             "the normal of one, with its 'length' from the origin");

  // each shape of a body with each plane and each obstacle
  PB_NEW(from->r->arena, w.list,
         (size_t)CORNERS * (size_t)w.t.n * (size_t)(w.planes + w.obstacles) + 1);
  for (int i = 0; i < w.t.n; i++)
    for (int k = 0; k < w.t.n && w.t.list[i].moves; k++) {
      const pb_touch *shape = &w.t.list[i], *other = &w.t.list[k];
      double friction;
      if (!w.taken[shape->body] || !pb_touches_meet(&w.t, i, k, &friction)) continue;
      if (is_plane(other)) DM_TRY(add_shape(&w, shape, other, friction));
      if (is_obstacle(other) && !are_joined(&w, shape, other))
        DM_TRY(add_obstacle(&w, shape, other, friction));
    }
  if (!w.n)
    return pb_refuse_node(from->r, s->node,
                          PATH ": found no shape of a body in the robot's file that touches a "
                               "plane or an obstacle");
  *n = w.n;
  *list = w.list;
  return DM_OK;
}
