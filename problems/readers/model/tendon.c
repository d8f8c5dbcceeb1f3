#include "problems/readers/model/tendon.h"

#include "lib/base/names.h"
#include "lib/multibody/ball_joint.h"

#include <stdio.h>
#include <string.h>

typedef struct path_section {
  const char *body;
  double point[3];
} path_section;

const pb_key pb_path_keys[] = {
    PB_KEY(path_section, body, .type = PB_TEXT, .absent = PB_REQUIRED, .about = "Body or `world`"),
    PB_KEY(path_section, point, .type = PB_VECTOR, .unit = "m", .absent = "[0, 0, 0]",
           .about = "Point in the body frame"),
    {0}};

typedef struct label {
  char text[128];
} label;

// PATH.KEY, for messages
static label join_path(const char *path, const char *key) {
  label out;
  snprintf(out.text, sizeof out.text, "%.80s.%.20s", path, key);
  return out;
}

dm_status pb_body_read(const pb_reader *r, const char *path, const pb_node *node, const dm_model *m,
                       int *body) {
  const char **name;
  int n = 1, known;
  PB_NEW(r->arena, name, m->nbody + 1);

  // "world" is body -1 and takes precedence; a root link of that name has the same frame
  name[0] = "world";
  for (int i = 0; i < m->nbody; i++)
    if (strcmp(m->body_name[i], "world") != 0) name[n++] = m->body_name[i];
  DM_TRY(pb_schema_name(r, path, node, "body", name, n, &known));
  *body = known ? dm_names_find(m->body_name, m->nbody, name[known]) : -1;
  return DM_OK;
}

// allocate n points, initialized to the origin of the world
static dm_status alloc_points(const pb_reader *r, int n, pb_points *out) {
  out->n = n;
  PB_NEW(r->arena, out->body, n);
  PB_NEW(r->arena, out->point, n);
  return DM_OK;
}

// a list with n entries, or with at least 2
static dm_status check_list(const pb_reader *r, const char *path, const pb_node *node, int n,
                            bool many, const char *what) {
  char found[64];
  if (node->kind == PB_SEQUENCE && (many ? node->n >= 2 : node->n == n)) return DM_OK;
  return pb_refuse_node(r, node, "%s: found %s, expected a list of %d%s %s", path,
                        pb_node_describe(node, found), n, many ? " or more" : "", what);
}

dm_status pb_points_read(const pb_reader *r, const char *path, const pb_node *bodies,
                         const pb_node *points, bool many, const dm_model *m, pb_points *out) {
  label at = join_path(path, "bodies");
  int i = 0;

  // distinct bodies: the length between a body and itself is constant
  DM_TRY(check_list(r, at.text, bodies, 2, many, "names"));
  DM_TRY(alloc_points(r, bodies->n, out));
  for (const pb_node *e = bodies->first; e; e = e->next, i++) {
    DM_TRY(pb_body_read(r, at.text, e, m, out->body + i));
    for (int j = 0; j < i; j++)
      if (out->body[j] == out->body[i])
        return pb_refuse_node(r, e, "%s: found '%.64s' twice, expected different ones", at.text,
                              e->text);
  }

  // a point on each, by default its origin
  if (!points) return DM_OK;
  at = join_path(path, "points");
  DM_TRY(check_list(r, at.text, points, out->n, false, "points"));
  i = 0;
  for (const pb_node *e = points->first; e; e = e->next)
    DM_TRY(pb_schema_list(r, at.text, e, 3, out->point[i++]));
  return DM_OK;
}

dm_status pb_bodies_pair_read(const pb_reader *r, const char *path, const pb_node *node,
                              const dm_model *m, int body[2]) {
  char found[64];
  body[1] = -1;
  if (node->kind != PB_SCALAR && (node->kind == PB_MAPPING || node->n < 1 || node->n > 2))
    return pb_refuse_node(r, node, "%s: found %s, expected a name, or a list of 1 or 2", path,
                          pb_node_describe(node, found));

  // the second body, if given
  const pb_node *first = node->kind == PB_SCALAR ? node : node->first;
  const pb_node *second = first == node ? NULL : first->next;
  DM_TRY(pb_body_read(r, path, first, m, &body[0]));
  if (second) DM_TRY(pb_body_read(r, path, second, m, &body[1]));
  if (body[0] != body[1]) return DM_OK;
  return pb_refuse_node(r, second ? second : first,
                        "%s: found '%.64s' and '%.64s', expected different ones", path, first->text,
                        second ? second->text : "world");
}

