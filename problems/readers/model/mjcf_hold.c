#include "problems/readers/model/mjcf_hold.h"

#include "lib/base/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// one of the two that an element holds together
typedef struct held_end {
  int body;     // of the tree; -1: the world
  dm_pose rest; // in the world, where all stands as written
} held_end;

// the element of a body or site that has a name, below another one; NULL: there is none
static const xmlNode *find_named(const xmlNode *top, const char *word, const char *name) {
  const xmlNode *found = NULL;
  for (const xmlNode *e = pb_xml_next(top->children, NULL); e && !found;
       e = pb_xml_next(e->next, NULL)) {
    xmlChar *own = xmlGetNoNsProp(e, (const xmlChar *)"name");
    const bool meant = own && !strcmp((const char *)own, name);
    xmlFree(own);
    found = meant && !strcmp((const char *)e->name, word) ? e : find_named(e, word, name);
  }
  return found;
}

// a body's frame in the world: its own in that of the body around it, and so on
static dm_status place_at_rest(const pb_mjcf *m, const xmlNode *e, dm_pose *out) {
  *out = dm_identity;
  for (; !strcmp((const char *)e->name, "body"); e = e->parent) {
    dm_pose own;
    DM_TRY(pb_mjcf_pose(m, (pb_mjcf_element){e, -1}, &own, NULL));
    *out = dm_compose(&own, out);
  }
  return DM_OK;
}

// what an attribute names: a body, or with `word` site a frame; nothing: the world
static dm_status find_held_end(const pb_mjcf *m, const pb_tree *t, const xmlNode *e,
                               const char *attribute, const char *word, held_end *out) {
  const char *name;
  *out = (held_end){-1, dm_identity};
  DM_TRY(pb_xml_text(m->x, e, attribute, &name));
  if (!name || !strcmp(name, "world")) return DM_OK;

  // in the tree, and in the file
  out->body = pb_tree_find_body(t, name);
  const xmlNode *named = find_named(xmlDocGetRootElement(m->x->doc), word, name);
  if (out->body < 0 || !named)
    return pb_refuse_xml(m->x, e, "<%s>: found %s=\"%.64s\", which no %s is", (const char *)e->name,
                         attribute, name, word);
  return place_at_rest(m, named, &out->rest);
}

// relpose, where it says a turn; else how body2 stands in body1
static dm_status read_relpose(const pb_mjcf *m, const xmlNode *e, const held_end end[2],
                              dm_pose *out) {
  double x[7] = {0};
  int n;
  DM_TRY(pb_xml_numbers(m->x, e, "relpose", 7, x, &n));
  const double size = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]);
  if (n && n < 7)
    return pb_refuse_xml(m->x, e, "<weld relpose>: found %d numbers, expected seven", n);
  *out = dm_pose_relative(&end[0].rest, &end[1].rest);
  if (!(size > 0)) return DM_OK;
  const double q[] = {x[3] / size, x[4] / size, x[5] / size, x[6] / size};
  *out = pb_mjcf_pose_turned(q, dm_v(x[0], x[1], x[2]));
  return DM_OK;
}

static bool is_turned(const dm_pose *X) {
  return X->x.x < 1 - 1e-14 || X->y.y < 1 - 1e-14 || X->z.z < 1 - 1e-14;
}

// a frame without mass, turned as body2 is to be
static dm_status add_held_frame(const pb_mjcf *m, pb_tree *t, const xmlNode *e, dm_pose X,
                                dm_constraint *c) {
  char *name;
  dm_body *body;
  const size_t size = strlen(c->name) + sizeof "/frame";
  PB_NEW(t->r->arena, name, size);
  snprintf(name, size, "%s/frame", c->name);
  DM_TRY(pb_tree_body(t, name, (pb_place){.file = m->x->file, .line = pb_xml_line(e)}, &body));
  body->parent = c->body[0];
  body->offset = X;
  c->body[0] = t->nbody - 1;
  return DM_OK;
}

// points of both: the anchor of a weld is body2's, and of a connect body1's
static dm_status set_held_points(const pb_mjcf *m, pb_tree *t, const xmlNode *e,
                                 const held_end end[2], dm_constraint *c) {
  double anchor[3] = {0}, torque = 1;
  const bool weld = !strcmp((const char *)e->name, "weld");
  dm_pose between = dm_pose_relative(&end[1].rest, &end[0].rest);
  DM_TRY(pb_xml_vector(m->x, e, "anchor", anchor));
  DM_TRY(pb_xml_number(m->x, e, "torquescale", &torque, NULL));
  if (weld) DM_TRY(read_relpose(m, e, end, &between));
  const dm_vec own = dm_v(anchor[0], anchor[1], anchor[2]), other = dm_place(&between, own);
  const double pair[2][3] = {{own.x, own.y, own.z}, {other.x, other.y, other.z}};
  c->kind = weld && torque != 0 ? DM_POSE : DM_POINT;
  memcpy(c->point[0], pair[weld], sizeof *c->point);
  memcpy(c->point[1], pair[!weld], sizeof *c->point);
  if (c->kind == DM_POINT || !is_turned(&between)) return DM_OK;

  // the anchor stands in the frame as it does in body2
  memcpy(c->point[0], c->point[1], sizeof *c->point);
  return add_held_frame(m, t, e, between, c);
}

dm_status pb_mjcf_hold(const pb_mjcf *m, pb_tree *t, const xmlNode *e) {
  const char *word = (const char *)e->name;
  const bool sites = xmlHasProp(e, (const xmlChar *)"site1") != NULL;
  dm_constraint *c = &t->held[t->nheld++];
  held_end end[2];
  char *made;

  // its own name, or its place among them
  *c = (dm_constraint){.coord = {-1, -1}};
  PB_NEW(t->r->arena, made, 40);
  snprintf(made, 40, "%.20s_%d", word, t->nheld);
  c->name = made;
  if (xmlHasProp(e, (const xmlChar *)"name")) DM_TRY(pb_xml_name(m->x, e, "name", &c->name));
  for (int i = 0; i < t->nheld - 1; i++)
    if (!strcmp(t->held[i].name, c->name))
      return pb_refuse_xml(m->x, e,
                           "<%s>: found a second one named '%.64s', expected every name once", word,
                           c->name);

  // sites are one where they meet; bodies have points
  const char *attribute[2] = {sites ? "site1" : "body1", sites ? "site2" : "body2"};
  for (int i = 0; i < 2; i++) {
    DM_TRY(find_held_end(m, t, e, attribute[i], sites ? "site" : "body", &end[i]));
    c->body[i] = end[i].body;
  }
  c->kind = strcmp(word, "weld") ? DM_POINT : DM_POSE;
  if (c->body[0] == c->body[1])
    return pb_refuse_xml(m->x, e, "<%s> '%.64s': found one body twice, expected two", word,
                         c->name);
  if (!sites) DM_TRY(set_held_points(m, t, e, end, c));
  return pb_warn_xml(m->x, e, "'%.64s' is kept exactly, where MuJoCo holds it softly", c->name);
}