static dm_status read_path(const pb_reader *r, const char *path, const pb_node *list,
                           const dm_model *m, pb_points *out) {
  label at = join_path(path, "path");
  label one = join_path(path, "path[]");
  label body = join_path(one.text, "body");
  int i = 0;

  // a path has at least two points; several may be on one body
  DM_TRY(check_list(r, at.text, list, 2, true, "points"));
  DM_TRY(alloc_points(r, list->n, out));
  for (const pb_node *e = list->first; e; e = e->next, i++) {
    // points are in the body's frame, by default its origin
    path_section s = {0};
    DM_TRY(pb_schema_read(r, one.text, e, pb_path_keys, &s));
    DM_TRY(pb_body_read(r, body.text, pb_node_get(e, "body"), m, out->body + i));
    memcpy(out->point[i], s.point, sizeof s.point);
  }
  return DM_OK;
}

dm_status pb_coordinate_read(const pb_reader *r, const char *path, const pb_node *node,
                             const dm_model *m, int *coord) {
  DM_TRY(pb_schema_name(r, path, node, "coordinate", m->name, m->nq, coord));
  if (!dm_ball_owns(m, *coord)) return DM_OK;
  return pb_refuse_node(r, node,
                        "%s: found '%.64s', a turn of a ball joint, expected a joint of one axis",
                        path, node->text);
}

dm_status pb_tendon_read(const pb_reader *r, const char *path, const pb_node *section,
                         const dm_model *m, dm_tendon *out) {
  const pb_node *joint = pb_node_get(section, "joint");
  const pb_node *bodies = pb_node_get(section, "bodies");
  const pb_node *points = pb_node_get(section, "points");
  const pb_node *list = pb_node_get(section, "path");
  pb_points x = {0};

  // exactly one of the three forms
  if (!!joint + !!bodies + !!list != 1)
    return pb_refuse_node(r, section, "%s: found %s, expected one of joint, bodies, path", path,
                          joint || bodies || list ? "several" : "none");
  if (points && !bodies)
    return pb_refuse_key(r, points, "%s: found 'points' without 'bodies', expected both", path);

  // a coordinate, or the length of a path through points of bodies
  if (joint) {
    int *coord;
    double *factor;
    label at = join_path(path, "joint");

    // the length 1 q_coord
    PB_NEW(r->arena, coord, 1);
    PB_NEW(r->arena, factor, 1);
    *factor = 1;
    *out = (dm_tendon){.ncoord = 1, .coord = coord, .factor = factor};
    return pb_coordinate_read(r, at.text, joint, m, coord);
  }
  if (bodies)
    DM_TRY(pb_points_read(r, path, bodies, points, false, m, &x));
  else
    DM_TRY(read_path(r, path, list, m, &x));
  *out = (dm_tendon){.npoint = x.n, .body = x.body, .point = (const double(*)[3])x.point};
  return DM_OK;
}

dm_status pb_tendon_compile(const pb_reader *r, const pb_tree *t, const dm_model *m,
                            const dm_tendon *x, dm_tendon *out, double *shift) {
  int *coord;
  double *factor;
  *out = *x;
  *shift = 0;
  if (!x->ncoord) return DM_OK;
  PB_NEW(r->arena, coord, x->ncoord);
  PB_NEW(r->arena, factor, x->ncoord);
  out->ncoord = 0;
  out->coord = coord;
  out->factor = factor;
  for (int i = 0; i < x->ncoord; i++) {
    // q = ratio q_followed + shift; locked joints have constant values
    const dm_coordinate *c = &t->coord[x->coord[i]];
    const bool copy = c->mimic >= 0;
    const dm_coordinate *moved = copy ? &t->coord[c->mimic] : c;
    const double by = x->factor[i] * (copy ? c->ratio : 1);
    if (copy) *shift += x->factor[i] * c->shift;
    if (moved->locked) {
      *shift += by * moved->value;
      continue;
    }
    coord[out->ncoord] = dm_model_coord(m, moved->name);
    factor[out->ncoord++] = by;
  }
  return DM_OK;
}
